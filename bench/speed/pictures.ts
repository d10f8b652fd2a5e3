/** Charts of the results as SVG, legible on light and dark pages. */

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value as text. */
  readonly text: string;
  readonly own: boolean;
}

const WIDTH = 760;
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #334155; }
  .title { font-weight: 600; font-size: 15px; }
  .soft { fill: #64748b; font-size: 12px; }
  .own { fill: #0d9488; } .peer { fill: #94a3b8; }
  .grid { stroke: #cbd5e1; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e2e8f0; } .soft { fill: #94a3b8; } .grid { stroke: #475569; }
    .own { fill: #2dd4bf; } .peer { fill: #64748b; }
  }`;

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
  const longest = Math.max(...bars.map(({ label }) => label.length));
  const [left, right, row, top] = [Math.max(210, 7 * longest), 110, 26, 34];
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
