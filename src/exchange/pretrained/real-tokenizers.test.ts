import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Template } from '@huggingface/jinja';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRealTokenizers } from '../../../scripts/real-tokenizers.mjs';
import { thorough } from '../../../scripts/tier.mjs';
import '../../envs/testing/load-all.ts';
import { createEnvironment, offeredFamilies } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import type { BpeTokenizer } from '../../policy/bpe.ts';
import { folderOf } from '../testing/pretrained.ts';
import { environmentTexts, hostileTexts } from '../testing/tokenizer-texts.ts';
import { ASSENT, instructionMessage, writeReAct } from '../trajectories/trajectory-file.ts';
import { trainBytePairs } from './byte-pair-training.ts';
import { chatFrame } from './chat-template.ts';
import { chatTokenizer, type ModelTexts, readModelTexts } from './chat-tokenizer.ts';
import { newTokenizerFiles, vocabularySize } from './new-model.ts';

const found = thorough ? findRealTokenizers() : null;

/** The part of the transformers.js fork that is used here. */
interface Fork {
  readonly TokenizerLoader: {
    fromPreTrained(files: { tokenizerJSON: unknown; tokenizerConfig: unknown }): {
      encode(text: string, options: { add_special_tokens: boolean }): number[];
    };
  };
}

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** The output of `real_tokenizers.py`. */
interface Rust {
  readonly ids: readonly (readonly number[])[];
  readonly decoded: readonly string[];
  readonly rendered: readonly string[];
}

/** Number of texts of each kind: from environments, and hostile. */
const TEXTS = 2000;

/**
 * Characters of hostile texts that implementations may handle differently from Palestra.
 * - `fork`: its \s is JavaScript's, which matches U+FEFF but not U+0085. In Rust and Palestra it is the
 *   other way round.
 * - `rust`: its NFC does not reorder marks of newer Unicode versions, which JavaScript does.
 * - `lone`: Rust's strings cannot contain lone surrogates.
 */
const differences = {
  fork: /[\u0085\ufeff]/,
  rust: /[\u1abf-\u1ace]/,
  lone: /\p{Surrogate}/u,
};

const families = [
  { name: 'qwen2_5', rows: 151_936, fork: 4, rust: 7, thought: '' },
  { name: 'qwen3', rows: 151_936, fork: 4, rust: 7, thought: '<think>\n\n</think>\n\n' },
  { name: 'gemma3', rows: 262_144, fork: 0, rust: 0, thought: '' },
] as const;

/** An expert's dialogue that ends with an observation. */
function chatOf(environment: Environment, turns: number): Message[] {
  const chat: Message[] = [
    { role: 'user', content: instructionMessage(environment.instruction) },
    { role: 'assistant', content: ASSENT },
  ];
  let { state, observation } = environment.reset(environment.trainTasks[0] ?? '');
  for (let turn = 0; turn < turns; turn++) {
    const demonstration = environment.expert(state);
    chat.push(
      { role: 'user', content: observation },
      { role: 'assistant', content: writeReAct(demonstration) },
    );
    const next = environment.step(state, demonstration.action);
    ({ state, observation } = next);
    if (next.terminated) break;
  }
  return [...chat, { role: 'user', content: observation }];
}

/** The dialogue's tokens as training assembles them from its parts. */
function tokensOf(
  { template, special }: ModelTexts,
  tokenizer: BpeTokenizer,
  chat: readonly Message[],
): number[] {
  const frame = chatFrame(template, special, chat.slice(0, 2));
  const [action, between] = [tokenizer.encode(frame.action), tokenizer.encode(frame.between)];
  const turns = chat
    .slice(2)
    .map(({ content }, i) => [...tokenizer.encode(content), ...(i % 2 === 0 ? action : between)]);
  return [...tokenizer.encode(frame.opening), ...turns.flat()];
}

/** Runs the Python implementations. */
function inRust(request: {
  readonly tokenizer: string;
  readonly texts: readonly string[];
  readonly template: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly chats: readonly (readonly Message[])[];
}): Rust {
  const program = fileURLToPath(new URL('../testing/real_tokenizers.py', import.meta.url));
  const { stdout, stderr, status } = spawnSync('python3', [program], {
    ...{ input: JSON.stringify(request), encoding: 'utf8', maxBuffer: 2 ** 28 },
    env: { ...process.env, PYTHONPATH: found?.python, PYTHONUTF8: '1' },
  });
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as Rust;
}

/** Texts whose ids or decoded texts differ between Rust and the tokenizer. */
function differingFrom(rust: Rust, tokenizer: BpeTokenizer, texts: readonly string[]): string[] {
  return texts.filter((text, i) => {
    const ids = tokenizer.encode(text);
    return ids.join() !== rust.ids[i]?.join() || tokenizer.decode(ids) !== rust.decoded[i]?.trim();
  });
}

const wellFormed = (texts: readonly string[]) =>
  texts.filter((text) => !differences.lone.test(text));

describe.skipIf(found === null).each(families)(
  'the real tokenizer of $name, which npm test -- --thorough installs',
  ({ name, rows, fork: forkDiffers, rust: rustDiffers, thought }) => {
    const folder = found?.models[name] ?? '';
    const json = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const environments = offeredFamilies.map(({ id }) => createEnvironment(id));
    const chats = environments.map((environment) => chatOf(environment, 3));
    let texts: string[] = [];
    let model: ModelTexts;
    let tokenizer: BpeTokenizer;
    let variables: Readonly<Record<string, unknown>>;
    let rust: Rust;
    const rendered = (messages: readonly Message[]) =>
      new Template(model.template).render({ ...variables, messages });

    beforeAll(async () => {
      const files = ['tokenizer.json', 'tokenizer_config.json'];
      const read = (file: string) =>
        files.includes(file) ? new Blob([readFileSync(join(folder, file))]) : null;
      model = await readModelTexts(read, {}, rows);
      tokenizer = chatTokenizer(model, { instruction: '' }, 'react');
      texts = [...environmentTexts(environments, TEXTS, 1), ...hostileTexts(TEXTS, 1)];
      variables = { ...model.special, add_generation_prompt: true, enable_thinking: false };
      rust = inRust({
        tokenizer: join(folder, 'tokenizer.json'),
        texts: [...wellFormed(texts), ...chats.map(rendered)],
        template: model.template,
        ...{ variables, chats },
      });
    });
    afterAll(() => {
      texts = [];
    });

    it(`gives the same ids as a fork of transformers.js on ${2 * TEXTS} texts`, () => {
      const { TokenizerLoader } = createRequire(import.meta.url)(found?.library ?? '') as Fork;
      const reference = TokenizerLoader.fromPreTrained({
        tokenizerJSON: json('tokenizer.json'),
        tokenizerConfig: json('tokenizer_config.json'),
      });
      const differing = texts.filter((text) => {
        const ids = reference.encode(text, { add_special_tokens: false });
        return ids.join() !== tokenizer.encode(text).join();
      });
      expect(texts).toHaveLength(2 * TEXTS);
      expect(differing.filter((text) => !differences.fork.test(text))).toEqual([]);
      expect(differing).toHaveLength(forkDiffers);
    });

    it('gives the same ids and texts as Hugging Face’s Rust tokenizers', () => {
      const given = wellFormed(texts);
      const differing = differingFrom(rust, tokenizer, given);
      expect(differing.filter((text) => !differences.rust.test(text))).toEqual([]);
      expect(differing).toHaveLength(rustDiffers);
      expect(texts.length - given.length).toBe(103);
    });

    it('reads lone surrogates as replacement characters', () => {
      const lone = texts.filter((text) => differences.lone.test(text));
      for (const text of lone) {
        const replaced = text.replaceAll(new RegExp(differences.lone, 'gu'), '\ufffd');
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(replaced.trim());
      }
    });

    it('renders a dialogue of every environment as Jinja2 does, token by token', () => {
      const extra = wellFormed(texts).length;
      for (const [i, chat] of chats.entries()) {
        const { id } = environments[i] ?? {};
        const whole = rendered(chat);
        expect(rust.rendered[i], id).toBe(whole);
        expect(tokenizer.encode(whole), id).toEqual(rust.ids[extra + i]);
        const earlier = rendered(chat.slice(0, -2));
        // Qwen3 leaves the empty thought out of earlier answers; training keeps it in all but the first.
        expect(whole.startsWith(earlier), id).toBe(thought === '');
        const start = rendered(chat.slice(0, 3));
        const [head = '', ...turns] = whole.split('<|im_start|>assistant\n');
        const kept =
          thought === ''
            ? whole
            : [
                head,
                ...turns.map((turn, t) => (t === 0 ? turn : thought + turn.replace(thought, ''))),
              ].join('<|im_start|>assistant\n');
        expect(kept.startsWith(start), id).toBe(true);
        expect(tokensOf(model, tokenizer, chat), id).toEqual(tokenizer.encode(kept));
      }
    });
  },
);

describe.skipIf(found === null)(
  'a tokenizer with the rules of SmolLM2, which npm test -- --thorough checks',
  () => {
    it('gives the same ids and texts as Hugging Face’s Rust tokenizers', async () => {
      const environments = offeredFamilies.map(({ id }) => createEnvironment(id));
      const texts = [...environmentTexts(environments, TEXTS, 1), ...hostileTexts(TEXTS, 1)];
      const merges = trainBytePairs(texts, 800);
      const files = newTokenizerFiles(merges);
      const model = await readModelTexts(folderOf(files), {}, vocabularySize(merges));
      const tokenizer = chatTokenizer(model, { instruction: '' }, 'react');
      const folder = mkdtempSync(join(tmpdir(), 'palestra-'));
      try {
        const path = join(folder, 'tokenizer.json');
        writeFileSync(path, files.get('tokenizer.json') ?? '');
        const given = wellFormed(texts);
        const rust = inRust({
          tokenizer: path,
          texts: given,
          template: '',
          variables: {},
          chats: [],
        });
        expect(differingFrom(rust, tokenizer, given)).toEqual([]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  },
);
