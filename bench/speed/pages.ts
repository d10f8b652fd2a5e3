/** Generates the docs page and its charts from the stored results. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logBars } from './pictures.ts';
import type { SpeedReport } from './report.ts';
import { shown, stepsOf, summaryTables } from './tables.ts';

const introduction = `# Speed

\`npm run bench -- page\` writes this page from the reports in \`bench/results/\`, which also contain the times of every kernel, scaling measurements and start-up times. \`npm run bench -- --json bench/results/NAME.json\` measures your machine in headless Chromium, with \`--node\` on Dawn in Node. In the lab, the menu entry *Benchmark* measures your browser. [bench/NOTES.md](../bench/NOTES.md) describes what was tried.

**Method.** Subjects run in turn on one adapter in one process, after warm-up; figures are medians. A training step is the forward pass, PPO's clipped loss, the backward pass, and AdamW with global-norm clipping, with the loss read back. The loss is computed at every token. The hidden width of the SwiGLU is 3 × the width, and the vocabulary has 64 tokens.

| shape | layers | width | heads | tokens |
| --- | ---: | ---: | ---: | ---: |
| S | 2 | 64 | 4 | 1,024 as 16 × 64 |
| M | 4 | 128 | 4 | 4,096 as 32 × 128 |
| L | 12 | 768 | 12 | 2,048 as 16 × 128 |

Decoding generates 16 tokens in each episode of shape S after a cached context of 64. The whole loop is the preset \`maze\`: rollouts, advantages, updates.

**Peers.** Each peer computes the same arithmetic from the same weights, and its losses of the first two steps must match Palestra's before anything is timed. jax-js compiles the step with \`jit\`; TensorFlow.js runs operation by operation; onnxruntime-web decodes the exported network. PyTorch runs in a separate process: on the processor and, with an NVIDIA GPU, kernel by kernel and as a CUDA graph.

**Limits.** They are measured with loops that only multiply and add, and with kernels that only copy, after a second of load. A benchmark run fails if a kernel exceeds them by more than 5%.
`;

/** Writes `docs/SPEED.md` and its charts. */
export function writePages(root: string): void {
  mkdirSync(join(root, 'docs', 'speed'), { recursive: true });
  for (const [path, contents] of speedPages(root)) writeFileSync(join(root, path), contents);
}

/** The page and its charts from the stored reports, by path relative to the root. */
export function speedPages(root: string): Map<string, string> {
  const folder = join(root, 'bench', 'results');
  const files = new Map<string, string>();
  const parts = [introduction];
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  for (const file of names) {
    const name = file.replace(/\.json$/, '');
    const report = JSON.parse(readFileSync(join(folder, file), 'utf8')) as SpeedReport;
    parts.push(`## ${report.card ?? report.adapter}, ${report.host.split(' ')[0]}`);
    const picture = stepPicture(report);
    if (picture) {
      files.set(`docs/speed/${name}.svg`, picture);
      parts.push(`![Training steps](speed/${name}.svg)`);
    }
    parts.push(summaryTables(report));
  }
  return files.set('docs/SPEED.md', `${parts.join('\n\n')}\n`);
}

/** The training steps of every shape as bars; undefined if none was measured. */
function stepPicture(report: SpeedReport): string | undefined {
  const bars = stepsOf(report).flatMap(({ name, rows }) =>
    rows.map((row) => ({
      label: `${name}, ${row.name}`,
      value: row.time.median,
      text: `${shown(row.time.median)} ms`,
      own: row.name === 'Palestra',
    })),
  );
  return bars.length === 0 ? undefined : logBars('A training step', 'milliseconds', bars);
}
