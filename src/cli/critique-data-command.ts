import type { Agent } from '../agents/agent.ts';
import { isCriticisable } from '../agents/modes/prompts.ts';
import { ConfigError } from '../config/error.ts';
import { findPreset, UnknownPresetError } from '../config/presets.ts';
import { criticises } from '../config/recipes.ts';
import type { Config } from '../config/schema.ts';
import { setConfigValues } from '../config/text.ts';
import { loadedEnvironment } from '../envs/registry.ts';
import { fileLimits } from '../files/limits.ts';
import { CheckpointError, decodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { type CritiqueItem, critiqueLines } from '../runs/critique-item.ts';
import { type Collection, collectCritiques } from '../training/critique-data/collect.ts';
import { collectionSettings, ENOUGH_EFFORT } from '../training/critique-data/settings.ts';
import { splitSeed } from '../training/random.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { Trainer } from '../training/trainer.ts';
import { deviceFlags, deviceHelp, readDeviceWish } from './device-options.ts';
import { Outputs, OutputTakenError, readGivenFile } from './files.ts';
import type { Machine, OpenMachine } from './machine.node.ts';
import type { Streams } from './streams.ts';
import { calledBy, EXIT_FAILED, EXIT_USAGE, parseFlags, readWhole, UsageError } from './usage.ts';

export interface CritiqueDataMachine extends Streams {
  readonly open: OpenMachine;
}

const flags = {
  ...deviceFlags,
  count: { type: 'string' },
  seed: { type: 'string' },
  out: { type: 'string' },
  preset: { type: 'string' },
  checkpoint: { type: 'string' },
  set: { type: 'string', multiple: true },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const DEFAULT_PRESET = 'critique-rl';

const help = `Makes a data set of critiques: flawed and right answers of an actor, and what the annotator says of them.

  ${calledBy('critique-data')} --count N --out FILE.jsonl [--seed S]
                                    [--preset NAME | --checkpoint FILE] [--set KEY=VALUE]…
                                    [--device NAME] [--threads N] [--force]

  --count N          how many critiques
  --out FILE         one JSON object a line; docs/COMMAND-LINE.md says what is in it
  --seed S           of all draws; 1 if not given. The same seed makes the same file
  --preset NAME      its actor is taught on the spot; ${DEFAULT_PRESET} if not given
  --checkpoint FILE  the actor of a run of critique or self_improvement
  --set KEY=VALUE    changes a field, for instance critique.sources=all, critique.annotator_error=0.1,
                     critique.filter_refinements=8 and critique.filter_right=4, critique.right_answers=0
${deviceHelp(19)}
  --force            replace the file if it is there already
  --help             print this and end

What was counted goes to standard error.
`;

/** Makes a data set as the arguments say. Resolves with the exit code. */
export async function critiqueDataCommand(
  args: readonly string[],
  machine: CritiqueDataMachine,
): Promise<number> {
  try {
    await make(args, machine);
    return 0;
  } catch (error) {
    const usage = [UsageError, ConfigError, CheckpointError, UnknownPresetError, OutputTakenError];
    if (usage.some((kind) => error instanceof kind)) {
      machine.log(error instanceof Error ? error.message : String(error));
      return EXIT_USAGE;
    }
    machine.log(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    return EXIT_FAILED;
  }
}

async function make(args: readonly string[], { out, log, open }: CritiqueDataMachine) {
  const values = parseFlags(args, flags);
  if (values.help === true) {
    out(help.trimEnd());
    return;
  }
  const count = readWhole('--count', values.count, 1, 100_000);
  if (count === undefined) throw new UsageError('--count N says how many critiques are wanted');
  if (values.out === undefined) throw new UsageError('--out FILE names the file to write');
  if (values.preset !== undefined && values.checkpoint !== undefined) {
    throw new UsageError('--preset and --checkpoint both name an actor; choose one');
  }
  const seed = readWhole('--seed', values.seed, 0, 0xffffffff) ?? 1;
  const file = new Outputs({ force: values.force === true }).file('--out', values.out);
  const checkpoint =
    values.checkpoint === undefined
      ? null
      : decodeCheckpoint(readGivenFile('the checkpoint', values.checkpoint, fileLimits.checkpoint));
  const config = setConfigValues(
    checkpoint?.config ?? findPreset(values.preset ?? DEFAULT_PRESET).config,
    [['seed', String(seed)], ...(values.set ?? []).map(assignment)],
  );
  const environment = await loadedEnvironment(config.env);
  if (!(criticises(config) && isCriticisable(environment))) {
    throw new UsageError(
      'critiques are made of the answers of an actor of the recipes critique and self_improvement',
    );
  }
  const machine = await open(readDeviceWish(values));
  try {
    log(`computes on ${machine.adapter}`);
    const began = performance.now();
    const { actor, free } =
      checkpoint === null
        ? await taughtActor(config, machine)
        : await keptActor(checkpoint, machine.createPolicy);
    const taught = performance.now();
    const collection = await collectCritiques(
      { ...collectionSettings(config.critique), count, distinct: true, effort: ENOUGH_EFFORT },
      environment,
      actor,
      splitSeed(seed).criticism,
    );
    file.write(critiqueLines(collection.items));
    free();
    for (const line of summary(collection, count)) log(line);
    const seconds = [taught - began, performance.now() - taught].map((ms) =>
      (ms / 1000).toFixed(0),
    );
    log(`the actor took ${seconds[0]} s, the critiques ${seconds[1]} s`);
  } finally {
    machine.close();
  }
}

function assignment(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`--set takes KEY=VALUE, got ${JSON.stringify(text)}`);
  return [text.slice(0, equals).trim(), text.slice(equals + 1).trim()];
}

/** The actor of a preset, with what it is taught before any reward. */
async function taughtActor(config: Config, { createPolicy }: Machine) {
  const run = await Trainer.create({
    config: {
      ...config,
      recipe: 'critique',
      critique: { ...config.critique, critique_epochs: 0, first_stage: 0, second_stage: 0 },
      evaluation: { ...config.evaluation, interval: 0 },
    },
    createPolicy,
  });
  await run.iterate();
  return { actor: run.agent, free: () => run.destroy() };
}

async function keptActor(
  checkpoint: Parameters<typeof keptAgent>[0],
  createPolicy: Machine['createPolicy'],
): Promise<{ readonly actor: Agent; readonly free: () => void }> {
  const actor = await restoreAgent(keptAgent(checkpoint), createPolicy);
  return { actor, free: () => actor.policy.destroy() };
}

/** What was made, and what was not kept. */
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
    `${items.length} of ${wanted} critiques, of ${asked} answers`,
    by('source', ({ source }) => source),
    by('fault', ({ fault }) => fault),
    by('level', ({ level }) => level),
    by('annotator', ({ true: holds }) => (holds ? 'true' : 'erring')),
    `left out: duplicates ${duplicates}, errors that cancel out ${cancelled}, more of a kind than wanted ${surplus}`,
    `dropped by the filter, by level: ${filtered.map((n, i) => `${i + 1} ${n}`).join(', ')}`,
  ];
}
