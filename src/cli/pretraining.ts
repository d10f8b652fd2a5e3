/** Trains a small language model from scratch on dialogues of the environments’ experts. */
import { contextTokens } from '../agents/dialogue.ts';
import { writeTurn } from '../agents/format.ts';
import type { PretrainedModel } from '../agents/pretrained.ts';
import { parseConfig } from '../config/check.ts';
import type { Config } from '../config/schema.ts';
import { begin, expertOf, play, type Standing } from '../envs/episode.ts';
import { createEnvironment, loadedEnvironment } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import type { AgentFiles } from '../exchange/agent-files.ts';
import { settingsForModel } from '../exchange/begin.ts';
import { fromLlama } from '../exchange/llama-tensors.ts';
import { trainBytePairs } from '../exchange/pretrained/byte-pair-training.ts';
import { chatTokenizer, readModelTexts } from '../exchange/pretrained/chat-tokenizer.ts';
import { adapterOf } from '../exchange/pretrained/defaults.ts';
import { WEIGHTS } from '../exchange/pretrained/model-files.ts';
import {
  FIXED_TOKENS,
  newTokenizerFiles,
  newWeightFiles,
  vocabularySize,
} from '../exchange/pretrained/new-model.ts';
import { adaptedModel, type OpenedModel, openModel } from '../exchange/pretrained/open-model.ts';
import { ASSENT, instructionMessage } from '../exchange/trajectories/trajectory-file.ts';
import type { Pretraining } from '../experiments/catalogue.ts';
import type { BpeTokenizer } from '../policy/bpe.ts';
import { parameterLayout } from '../policy/layout.ts';
import type { Adapter, CreatePolicy, PolicyShape } from '../policy/types.ts';
import { decodeSafeTensors } from '../runs/safetensors.ts';
import type { TrainingEpisode } from '../training/learn/batch.ts';
import { maximiseLikelihood } from '../training/learn/likelihood.ts';
import { Updater } from '../training/learn/updates.ts';
import { type RandomStream, splitSeed } from '../training/random.ts';

/** Environments of the training text, with their shares of the dialogues. Only training tasks are used. */
export const pretrainingSources = [
  { id: 'wordle/wordle-v1', options: {}, share: 8 },
  {
    id: 'textcraft/textcraft-v1',
    options: { book: 'wood', depth: 2, distractors: 1, names: 'plain', lexemes: 'words' },
    share: 8,
  },
  { id: 'maze/generated-v2', options: {}, share: 1 },
  { id: 'babyai/goto-local-v1', options: {}, share: 1 },
  { id: 'reasoning/chain-v1', options: {}, share: 2 },
] as const;

/** Dimensions of an attention head. */
export const HEAD_WIDTH = 16;
/** Maximum number of tokens of a dialogue; later turns are left out. */
const CONTEXT = 768;
const BATCH_DIALOGUES = 8;
/**
 * One in this many dialogues starts with the instruction, which is the same in all dialogues of an
 * environment and longer than most dialogues.
 */
const INSTRUCTED = 3;
/**
 * In each dialogue, up to this many turns in four are random actions. Without them, the model sees no text that
 * follows a mistake, and writes nonsense after its first.
 */
export const MOST_SLIPS = 2;
const SLIP_THOUGHT = 'I try something.';

interface PretrainingHost {
  readonly createPolicy: CreatePolicy;
  readonly log: (line: string) => void;
  readonly onProgress: (fraction: number) => void;
}

/**
 * Trains a byte-pair tokenizer, then a Llama network. The same plan gives the same files on the same
 * device.
 *
 * @returns the files of the model, and its loss in nats per token in the last epoch
 */
export async function pretrainModel(
  { seed, dialogues: count, epochs, vocabulary: most, layers, heads }: Pretraining,
  { createPolicy, log, onProgress }: PretrainingHost,
): Promise<{ files: AgentFiles; parameterCount: number; loss: number }> {
  const streams = splitSeed(seed);
  const dialogues = expertDialogues(count, streams.tasks);
  const merges = trainBytePairs(textsOf(dialogues), most - FIXED_TOKENS);
  const vocabulary = vocabularySize(merges);
  const tokenizerFiles = newTokenizerFiles(merges);
  const episodes = await trainingTexts(dialogues, tokenizerFiles, vocabulary);
  const tokens = episodes.reduce((sum, { targets }) => sum + targets.length, 0);

  const width = HEAD_WIDTH * heads;
  const shape: PolicyShape = {
    ...{ vocabulary, layers, width, heads },
    ...{ kvHeads: heads % 2 === 0 ? heads / 2 : heads, ffnWidth: 3 * width },
    ...{ tiedEmbeddings: true, valueHead: false },
  };
  const { parameterCount } = parameterLayout(shape);
  log(
    `${parameterCount} parameters, vocabulary of ${vocabulary} tokens; ${episodes.length} dialogues of ${tokens} tokens, ${epochs} epochs`,
  );
  const config = parseConfig({
    imitation: { batch_episodes: BATCH_DIALOGUES, learning_rate: 0.003, final_share: 0.05 },
  });
  const policy = await createPolicy(
    shape,
    {
      ...{ tokens: 4 * CONTEXT, rows: 4 * CONTEXT, lossRows: 4 * CONTEXT },
      ...{ updateRows: BATCH_DIALOGUES * CONTEXT, episodes: 1, context: CONTEXT },
    },
    streams.init.seed(),
  );
  const { loss } = await maximiseLikelihood({
    ...{ config, episodes, epochs, agent: { policy } },
    updater: new Updater(policy, config.optimizer),
    stream: streams.shuffle,
    where: 'pretraining',
    onProgress,
  });
  const weightFiles = newWeightFiles(shape, await policy.readWeights(), 2048);
  policy.destroy();
  return { files: new Map([...tokenizerFiles, ...weightFiles]), parameterCount, loss };
}

/**
 * The start of a run that trains such a model: the config with lengths that fit its texts, and the model.
 *
 * @param files of the model
 * @param rank of the adapter, whose alpha is twice the rank; `all` trains all weights instead
 */
export async function pretrainedStart(
  files: AgentFiles,
  rank: number | 'all',
  config: Config,
): Promise<{ config: Config; model: PretrainedModel }> {
  const opened = await openModel((name) => {
    const bytes = files.get(name);
    return bytes === undefined ? null : new Blob([new Uint8Array(bytes)]);
  });
  const model = rank === 'all' ? wholeModel(opened, files) : adapted(opened, { rank });
  const environment = await loadedEnvironment(config.env);
  return { config: settingsForModel(model, config, environment), model };
}

const adapted = (opened: OpenedModel, form: Partial<Adapter>) =>
  adaptedModel(opened, 'pretrained', adapterOf({ base: 'f32', ...form }));

/** The model with its own weights trained. There is no adapter, so the run cannot be saved as one. */
function wholeModel(opened: OpenedModel, files: AgentFiles): PretrainedModel {
  const { architecture: _own, ...shape } = opened.shape;
  const { tensors } = decodeSafeTensors(files.get(WEIGHTS) ?? new Uint8Array());
  const initial = fromLlama(shape, tensors);
  return { ...adapted(opened, {}), initial, shape: shape as PretrainedModel['shape'] };
}

/** A dialogue of an expert, as texts. */
interface ExpertDialogue {
  readonly environment: Environment;
  readonly turns: readonly { readonly observation: string; readonly written: string }[];
}

function expertDialogues(count: number, stream: RandomStream): ExpertDialogue[] {
  const shares = pretrainingSources.reduce((sum, { share }) => sum + share, 0);
  return pretrainingSources.flatMap(({ id, options, share }) => {
    const environment = createEnvironment(id, options);
    const tasks = stream.shuffled(environment.shownTasks ?? environment.trainTasks);
    const expert = expertOf(environment);
    const slipping = (slips: number) => (at: Standing) => {
      const actions = environment.admissibleActions(at.state);
      const action = stream.below(4) < slips ? actions[stream.below(actions.length)] : undefined;
      return action === undefined ? expert(at) : { thought: SLIP_THOUGHT, action };
    };
    return tasks.slice(0, Math.ceil((count * share) / shares)).map((task) => {
      const choose = slipping(stream.below(MOST_SLIPS + 1));
      const turns = [...play(environment, begin(environment, task), choose)].map(
        ({ before: { observation }, choice }) => ({
          observation,
          written: writeTurn(choice, 'react'),
        }),
      );
      return { environment, turns };
    });
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
