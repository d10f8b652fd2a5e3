/** Tokenizer of a pretrained model with its chat template. Its vocabulary is left unchanged. */
import { z } from 'zod';
import type { FormatName } from '../../agents/format.ts';
import type { Environment } from '../../envs/types.ts';
import { jsonLimits, pretrainedLimits } from '../../files/limits.ts';
import { BpeTokenizer } from '../../policy/bpe.ts';
import type { BpeRules } from '../../policy/bpe-rules.ts';
import type { DialogueFrame } from '../../policy/tokenizer.ts';
import { TokenizerError } from '../../policy/tokenizer-error.ts';
import { MOST_END_TOKENS } from '../../policy/types.ts';
import { AgentFileError, agentJson } from '../errors.ts';
import { readChatTokenizer } from '../tokenizer-json.ts';
import { ASSENT, instructionMessage } from '../trajectories/trajectory-file.ts';
import { chatFrame } from './chat-template.ts';
import { type ModelFolder, neededFile, smallFile } from './model-files.ts';

const tokenName = z
  .union([z.string(), z.object({ content: z.string() }).transform(({ content }) => content)])
  .nullish()
  .catch(null);
const templateText = z.string().max(pretrainedLimits.template);
const configFields = z.looseObject({
  bos_token: tokenName,
  eos_token: tokenName,
  pad_token: tokenName,
  unk_token: tokenName,
  // Some models have several named templates.
  chat_template: z
    .union([
      templateText,
      z
        .array(z.object({ name: z.string(), template: templateText }))
        .max(16)
        .transform((all) => all.find(({ name }) => name === 'default')?.template ?? null),
    ])
    .nullish(),
});

const endFields = z.looseObject({
  eos_token_id: z.union([z.int().min(0), z.array(z.int().min(0)).max(64)]).nullish(),
});

/** Tokenizer, chat template and special tokens of a model. */
export interface ModelTexts {
  readonly vocabulary: readonly string[];
  readonly rules: BpeRules;
  /** Jinja source. */
  readonly template: string;
  /** Special tokens by their template variables, such as `bos_token`. */
  readonly special: Readonly<Record<string, string>>;
  /** Ids of the end tokens in `generation_config.json` and `config.json`. */
  readonly ends: readonly number[];
  /** `tokenizer.json` and the template; part of the model's digest. */
  readonly files: readonly Uint8Array[];
}

/**
 * @param config fields of `config.json`
 * @param rows number of rows of the embedding
 * @throws {AgentFileError} naming the file and the field
 */
export async function readModelTexts(
  folder: ModelFolder,
  config: unknown,
  rows: number,
): Promise<ModelTexts> {
  const limit = jsonLimits.tokenizer.bytes;
  const tokenizer = await neededFile(folder, 'tokenizer.json', limit);
  const named = await neededFile(folder, 'tokenizer_config.json', limit);
  const parsed = configFields.safeParse(
    agentJson('tokenizer_config.json', named, jsonLimits.tokenizer),
  );
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path[0] ?? 'the top level';
    throw new AgentFileError(`in tokenizer_config.json, ${String(field)} has an unsupported value`);
  }
  const { chat_template: written, ...names } = parsed.data;
  const file = await smallFile(folder, 'chat_template.jinja', pretrainedLimits.template);
  const template = file === null ? (written ?? null) : new TextDecoder().decode(file);
  if (template === null) {
    throw new AgentFileError(
      'it has no chat template (chat_template in tokenizer_config.json, or chat_template.jinja); use the instruction-tuned version of the model',
    );
  }
  const generation = await smallFile(folder, 'generation_config.json', jsonLimits.config.bytes);
  const generationEnds =
    generation === null
      ? []
      : endsIn(agentJson('generation_config.json', generation, jsonLimits.config));
  const ends = [...new Set([...generationEnds, ...endsIn(config)])];
  const special = Object.fromEntries(
    (['bos_token', 'eos_token', 'pad_token', 'unk_token'] as const).flatMap((name) => {
      const token = names[name];
      return typeof token === 'string' ? [[name, token]] : [];
    }),
  );
  return {
    ...readChatTokenizer(tokenizer, rows, {
      end: special.eos_token,
      pad: special.pad_token,
      unk: special.unk_token,
    }),
    ...{ template, special, ends },
    files: [tokenizer, new TextEncoder().encode(template)],
  };
}

function endsIn(config: unknown): readonly number[] {
  const parsed = endFields.safeParse(config);
  if (!parsed.success) return [];
  return [parsed.data.eos_token_id ?? []].flat();
}

/**
 * The tokenizer for an environment's dialogues in AgentGym's form: the instruction and the model's
 * confirmation, then observations and actions (arXiv:2406.04151).
 *
 * @throws {AgentFileError} for a chat template that cannot be used
 */
export function chatTokenizer(
  { vocabulary, rules, template, special, ends }: ModelTexts,
  { instruction }: Pick<Environment, 'instruction'>,
  format: FormatName,
): BpeTokenizer {
  const first = format === 'react' ? instructionMessage(instruction) : instruction;
  const frame = chatFrame(
    template,
    special,
    first === ''
      ? []
      : [
          { role: 'user', content: first },
          { role: 'assistant', content: ASSENT },
        ],
  );
  const known = new Map(vocabulary.map((token, id) => [token, id]));
  const listed = new Set(rules.added_tokens.map(({ content }) => content));
  return new BpeTokenizer(vocabulary, rules, (spell): DialogueFrame => {
    const encode = (text: string) => {
      try {
        return spell(text);
      } catch (error) {
        if (!(error instanceof TokenizerError)) throw error;
        throw new AgentFileError(
          `the text of its chat template cannot be tokenized: ${error.message}`,
        );
      }
    };
    const [end, ...observation] = encode(frame.between);
    const name = end === undefined ? '' : (vocabulary[end] ?? '');
    if (end === undefined || known.get(name) !== end || !listed.has(name)) {
      throw new AgentFileError(
        `its chat template must end an answer with a special token, got ${JSON.stringify(frame.between.slice(0, 40))}`,
      );
    }
    return {
      opening: encode(frame.opening),
      afterTask: encode('\n\n'),
      observation,
      action: encode(frame.action),
      ends: [end, ...ends.filter((id) => id !== end && id < vocabulary.length)].slice(
        0,
        MOST_END_TOKENS,
      ),
      closing: [end],
    };
  });
}
