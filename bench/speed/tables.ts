/** The report as Markdown tables. */
import type { KernelRow } from './kernels.ts';
import type { Limits } from './limits.ts';
import type { SpeedReport } from './report.ts';
import type { StepReport } from './steps.ts';

type Cell = string | number;

export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, ['---', ...columns.slice(1).map(() => '---:')], ...rows];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Three significant digits, thousands apart; a dash for what was too short to be measured. */
export const shown = (value: number) =>
  Number.isFinite(value)
    ? Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 4 })
    : '–';

const percent = (share: number) => (Number.isFinite(share) ? `${shown(100 * share)}%` : '–');

function limitsTable(limits: Limits): string {
  return table(
    ['limit of the machine', 'measured'],
    [
      ['multiply–add peak', `${shown(limits.peakGflops)} GFLOP/s`],
      ['copy bandwidth, memory', `${shown(limits.memoryGbs)} GB/s`],
      ['copy bandwidth, cache', `${shown(limits.cacheGbs)} GB/s`],
      ['an empty dispatch', `${shown(limits.dispatchMicros)} µs`],
      ['a submission', `${shown(limits.submissionMicros)} µs`],
      ['a submission and its end', `${shown(limits.roundTripMicros)} µs`],
      ['a submission and a readback', `${shown(limits.readbackMicros)} µs`],
    ],
  );
}

/** A kernel is limited by arithmetic or by memory; its rate is in the unit of what limits it. */
function rate({ flops, bytes, time }: KernelRow): string {
  return flops > 0
    ? `${shown(flops / time.median / 1e6)} GFLOP/s`
    : `${shown(bytes / time.median / 1e6)} GB/s`;
}

function kernelTable(rows: readonly KernelRow[]): string {
  return table(
    ['kernel', 'sizes', 'times', 'ms', 'rate', 'share of the limit'],
    rows.map((row) => [
      row.name,
      row.sizes,
      row.count,
      shown(row.time.median),
      rate(row),
      percent(row.share),
    ]),
  );
}

function stepTable({ rows, flops }: StepReport, limits: Limits | undefined): string {
  const [own] = rows;
  return table(
    [
      'step',
      'ms',
      'least to greatest',
      'slower than Palestra',
      'share of the peak',
      'first and second loss',
    ],
    rows.map(({ name, time, losses }) => [
      name,
      shown(time.median),
      `${shown(time.least)} to ${shown(time.greatest)}`,
      own === undefined ? '' : `${shown(time.median / own.time.median)}×`,
      limits === undefined ? '' : percent(flops / time.median / 1e6 / limits.peakGflops),
      losses.map((loss) => loss.toFixed(6)).join(', '),
    ]),
  );
}

/** Every part that the report has. */
export function reportTables(report: SpeedReport): string {
  const { limits, kernels, steps } = report;
  const parts: string[] = [
    `Measured on ${report.adapter} in ${report.host} (${report.processor}, ${report.cores} cores), ${report.date.slice(0, 10)}.`,
  ];
  if (limits) parts.push('## Limits', limitsTable(limits));
  if (kernels) {
    parts.push('## Linear layers', kernelTable(kernels.linear));
    for (const part of new Set(kernels.all.map((row) => row.part))) {
      const rows = kernels.all.filter((row) => row.part === part);
      const sum = rows.reduce((total, { count, time }) => total + count * time.median, 0);
      parts.push(`## Kernels: ${part}`, kernelTable(rows), `All of them: ${shown(sum)} ms.`);
    }
  }
  for (const step of steps ?? []) {
    parts.push(`## Training step ${step.name}`, stepTable(step, limits));
  }
  return parts.join('\n\n');
}
