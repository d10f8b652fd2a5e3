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

/** What a run is made of beside its settings. */
export interface RunParts {
  readonly environment: Environment;
  readonly tokenizer: Tokenizer;
  readonly createPolicy: CreatePolicy;
  readonly starts: Starts | null;
}

/** What the settings in force make of it. */
export interface Setup {
  readonly settings: Config;
  readonly streams: RandomStreams;
  readonly recipe: Recipe;
}

/**
 * Students of random or given weights and the recipe that teaches them.
 *
 * @throws {InitialAgentError} for given weights of another shape or vocabulary.
 */
export async function setUp(
  settings: Config,
  { environment, tokenizer, createPolicy, starts }: RunParts,
  initial?: InitialAgent,
): Promise<Setup> {
  const streams = splitSeed(settings.seed);
  const given = initial === undefined ? {} : { initial };
  const parts = { environment, tokenizer, streams, createPolicy, ...given };
  const enrol = (config = settings) => Student.create({ ...parts, config });
  const make = await recipes[settings.recipe]();
  const recipe = await make({ config: settings, environment, streams, enrol, starts });
  return { settings, streams, recipe };
}

/** The students as they are, with all that their training takes to go on. */
export async function keepStudents({ recipe }: Setup): Promise<Checkpoint['students']> {
  const kept = [...recipe.students].map(
    async ([role, student]) => [role, await student.keep()] as const,
  );
  return new Map(await Promise.all(kept));
}

/**
 * Puts students, streams and recipe where they were kept.
 *
 * @returns the device that computed a student before, where that was another; else null
 * @throws {CheckpointError} for what no run of these settings has kept.
 * @throws {WeightsError} for tensors that are not those of its policies.
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
    if (kept === undefined || own === undefined) throw fault(`nothing is said of its ${role}`);
    student.restore(kept, own);
    const device = kept.training?.device ?? null;
    if (device !== null && device !== student.agent.policy.device) movedFrom = device;
  }
  restoreStreams(streams, state.streams);
  recipe.restore(state.recipe);
  return movedFrom;
}
