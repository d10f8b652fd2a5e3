import type { PretrainedModel } from '../agents/pretrained.ts';
import type { InitialAgent } from '../agents/start.ts';
import type { Config } from '../config/schema.ts';
import type { Environment } from '../envs/types.ts';
import type { Tokenizer } from '../policy/tokenizer.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import { type RandomStreams, restoreStreams, splitSeed } from './random.ts';
import type { Recipe } from './recipe.ts';
import { recipes } from './recipes/index.ts';
import type { Starts } from './starts.ts';
import { fault, type TrainerState } from './state.ts';
import { Student } from './student.ts';

/** Inputs for building a run besides its settings. */
export interface RunParts {
  readonly environment: Environment;
  readonly tokenizer: Tokenizer;
  readonly createPolicy: CreatePolicy;
  readonly starts: Starts | null;
  readonly model: PretrainedModel | null;
}

/** Objects built from the current settings. */
export interface Setup {
  readonly settings: Config;
  readonly streams: RandomStreams;
  readonly recipe: Recipe;
}

/**
 * Creates students with random or given weights and the recipe that trains them.
 *
 * @throws {InitialAgentError} if given weights have another shape or vocabulary
 */
export async function setUp(
  settings: Config,
  { environment, tokenizer, createPolicy, starts, model }: RunParts,
  initial?: InitialAgent,
): Promise<Setup> {
  const streams = splitSeed(settings.seed);
  const given = initial === undefined ? {} : { initial };
  const parts = { environment, tokenizer, streams, createPolicy, model, ...given };
  const enrol = (config = settings) => Student.create({ ...parts, config });
  const make = await recipes[settings.recipe]();
  const recipe = await make({ config: settings, environment, streams, enrol, starts });
  return { settings, streams, recipe };
}

/** The students with the state needed to continue their training. */
export async function keepStudents({ recipe }: Setup): Promise<Checkpoint['students']> {
  const kept = [...recipe.students].map(
    async ([role, student]) => [role, await student.keep()] as const,
  );
  return new Map(await Promise.all(kept));
}

/**
 * Restores students, streams and recipe.
 *
 * @returns the device that trained a student before, if it was a different one; else null
 * @throws {CheckpointError} if no run of these settings could have saved this
 * @throws {WeightsError} if the tensors do not fit the policies
 */
export function restoreSetup(
  { streams, recipe }: Setup,
  keptStudents: Checkpoint['students'],
  state: TrainerState,
): string | null {
  const { students } = recipe;
  if ([...students.keys()].join() !== [...keptStudents.keys()].join()) {
    throw fault(`its students are not ${[...students.keys()].join(' and ')}`);
  }
  let movedFrom: string | null = null;
  for (const [role, student] of students) {
    const kept = keptStudents.get(role);
    const own = Object.hasOwn(state.students, role) ? state.students[role] : undefined;
    if (kept === undefined || own === undefined) throw fault(`its ${role} is missing`);
    student.restore(kept, own);
    const device = kept.training?.device ?? null;
    if (device !== null && device !== student.agent.policy.device) movedFrom = device;
  }
  restoreStreams(streams, state.streams);
  recipe.restore(state.recipe);
  return movedFrom;
}
