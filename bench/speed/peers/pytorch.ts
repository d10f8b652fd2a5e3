/** The training step in PyTorch, in a separate process per device. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../../scripts/install.mjs';
import type { Trainer } from '../own-step.ts';
import { objective, optimizerStep, type TrainingCase } from '../training-case.ts';
import { type Matrix, peerInputs } from './inputs.ts';

const plain = ({ shape, values }: Matrix) => ({ shape, values: [...values] });

/** Devices to compute on. */
const places = ['processor', 'cuda', 'cuda-graph'] as const;
type Place = (typeof places)[number];

/**
 * PyTorch on the CPU and, if it finds a GPU, also there: kernel by kernel, and as one CUDA graph.
 * @param python the interpreter, which must have PyTorch 2
 * @param tell receives the reason if one of them fails
 */
export async function pytorchTrainers(
  python: string,
  training: TrainingCase,
  tell: (text: string) => void,
): Promise<Trainer[]> {
  const trainers: Trainer[] = [];
  for (const place of places) {
    try {
      const trainer = await pytorchTrainer(python, training, place);
      if (trainer !== null) trainers.push(trainer);
    } catch (error) {
      tell(
        `PyTorch is omitted on the device "${place}": ${error instanceof Error ? error.message : error}`,
      );
      break;
    }
  }
  return trainers;
}

/** The JSON object that `pytorch.py` reads. */
export function pytorchInputs(training: TrainingCase) {
  const { weights, ...rest } = peerInputs(training);
  const prefix = 'layers.0.';
  return {
    ...training,
    optimizer: optimizerStep,
    objective: { clipLow: objective.clipLow, clipHigh: objective.clipHigh },
    blockWeights: Object.keys(weights)
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length)),
    weights: Object.fromEntries(Object.entries(weights).map(([name, m]) => [name, plain(m)])),
    ...Object.fromEntries(Object.entries(rest).map(([name, m]) => [name, plain(m)])),
  };
}

/** Null if the device is missing. */
async function pytorchTrainer(
  python: string,
  training: TrainingCase,
  place: Place,
): Promise<Trainer | null> {
  const script = join(root, 'bench', 'speed', 'peers', 'pytorch.py');
  const child = spawn(python, [script, place], { stdio: 'pipe' });
  const answers = linesOf(child);
  const problem = problemOf(child);
  const failed = () =>
    new Error(`${python} failed. It needs PyTorch 2; select another with --python. ${problem()}`);
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(pytorchInputs(training))}\n`);
  const line = await answers.next();
  if (line === null) throw failed();
  const hello = JSON.parse(line) as Hello | null;
  if (hello === null) {
    child.kill();
    return null;
  }
  return {
    name: `PyTorch ${hello.version}, ${hello.place}`,
    step: async () => {
      child.stdin.write('\n');
      const loss = await answers.next();
      if (loss === null) throw failed();
      return Number(loss);
    },
    close: () => void child.kill(),
  };
}

interface Hello {
  readonly version: string;
  readonly place: string;
}

/** Why a process could not start, or the end of what it wrote to stderr. */
function problemOf(child: ChildProcessWithoutNullStreams): () => string {
  let text = '';
  child.on('error', ({ message }) => {
    text = message;
  });
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text = (text + more).slice(-2000);
  });
  return () => text.trim();
}

/** The lines that a process writes; null once it has ended. */
function linesOf(child: ChildProcessWithoutNullStreams): { next(): Promise<string | null> } {
  const lines: string[] = [];
  let ended = false;
  let wake = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  const end = () => {
    ended = true;
    wake();
  };
  child.on('error', end);
  child.on('close', end);
  return {
    next: async () => {
      while (lines.length === 0 && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return lines.shift() ?? null;
    },
  };
}
