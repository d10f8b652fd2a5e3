/** Presets for pretrained models: environments of other presets, with batch sizes for a laptop GPU. */
import type { RunCost } from '../../agents/cost.ts';
import type { Assignment } from '../../config/methods.ts';
import { bytes } from '../../runs/numbers.ts';

/** Settings for a model and an environment, applied after those of every pretrained model. */
export interface ModelPreset {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The preset that provides the environment and the horizon. */
  readonly preset: string;
  readonly set: readonly Assignment[];
}

/** 32 short episodes, two updates of one epoch, and an evaluation on 32 tasks. */
const laptop: readonly Assignment[] = [
  ['agent.max_action_tokens', '48'],
  ['rollout.tasks_per_iteration', '4'],
  ['rollout.group_size', '8'],
  ['algorithm.epochs', '1'],
  ['algorithm.mini_batches', '2'],
  ['algorithm.micro_batch_tokens', '1024'],
  ['algorithm.entropy_coef', '0'],
  ['optimizer.schedule', 'constant'],
  ['optimizer.warmup_updates', '5'],
  ['evaluation.interval', '10'],
  ['evaluation.tasks', '32'],
  ['stopping.iterations', '100'],
];

/** With `agent.history_window` 0 the model reads the whole dialogue. */
export const modelPresets: readonly ModelPreset[] = [
  {
    name: 'smollm2-wordle',
    title: 'SmolLM2: Wordle',
    description: 'For SmolLM2-135M-Instruct or 360M. The model reads every guess with its marks.',
    preset: 'wordle',
    set: [...laptop, ['agent.history_window', '0']],
  },
  {
    name: 'smollm2-textcraft',
    title: 'SmolLM2: TextCraft',
    description:
      'For SmolLM2-135M-Instruct or 360M. The model reads the last two turns and the task.',
    preset: 'textcraft',
    set: [...laptop, ['agent.history_window', '2'], ['agent.keep_task', 'true']],
  },
  {
    name: 'qwen-babyai',
    title: 'Qwen: BabyAI, go to the red ball',
    description: 'For Qwen2.5-0.5B-Instruct or Qwen3-0.6B. The model reads the last two turns.',
    preset: 'babyai-goto-red-ball',
    set: [...laptop, ['agent.history_window', '2']],
  },
];

/** The preset for pretrained models with this name, or undefined if there is none. */
export function findModelPreset(name: string | null): ModelPreset | undefined {
  return modelPresets.find((preset) => preset.name === name);
}

/** Assumed operations per second of a laptop's GPU; not measured with Palestra. */
const LAPTOP_GPU = 2e12;

/** Upper bound on the time of an iteration, reached if every turn uses all its tokens. */
export function iterationTime({ operations }: Pick<RunCost, 'operations'>): string {
  const minutes = Number((operations / LAPTOP_GPU / 60).toPrecision(2));
  if (minutes === 1) return 'up to 1 minute per iteration on a laptop GPU with 2 TFLOP/s';
  const time = minutes < 0.1 ? 'less than 0.1' : `up to ${minutes.toLocaleString('en-US')}`;
  return `${time} minutes per iteration on a laptop GPU with 2 TFLOP/s`;
}

/** Memory and time of a run. */
export const estimateLine = (cost: RunCost): string =>
  `estimate: ${bytes(cost.bytes)} of memory, ${iterationTime(cost)}`;
