/** Trains a small language model from scratch and writes it to a folder that `train --model` opens. */
import { contextTokens } from '../agents/dialogue.ts';
import { writeTurn } from '../agents/format.ts';
import { parseConfig } from '../config/check.ts';
import { begin, expertOf, play } from '../envs/episode.ts';
import { createEnvironment } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import type { AgentFiles } from '../exchange/agent-files.ts';
import { trainBytePairs } from '../exchange/pretrained/byte-pair-training.ts';
import { chatTokenizer, readModelTexts } from '../exchange/pretrained/chat-tokenizer.ts';
import {
  FIXED_TOKENS,
  newModelNames,
  newTokenizerFiles,
  newWeightFiles,
  vocabularySize,
} from '../exchange/pretrained/new-model.ts';
import { ASSENT, instructionMessage } from '../exchange/trajectories/trajectory-file.ts';
import type { BpeTokenizer } from '../policy/bpe.ts';
import { parameterLayout } from '../policy/layout.ts';
import type { PolicyShape } from '../policy/types.ts';
import type { TrainingEpisode } from '../training/learn/batch.ts';
import { maximiseLikelihood } from '../training/learn/likelihood.ts';
import { Updater } from '../training/learn/updates.ts';
import { type RandomStream, splitSeed } from '../training/random.ts';
import { deviceFlags, deviceRequest } from './device-options.ts';
import { Outputs } from './files.ts';
import { Command, forceFlag, optional, required, whole, withDefault } from './flags.ts';
import { deviceLine, type OpenMachine } from './machine.node.ts';
import { progressLog } from './progress.ts';
import type { Streams } from './streams.ts';
import { exitCode } from './usage.ts';

export interface PretrainMachine extends Streams {
  readonly open: OpenMachine;
}

/**
 * Environments of the training text, with their shares of the dialogues. Only training tasks are used. Wordle
 * has a larger share, because its dialogues are short and a model that misspells every word earns no reward.
 */
const sources = [
  { id: 'wordle/wordle-v1', options: {}, share: 3 },
  { id: 'textcraft/textcraft-v1', options: { book: 'wood', distractors: 1 }, share: 1 },
  { id: 'maze/generated-v2', options: {}, share: 1 },
  { id: 'babyai/goto-local-v1', options: {}, share: 1 },
  { id: 'reasoning/chain-v1', options: {}, share: 1 },
] as const;

/** Maximum number of tokens of a dialogue; later turns are left out. */
const CONTEXT = 768;
const BATCH_DIALOGUES = 8;
/**
 * One in this many dialogues starts with the instruction, which is the same in all dialogues of an
 * environment and longer than most dialogues.
 */
const INSTRUCTED = 3;
const HEAD_WIDTH = 16;

const pretrainer = new Command({
  name: 'pretrain-model',
  about:
    'Trains a small Llama model with a byte-pair tokenizer on dialogues of the environments’ experts.',
  flags: {
    out: required('DIR', 'folder of the model, which train --model opens'),
    seed: withDefault(
      1,
      optional('N', 'random seed; the same seed gives the same files', whole(0, 0xffffffff)),
    ),
    dialogues: withDefault(
      1600,
      optional('N', 'number of dialogues over all environments', whole(8, 100_000)),
    ),
    epochs: withDefault(4, optional('N', 'passes over the dialogues', whole(1, 1000))),
    vocabulary: withDefault(
      1024,
      optional('N', 'maximum vocabulary size in tokens', whole(FIXED_TOKENS + 1, 16_384)),
    ),
    layers: withDefault(5, optional('N', 'layers', whole(1, 48))),
    heads: withDefault(
      8,
      optional('N', `attention heads, each with ${HEAD_WIDTH} dimensions`, whole(2, 64)),
    ),
    ...deviceFlags,
    force: forceFlag,
  },
  notes: () =>
    `Files: ${newModelNames.join(', ')}. The dialogues are from training tasks of ${sources.map(({ id }) => id).join(', ')}.`,
});

/** Trains as the arguments specify. Resolves with the exit code. */
export function pretrainModelCommand(
  args: readonly string[],
  machine: PretrainMachine,
): Promise<number> {
  return exitCode(machine, [], async () => {
    const parsed = pretrainer.parse(args);
    if (parsed === null) machine.out(pretrainer.help());
    else await pretrain(parsed.values, machine);
    return 0;
  });
}

type Values = NonNullable<ReturnType<typeof pretrainer.parse>>['values'];

async function pretrain(values: Values, { out, log, open }: PretrainMachine): Promise<void> {
  const { seed, layers, heads, epochs } = values;
  const request = deviceRequest(values);
  const folder = new Outputs(values).folder('--out', values.out, (name) =>
    newModelNames.includes(name),
  );
  const streams = splitSeed(seed);
  const dialogues = expertDialogues(values.dialogues, streams.tasks);
  const merges = trainBytePairs(textsOf(dialogues), values.vocabulary - FIXED_TOKENS);
  const vocabulary = vocabularySize(merges);
  const tokenizerFiles = newTokenizerFiles(merges);
  const episodes = await trainingTexts(dialogues, tokenizerFiles, vocabulary);
  const tokens = episodes.reduce((sum, { targets }) => sum + targets.length, 0);

  const width = HEAD_WIDTH * heads;
  const shape: PolicyShape = {
    ...{
      vocabulary,
      layers,
      width,
      heads,
      kvHeads: heads % 2 === 0 ? heads / 2 : heads,
      ffnWidth: 3 * width,
    },
    ...{ tiedEmbeddings: true, valueHead: false },
  };
  const { parameterCount } = parameterLayout(shape);
  const machine = await open(request);
  try {
    log(deviceLine(machine));
    log(
      `${parameterCount} parameters, vocabulary of ${vocabulary} tokens; ${episodes.length} dialogues of ${tokens} tokens, ${epochs} epochs`,
    );
    const config = parseConfig({
      imitation: { batch_episodes: BATCH_DIALOGUES, learning_rate: 0.003, final_share: 0.05 },
    });
    const policy = await machine.createPolicy(
      shape,
      {
        ...{ tokens: 4 * CONTEXT, rows: 4 * CONTEXT, lossRows: 4 * CONTEXT },
        ...{ updateRows: BATCH_DIALOGUES * CONTEXT, episodes: 1, context: CONTEXT },
      },
      streams.init.seed(),
    );
    const progress = progressLog(log);
    const { loss } = await maximiseLikelihood({
      ...{ config, episodes, epochs, agent: { policy } },
      updater: new Updater(policy, config.optimizer),
      stream: streams.shuffle,
      where: 'pretraining',
      onProgress: (fraction) => progress('learn', fraction),
    });
    const weightFiles = newWeightFiles(shape, await policy.readWeights(), 2048);
    for (const [name, bytes] of [...tokenizerFiles, ...weightFiles]) folder.write(name, bytes);
    policy.destroy();
    out(
      `wrote a model of ${parameterCount} parameters to ${values.out}; ${loss.toFixed(3)} nats per token in the last epoch`,
    );
  } finally {
    machine.close();
  }
}

/** A dialogue of an expert, as texts. */
interface ExpertDialogue {
  readonly environment: Environment;
  readonly turns: readonly { readonly observation: string; readonly written: string }[];
}

function expertDialogues(count: number, stream: RandomStream): ExpertDialogue[] {
  const shares = sources.reduce((sum, { share }) => sum + share, 0);
  return sources.flatMap(({ id, options, share }) => {
    const environment = createEnvironment(id, options);
    const tasks = stream.shuffled(environment.shownTasks ?? environment.trainTasks);
    return tasks.slice(0, Math.ceil((count * share) / shares)).map((task) => ({
      environment,
      turns: [...play(environment, begin(environment, task), expertOf(environment))].map(
        ({ before: { observation }, choice }) => ({
          observation,
          written: writeTurn(choice, 'react'),
        }),
      ),
    }));
  });
}

function* textsOf(dialogues: readonly ExpertDialogue[]): Generator<string> {
  yield 'user\nassistant\n';
  yield ASSENT;
  for (const { environment, turns } of dialogues) {
    yield instructionMessage(environment.instruction);
    for (const { observation, written } of turns) {
      yield observation;
      yield written;
    }
  }
}

/** The dialogues in the chat template; every token after the first is predicted. */
async function trainingTexts(
  dialogues: readonly ExpertDialogue[],
  files: AgentFiles,
  vocabulary: number,
): Promise<TrainingEpisode[]> {
  const folder = (name: string) => {
    const bytes = files.get(name);
    return bytes === undefined ? null : new Blob([new Uint8Array(bytes)]);
  };
  const texts = await readModelTexts(folder, {}, vocabulary);
  const tokenizers = new Map<Environment, BpeTokenizer>();
  const plain = chatTokenizer(texts, { instruction: '' }, 'bare');
  return dialogues.map(({ environment, turns }, i) => {
    const instructed = tokenizers.get(environment) ?? chatTokenizer(texts, environment, 'react');
    tokenizers.set(environment, instructed);
    const tokenizer = i % INSTRUCTED === 0 ? instructed : plain;
    const encoded = turns.map(({ observation, written }) => ({
      observationTokens: tokenizer.encode(observation),
      actionTokens: [...tokenizer.encode(written), tokenizer.end],
    }));
    const tokens = contextTokens(encoded, 0, tokenizer, false).slice(0, CONTEXT);
    const targets = tokens.slice(1);
    return {
      sequences: [{ tokens: tokens.slice(0, -1), rows: targets.map((_, i) => i), first: 0 }],
      targets,
      behaviorLogps: targets.map(() => 0),
      versions: targets.map(() => 0),
      turns: targets.map(() => 0),
      advantages: targets.map(() => 1),
    };
  });
}
