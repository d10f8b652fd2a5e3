/** Pictures of the results as SVG, legible on light and dark pages. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value in words. */
  readonly text: string;
  readonly own: boolean;
}

export interface Line {
  readonly label: string;
  readonly points: readonly (readonly [number, number])[];
}

const WIDTH = 760;
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #334155; }
  .title { font-weight: 600; font-size: 15px; }
  .soft { fill: #64748b; font-size: 12px; }
  .own { fill: #0d9488; } .peer { fill: #94a3b8; }
  .grid { stroke: #cbd5e1; stroke-width: 1; }
  .line { fill: none; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e2e8f0; } .soft { fill: #94a3b8; } .grid { stroke: #475569; }
    .own { fill: #2dd4bf; } .peer { fill: #64748b; }
  }`;
const COLOURS = ['#0d9488', '#d97706', '#6366f1', '#db2777', '#65a30d'];

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function picture(height: number, title: string, content: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}
</style>
<text class="title" x="0" y="18">${escaped(title)}</text>
${content.join('\n')}
</svg>
`;
}

/** Powers of ten that enclose the values. */
function decades(values: readonly number[]): { least: number; greatest: number } {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const least = Math.floor(Math.min(...logs) - 0.1);
  return { least, greatest: Math.max(least + 1, Math.ceil(Math.max(...logs))) };
}

const power = (exponent: number) => (10 ** exponent).toLocaleString('en-US');

/** Horizontal bars on a logarithmic axis. */
export function logBars(title: string, unit: string, bars: readonly Bar[]): string {
  const [left, right, row, top] = [210, 110, 26, 34];
  const { least, greatest } = decades(bars.map(({ value }) => value));
  const scale = (WIDTH - left - right) / (greatest - least);
  const x = (value: number) => left + (Math.log10(value) - least) * scale;
  const bottom = top + bars.length * row;
  const content: string[] = [];
  for (let e = least; e <= greatest; e++) {
    const at = x(10 ** e).toFixed(1);
    content.push(
      `<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}"/>`,
      `<text class="soft" x="${at}" y="${bottom + 16}" text-anchor="middle">${power(e)}</text>`,
    );
  }
  content.push(
    `<text class="soft" x="${WIDTH - right}" y="${bottom + 34}" text-anchor="end">${escaped(unit)}, logarithmic</text>`,
  );
  bars.forEach(({ label, value, text, own }, i) => {
    const y = top + i * row;
    const end = x(value);
    content.push(
      `<text x="${left - 8}" y="${y + 18}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="${own ? 'own' : 'peer'}" x="${left}" y="${y + 5}" width="${(end - left).toFixed(1)}" height="${row - 8}" rx="3"/>`,
      `<text x="${(end + 6).toFixed(1)}" y="${y + 18}">${escaped(text)}</text>`,
    );
  });
  return picture(bottom + 40, title, content);
}

/** Lines on two logarithmic axes, each drawn relative to its first point. */
export function relativeLines(title: string, lines: readonly Line[]): string {
  const [left, top, height, legend] = [50, 34, 300, 220];
  const relative = lines.map(({ label, points }) => {
    const [x0, y0] = points[0] ?? [1, 1];
    return {
      label,
      points: points.map(([x, y]) => [Math.log2(x / x0), Math.log2(y / y0)] as const),
    };
  });
  const all = relative.flatMap(({ points }) => points);
  const most = Math.ceil(Math.max(...all.flat(), 1));
  const least = Math.floor(Math.min(...all.map(([, y]) => y), 0));
  const span = WIDTH - left - legend;
  const x = (value: number) => left + (value / most) * span;
  const y = (value: number) => top + height - ((value - least) / (most - least)) * height;
  const content: string[] = [];
  for (let e = 0; e <= most; e++) {
    content.push(
      `<line class="grid" x1="${x(e)}" x2="${x(e)}" y1="${top}" y2="${top + height}"/>`,
      `<text class="soft" x="${x(e)}" y="${top + height + 16}" text-anchor="middle">${2 ** e}×</text>`,
    );
  }
  for (let e = least; e <= most; e++) {
    content.push(
      `<line class="grid" x1="${left}" x2="${left + span}" y1="${y(e)}" y2="${y(e)}"/>`,
      `<text class="soft" x="${left - 6}" y="${y(e) + 4}" text-anchor="end">${2 ** e}×</text>`,
    );
  }
  content.push(
    `<text class="soft" x="${left + span}" y="${top + height + 34}" text-anchor="end">size, and time upwards, of the smallest; logarithmic</text>`,
  );
  relative.forEach(({ label, points }, i) => {
    const colour = COLOURS[i % COLOURS.length] ?? '#000';
    const path = points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(' ');
    const at = top + 16 + i * 24;
    content.push(
      `<polyline class="line" stroke="${colour}" points="${path}"/>`,
      ...points.map(
        ([a, b]) =>
          `<circle cx="${x(a).toFixed(1)}" cy="${y(b).toFixed(1)}" r="3.5" fill="${colour}"/>`,
      ),
      `<line class="line" stroke="${colour}" x1="${left + span + 20}" x2="${left + span + 40}" y1="${at - 4}" y2="${at - 4}"/>`,
      `<text x="${left + span + 46}" y="${at}">${escaped(label)}</text>`,
    );
  });
  return picture(top + height + 40, title, content);
}
