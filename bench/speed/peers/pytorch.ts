/** The training step in PyTorch, in a separate process per device. */
import { type ChildProcess, spawn } from 'node:child_process';
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
 * @returns an empty list if it has no PyTorch; `tell` then receives the reason
 */
export async function pytorchTrainers(
  python: string,
  training: TrainingCase,
  tell: (text: string) => void,
): Promise<Trainer[]> {
  const trainers: Trainer[] = [];
  for (const place of places) {
    const trainer = await pytorchTrainer(python, training, place);
    if (trainer !== null) trainers.push(trainer);
    else if (place === 'processor') {
      tell(
        `PyTorch is omitted: ${python} could not run it. Select a Python with PyTorch 2 with --python.`,
      );
      break;
    }
  }
  return trainers;
}

/** Null if PyTorch or the device is missing. */
async function pytorchTrainer(
  python: string,
  training: TrainingCase,
  place: Place,
): Promise<Trainer | null> {
  const script = join(root, 'bench', 'speed', 'peers', 'pytorch.py');
  const child = spawn(python, [script, place], { stdio: ['pipe', 'pipe', 'ignore'] });
  const { weights, ...rest } = peerInputs(training);
  const prefix = 'layers.0.';
  const inputs = {
    ...training,
    optimizer: optimizerStep,
    objective: { clipLow: objective.clipLow, clipHigh: objective.clipHigh },
    blockWeights: Object.keys(weights)
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length)),
    weights: Object.fromEntries(Object.entries(weights).map(([name, m]) => [name, plain(m)])),
    ...Object.fromEntries(Object.entries(rest).map(([name, m]) => [name, plain(m)])),
  };
  const answers = linesOf(child);
  child.stdin?.on('error', () => {});
  child.stdin?.write(`${JSON.stringify(inputs)}\n`);
  const hello = JSON.parse((await answers.next()) ?? 'null') as Hello | null;
  if (hello === null) {
    child.kill();
    return null;
  }
  return {
    name: `PyTorch ${hello.version}, ${hello.place}`,
    step: async () => {
      child.stdin?.write('\n');
      const loss = await answers.next();
      if (loss === null) throw new Error('PyTorch exited during the benchmark.');
      return Number(loss);
    },
    close: () => void child.kill(),
  };
}

interface Hello {
  readonly version: string;
  readonly place: string;
}

/** The lines that a process writes; null once it has ended. */
function linesOf(child: ChildProcess): { next(): Promise<string | null> } {
  const lines: string[] = [];
  let ended = false;
  let wake = () => {};
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      wake();
    });
  }
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
