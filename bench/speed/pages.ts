/** The kept results as a page of the docs, with pictures. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logBars, relativeLines } from './pictures.ts';
import type { SpeedReport } from './report.ts';
import type { StepReport } from './steps.ts';
import { reportTables, shown } from './tables.ts';

const introduction = `# Speed

This page is written by \`npm run bench -- page\` from the reports in \`bench/results/\`; \`npm run bench -- --json bench/results/NAME.json\` measures a new one on your machine (in a headless Chromium, or with \`--node\` on Dawn in Node). What was tried is in [bench/NOTES.md](../bench/NOTES.md).

**How it is measured.** Everything on one adapter in one process, warm, subjects in turn (A B C A B C …), medians. A kernel's share is the least time that the machine's own limits allow, measured in the same run with loops that only multiply and add and kernels that only copy, over the time that it takes. A training step is forward, PPO's clipped loss on given advantages, backward, and AdamW with decay and global-norm clipping, with the loss read back. S is 2 layers of width 64, 1,024 tokens as 16 × 64; M is 4 layers of width 128, 4,096 tokens as 32 × 128; both have 4 heads, a SwiGLU of 3 × the width, a vocabulary of 64 and every token a loss row. Each peer computes the same arithmetic from the same weights, and its losses of the first and the second step must be Palestra's before anything is timed. A GPU that waits while others take their turn goes to a low clock, so a short step runs for a while, unmeasured, before each of its measurements. What takes longer than 45 seconds is measured once, by its first step.

**Which peers.** jax-js compiles the whole step with \`jit\`; TensorFlow.js runs operation by operation. Both take the token embedding as a product with one-hot rows that are made beforehand. onnxruntime-web cannot train; it decodes the very network, exported with its key–value cache, which stays on the device. PyTorch runs in a process of its own: on the processor, and where it finds an NVIDIA GPU kernel by kernel on that and once more as a CUDA graph, which launches all kernels of a step together. WebAssembly computes on the processor. A software adapter such as SwiftShader does too, by translating shaders, so there WebAssembly has the same hardware and one layer less.
`;

/** Writes `docs/SPEED.md` and its pictures. */
export function writePages(root: string): void {
  mkdirSync(join(root, 'docs', 'speed'), { recursive: true });
  for (const [path, contents] of speedPages(root)) writeFileSync(join(root, path), contents);
}

/** The page and its pictures as the kept reports give them, by their paths from the root. */
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
    parts.push(`# ${report.card ?? report.adapter}, ${report.host.split(' ')[0]}`);
    for (const [part, svg] of reportPictures(report)) {
      files.set(`docs/speed/${name}-${part}.svg`, svg);
      parts.push(`![${part}](speed/${name}-${part}.svg)`);
    }
    parts.push(reportTables(report));
  }
  return files.set('docs/SPEED.md', `${parts.join('\n\n')}\n`);
}

function reportPictures(report: SpeedReport): Map<string, string> {
  const { stepS, stepM, decode, growth } = report;
  const pictures = new Map<string, string>();
  for (const step of [stepS, stepM]) if (step) pictures.set(`step-${step.name}`, stepPicture(step));
  if (decode) {
    const bars = decode.map(({ name, episodes, tokensPerSecond }) => ({
      label: `${name}, ${episodes}`,
      value: tokensPerSecond,
      text: shown(tokensPerSecond),
      own: name === 'Palestra',
    }));
    pictures.set(
      'decode',
      logBars('Decoding with 1, 64 and 512 parallel episodes', 'tokens a second', bars),
    );
  }
  if (growth) {
    const lines = growth.map(({ of, sizes, times, exponent }) => ({
      label: `${of}, ${exponent.toFixed(2)}`,
      points: sizes.map((size, i) => [size, times[i] ?? Number.NaN] as const),
    }));
    pictures.set('growth', relativeLines('How time grows with size, and the exponent', lines));
  }
  return pictures;
}

function stepPicture({ name, rows }: StepReport): string {
  const bars = rows.map((row) => ({
    label: row.name,
    value: row.time.median,
    text: `${shown(row.time.median)} ms`,
    own: row.name === 'Palestra',
  }));
  return logBars(`A training step of shape ${name}`, 'milliseconds', bars);
}
