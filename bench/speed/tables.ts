/** The report as Markdown tables. */
import type { DecodeRow } from './decode.ts';
import type { Growth } from './growth.ts';
import { type KernelRow, sharesOverLimit } from './kernels.ts';
import type { Limits } from './limits.ts';
import type { LoopReport } from './loop.ts';
import { DECODED } from './own-decode.ts';
import type { ProcessorReport, SpeedReport } from './report.ts';
import type { StartupReport } from './startup.ts';
import type { StepReport } from './steps.ts';

type Cell = string | number;

export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, ['---', ...columns.slice(1).map(() => '---:')], ...rows];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** Three significant digits with a thousands separator; a dash for values too short to measure. */
export const shown = (value = Number.NaN) =>
  Number.isFinite(value)
    ? Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 4 })
    : '–';

const percent = (share: number) => (Number.isFinite(share) ? `${shown(100 * share)}%` : '–');

function limitsRows(limits: Limits): [string, string][] {
  return [
    ['multiply–add peak', `${shown(limits.peakGflops)} GFLOP/s`],
    ['copy bandwidth, memory', `${shown(limits.memoryGbs)} GB/s`],
    ['copy bandwidth, cache', `${shown(limits.cacheGbs)} GB/s`],
    ['empty dispatch', `${shown(limits.dispatchMicros)} µs`],
    ['submission', `${shown(limits.submissionMicros)} µs`],
    ['submission and completion', `${shown(limits.roundTripMicros)} µs`],
    ['submission and readback', `${shown(limits.readbackMicros)} µs`],
  ];
}

const limitsTable = (limits: Limits) => table(['machine limit', 'measured'], limitsRows(limits));

/** A kernel is limited by arithmetic or by memory; its rate is in the unit of that limit. */
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

/** The multiply–add peak of the device that a row was measured on; NaN if it was not measured. */
function peakOf(name: string, { limits, onProcessor = [] }: SpeedReport): number {
  const onAdapter = name === 'Palestra' || name.endsWith('(webgpu)');
  const processor = onProcessor.find((one) => name === `Palestra, ${one.name}`);
  return (onAdapter ? limits : processor?.limits)?.peakGflops ?? Number.NaN;
}

function stepTable({ rows, flops }: StepReport, report: SpeedReport): string {
  const [own] = rows;
  return table(
    [
      'step',
      'ms',
      'minimum to maximum',
      'relative to Palestra',
      'share of the peak',
      'losses of the first two steps',
    ],
    rows.map(({ name, time, losses }) => [
      name,
      shown(time.median),
      `${shown(time.least)} to ${shown(time.greatest)}`,
      own === undefined ? '' : `${shown(time.median / own.time.median)}×`,
      percent(flops / time.median / 1e6 / peakOf(name, report)),
      losses.map((loss) => loss.toFixed(6)).join(', '),
    ]),
  );
}

/** A backward pass in two kernels does some work twice. That work counts once, so the kernels are summed. */
function attentionLine(rows: readonly KernelRow[], { peakGflops }: Limits): string {
  const attention = rows.filter(({ name }) => name.startsWith('attention.'));
  const share = (kernels: readonly KernelRow[]) => {
    const flops = kernels.reduce((sum, row) => sum + row.count * row.flops, 0);
    const ms = kernels.reduce((sum, row) => sum + row.count * row.time.median, 0);
    return percent(flops / ms / 1e6 / peakGflops);
  };
  const backward = attention.filter(({ name }) => name.includes('backward'));
  return `Attention, forward and backward: ${share(attention)} of the multiply–add peak; backward alone: ${share(backward)}.`;
}

/** The training steps that were measured. */
export function stepsOf({ stepS, stepM, stepL }: SpeedReport): readonly StepReport[] {
  return [stepS, stepM, stepL].filter((step) => step !== undefined);
}

function origin(report: SpeedReport): string {
  const adapter = report.card === undefined ? report.adapter : `${report.card} (${report.adapter})`;
  return `Measured on ${adapter} in ${report.host} (${report.processor}, ${report.cores} cores), ${moments(report)}.`;
}

/** Two tables per machine: Palestra and its peers, then the machine and the whole loop. */
export function summaryTables(report: SpeedReport): string {
  const steps = stepsOf(report);
  const { decode = [], limits, loop } = report;
  const episodes = [...new Set(decode.map((row) => row.episodes))];
  const names = new Set([...steps.flatMap(({ rows }) => rows), ...decode].map(({ name }) => name));
  const peers = table(
    [
      'subject',
      ...steps.map(({ name }) => `step ${name}, ms`),
      ...episodes.map((count) => `tokens/s, ${count} ${count === 1 ? 'episode' : 'episodes'}`),
    ],
    [...names].map((name) => [
      name,
      ...steps.map(({ rows }) => shown(found(rows, name)?.time.median)),
      ...episodes.map((count) =>
        shown(
          found(
            decode.filter((row) => row.episodes === count),
            name,
          )?.tokensPerSecond,
        ),
      ),
    ]),
  );
  const { kernels } = report;
  const over = kernels ? sharesOverLimit([...kernels.linear, ...kernels.all]) : [];
  const loops = [
    ...(loop ? [['maze loop', loop] as const] : []),
    ...(report.onProcessor ?? []).map(({ name, loop }) => [`on the ${name}`, loop] as const),
  ];
  const machine = table(
    ['machine and whole loop', 'measured'],
    [
      ...(limits && over.length === 0 ? limitsRows(limits) : []),
      ...loops.map(([what, { turnsPerSecond, shares }]) => [
        what,
        `${shown(turnsPerSecond)} turns/s, device idle ${percent(shares.idle)}`,
      ]),
    ],
  );
  const note =
    over.length === 0
      ? []
      : [
          'The machine’s limits are omitted: kernels exceed them by more than 5%, so the measured limits are too low.',
        ];
  return [origin(report), peers, machine, ...note].join('\n\n');
}

function found<Row extends { readonly name: string }>(rows: readonly Row[], name: string) {
  return rows.find((row) => row.name === name);
}

/** Every part that the report has. */
export function reportTables(report: SpeedReport): string {
  const { limits, kernels, decode, loop, growth, startup } = report;
  const parts: string[] = [origin(report)];
  if (limits) parts.push('## Limits', limitsTable(limits));
  if (kernels) {
    parts.push('## Linear layers', kernelTable(kernels.linear));
    for (const part of new Set(kernels.all.map((row) => row.part))) {
      const rows = kernels.all.filter((row) => row.part === part);
      const sum = rows.reduce((total, { count, time }) => total + count * time.median, 0);
      parts.push(`## Kernels: ${part}`, kernelTable(rows), `Total: ${shown(sum)} ms.`);
      if (limits && part !== 'other') parts.push(attentionLine(rows, limits));
    }
  }
  for (const one of report.onProcessor ?? []) parts.push(...processorTables(one));
  for (const step of stepsOf(report)) {
    parts.push(`## Training step ${step.name}`, stepTable(step, report));
  }
  if (decode) parts.push('## Decoding', decodeTable(decode));
  if (loop) parts.push('## The whole loop', loopTable(loop));
  if (growth) parts.push('## Growth', growthTable(growth));
  if (startup) parts.push('## Start-up', startupTable(startup));
  return parts.join('\n\n');
}

function processorTables({ name, limits, kernels, loop }: ProcessorReport): string[] {
  const steps = kernels.all.filter(({ part }) => part.startsWith('step '));
  return [
    `## Palestra on the ${name}`,
    limitsTable(limits),
    kernelTable(kernels.linear),
    ...[...new Set(steps.map(({ part }) => part))].flatMap((part) => {
      const rows = steps.filter((row) => row.part === part);
      const sum = rows.reduce((total, { count, time }) => total + count * time.median, 0);
      return [`Kernels of ${part}, total: ${shown(sum)} ms.`, kernelTable(rows)];
    }),
    loopTable(loop),
  ];
}

/** The dates and commits of the measurements. */
function moments({ measured }: SpeedReport): string {
  const found = Object.values(measured).map(
    ({ date, commit }) => `${date.slice(0, 10)}${commit === null ? '' : ` (${commit})`}`,
  );
  return [...new Set(found)].join(', ');
}

function decodeTable(rows: readonly DecodeRow[]): string {
  const own = (episodes: number) =>
    rows.find((row) => row.episodes === episodes)?.tokensPerSecond ?? Number.NaN;
  return table(
    [
      'decoder',
      'parallel episodes',
      'tokens/s',
      'ms per token of all episodes',
      'slower than Palestra',
    ],
    rows.map(({ name, episodes, tokensPerSecond, time }) => [
      name,
      episodes,
      shown(tokensPerSecond),
      shown(time.median / DECODED),
      `${shown(own(episodes) / tokensPerSecond)}×`,
    ]),
  );
}

function loopTable({ preset, shares, ...loop }: LoopReport): string {
  return table(
    [`preset ${preset}`, 'measured'],
    [
      ['environment turns', `${shown(loop.turnsPerSecond)} /s`],
      ['tokens written', `${shown(loop.tokensPerSecond)} /s`],
      ['device: rollout', percent(shares.rollout)],
      ['device: update', percent(shares.update)],
      ['device: idle', percent(shares.idle)],
      ['host: environments', percent(shares.environment)],
      ['host: recording and submitting', percent(shares.transfer)],
      ['submissions per iteration', shown(loop.submissions / loop.iterations)],
      [
        'bytes uploaded and read back per iteration',
        `${shown(loop.uploadBytes / loop.iterations)} and ${shown(loop.readBytes / loop.iterations)}`,
      ],
      ['creating the policy, with pipelines', `${shown(loop.startMs)} ms`],
    ],
  );
}

function growthTable(rows: readonly Growth[]): string {
  return table(
    ['what grows', 'sizes', 'ms', 'exponent'],
    rows.map(({ of, at, sizes, times, exponent }) => [
      `${of} (${at})`,
      sizes.join(', '),
      times.map(shown).join(', '),
      exponent.toFixed(2),
    ]),
  );
}

function startupTable({
  firstPaint,
  firstIteration,
  solved,
  computes,
  bytes,
  compressedBytes,
}: StartupReport): string {
  return table(
    ['start-up', 'measured'],
    [
      ['first paint', `${shown(firstPaint.median)} ms`],
      ['first finished iteration', `${shown(firstIteration.median)} ms`],
      ...(solved === undefined
        ? []
        : [[`95% of the maze’s starts solved, on ${computes}`, `${shown(solved.median)} ms`]]),
      ['downloaded', `${shown(bytes / 1000)} kB, with gzip ${shown(compressedBytes / 1000)} kB`],
    ],
  );
}
