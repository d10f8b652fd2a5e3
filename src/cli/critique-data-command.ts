import type { Agent } from '../agents/agent.ts';
import { isCriticizable } from '../agents/modes/prompts.ts';
import { ConfigError } from '../config/error.ts';
import { findPreset, UnknownPresetError } from '../config/presets.ts';
import { criticizes, recipesWithCritic } from '../config/recipes.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { fileLimits } from '../files/limits.ts';
import { CheckpointError, decodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { type CritiqueItem, critiqueLines } from '../runs/critique-item.ts';
import { createRun } from '../training/create-run.ts';
import { type Collection, collectCritiques } from '../training/critique-data/collect.ts';
import { collectionSettings, ENOUGH_EFFORT } from '../training/critique-data/settings.ts';
import type { OnProgress } from '../training/look/onlooker.ts';
import { splitSeed } from '../training/random.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Outputs, OutputTakenError, readGivenFile } from './files.ts';
import {
  assignment,
  Command,
  forceFlag,
  optional,
  repeated,
  required,
  whole,
  withDefault,
} from './flags.ts';
import { deviceLine, type Machine, type OpenMachine } from './machine.node.ts';
import { progressLog } from './progress.ts';
import { plural } from './report.ts';
import type { Streams } from './streams.ts';
import { exitCode, UsageError } from './usage.ts';

interface CritiqueDataMachine extends Streams {
  readonly open: OpenMachine;
}

const DEFAULT_PRESET = 'critique-rl';

const collector = new Command({
  name: 'critique-data',
  about:
    'Creates a data set of critiques: correct and wrong answers of an actor, with the annotator’s critiques.',
  flags: {
    count: required('N', 'number of critiques', whole(1, 100_000)),
    out: required(
      'FILE',
      'a .jsonl file with one JSON object per line; see docs/COMMAND-LINE.md for its fields',
    ),
    seed: withDefault(
      1,
      optional('N', 'random seed; the same seed gives the same file', whole(0, 0xffffffff)),
    ),
    preset: optional(
      'NAME',
      `train the actor of this preset by imitation first; default without --checkpoint: ${DEFAULT_PRESET}`,
    ),
    checkpoint: optional(
      'FILE',
      `use the actor in this checkpoint of recipe ${recipesWithCritic.join(' or ')}`,
    ),
    set: repeated(
      'KEY=VALUE',
      'set a config field, for instance critique.sources=all or critique.right_answers=0',
    ),
    ...deviceFlags,
    force: forceFlag,
  },
  notes: () => 'Counts go to standard error.',
});

/** Creates a data set as the arguments specify. Resolves with the exit code. */
export function critiqueDataCommand(
  args: readonly string[],
  machine: CritiqueDataMachine,
): Promise<number> {
  const usageErrors = [ConfigError, CheckpointError, UnknownPresetError, OutputTakenError];
  return exitCode(machine, usageErrors, async () => {
    const parsed = collector.parse(args);
    if (parsed === null) machine.out(collector.help());
    else await collect(parsed.values, machine);
    return 0;
  });
}

async function collect(
  values: NonNullable<ReturnType<typeof collector.parse>>['values'],
  { log, open }: CritiqueDataMachine,
): Promise<void> {
  const { count, seed } = values;
  if (values.preset !== undefined && values.checkpoint !== undefined) {
    throw new UsageError('--preset and --checkpoint both name an actor; choose one');
  }
  const file = new Outputs({ force: values.force }).file('--out', values.out);
  const checkpoint =
    values.checkpoint === undefined
      ? null
      : decodeCheckpoint(readGivenFile('the checkpoint', values.checkpoint, fileLimits.checkpoint));
  const config = setConfigValues(
    checkpoint?.config ?? findPreset(values.preset ?? DEFAULT_PRESET).config,
    [['seed', String(seed)], ...values.set.map(assignment)],
  );
  const environment = await loadedEnvironment(config.env);
  if (!(criticizes(config) && isCriticizable(environment))) {
    throw new UsageError(
      `critiques need an actor trained with the recipe ${recipesWithCritic.join(' or ')}`,
    );
  }
  const machine = await open(deviceRequest(values));
  try {
    log(deviceLine(machine));
    const began = performance.now();
    const { actor, free } =
      checkpoint === null
        ? await trainedActor(config, machine, progressLog(log))
        : await keptActor(checkpoint, machine.createPolicy);
    const trained = performance.now();
    const collection = await collectCritiques(
      { ...collectionSettings(config.critique), count, distinct: true, effort: ENOUGH_EFFORT },
      environment,
      actor,
      splitSeed(seed).criticism,
    );
    file.write(critiqueLines(collection.items));
    free();
    for (const line of summary(collection, count)) log(line);
    const seconds = [trained - began, performance.now() - trained].map((ms) =>
      (ms / 1000).toFixed(0),
    );
    log(`actor: ${seconds[0]} s, critiques: ${seconds[1]} s`);
  } finally {
    machine.close();
  }
}

/** The actor of a preset after imitation, before reinforcement learning. */
async function trainedActor(config: Config, { createPolicy }: Machine, onProgress: OnProgress) {
  const run = await createRun({
    config: {
      ...config,
      recipe: 'critique',
      critique: { ...config.critique, critique_epochs: 0, first_stage: 0, second_stage: 0 },
      evaluation: { ...config.evaluation, interval: 0 },
    },
    createPolicy,
  });
  await run.iterate(onProgress);
  return { actor: run.agent, free: () => run.destroy() };
}

async function keptActor(
  checkpoint: Parameters<typeof keptAgent>[0],
  createPolicy: Machine['createPolicy'],
): Promise<{ readonly actor: Agent; readonly free: () => void }> {
  const actor = await restoreAgent(keptAgent(checkpoint), createPolicy);
  return { actor, free: () => actor.policy.destroy() };
}

/** Counts of the created and omitted critiques. */
function summary({ items, counts }: Collection, wanted: number): readonly string[] {
  const { asked, duplicates, cancelled, filtered, surplus } = counts;
  const by = (what: string, of: (item: CritiqueItem) => string | number | null) => {
    const found = new Map<string, number>();
    for (const item of items) {
      const key = String(of(item) ?? 'none');
      found.set(key, (found.get(key) ?? 0) + 1);
    }
    const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
    return `by ${what}: ${sorted.map(([key, n]) => `${key} ${n}`).join(', ')}`;
  };
  return [
    `${items.length} of ${wanted} critiques from ${asked} answers`,
    by('source', ({ source }) => source),
    by('fault', ({ fault }) => fault),
    by('level', ({ level }) => level),
    by('annotator', ({ true: holds }) => (holds ? 'correct' : 'wrong')),
    `omitted: ${plural(duplicates, 'duplicate')}, ${plural(cancelled, 'answer')} with errors that cancel out, ${surplus} more than requested`,
    `removed by the filter, by level: ${filtered.map((n, i) => `${i + 1} ${n}`).join(', ')}`,
  ];
}
