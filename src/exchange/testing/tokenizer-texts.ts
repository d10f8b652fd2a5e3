/** Texts that two tokenizers are compared on. The same seed gives the same texts. */
import type { Environment } from '../../envs/types.ts';
import { TestRandom } from '../../kernels/reference/random.ts';
import { instructionMessage, writeReAct } from '../trajectories/trajectory-file.ts';

/**
 * Instructions, observations and actions of the expert and of a random agent, from each environment in turn.
 *
 * @param environments created from the registry
 */
export function environmentTexts(
  environments: readonly Environment[],
  count: number,
  seed: number,
): string[] {
  const sources = environments.map((environment, i) => dialogues(environment, seed + i));
  const texts = new Set<string>();
  while (texts.size < count) {
    for (const source of sources) {
      const { value } = source.next();
      if (value !== undefined && texts.size < count) texts.add(value);
    }
  }
  return [...texts];
}

function* dialogues(environment: Environment, seed: number): Generator<string, never> {
  const random = new TestRandom(seed);
  yield instructionMessage(environment.instruction);
  for (;;) {
    const task = pick(random, environment.trainTasks);
    let { state, observation } = environment.reset(task);
    yield observation;
    for (let turn = 0; turn < environment.turnLimit; turn++) {
      const { thought, action } = environment.expert(state);
      const admissible = environment.admissibleActions(state);
      const taken = random.unit() < 0.5 ? action : pick(random, [action, ...admissible]);
      yield random.unit() < 0.5 ? taken : writeReAct({ thought, action });
      const next = environment.step(state, taken);
      ({ state, observation } = next);
      yield observation;
      if (next.terminated) break;
    }
  }
}

function pick<T>(random: TestRandom, all: readonly T[]): T {
  const found = all[random.whole(all.length)];
  if (found === undefined) throw new RangeError('nothing to pick from');
  return found;
}

/** Generates a part of a hostile text. */
type Part = (random: TestRandom) => string;

const oneOf =
  (...texts: readonly string[]): Part =>
  (random) =>
    pick(random, texts);
const between =
  (first: number, last: number): Part =>
  (random) =>
    String.fromCodePoint(first + random.whole(last - first + 1));
const anyOf =
  (...parts: readonly Part[]): Part =>
  (random) =>
    pick(random, parts)(random);
const repeated =
  (part: Part, most: number): Part =>
  (random) =>
    part(random).repeat(1 + random.whole(most));

const word = oneOf(
  ...['the', 'Guess', ' word', ' crane', "don't", "WE'LL", "it's", 'x', ' craft', 'go', ' Action:'],
);
const latin = between(0x20, 0x7e);
const space = oneOf(
  ...[' ', '  ', '\t', '\n', '\r', '\r\n', '\v', '\f', '\u00a0', '\u0085', '\u2003', '\u2028'],
  ...['\u3000', '\ufeff', '\u200b', '\u1680', '\u180e'],
);
const mark = anyOf(
  between(0x300, 0x36f),
  between(0x591, 0x5bd),
  between(0x64b, 0x652),
  between(0x93c, 0x94d),
  between(0x1ab0, 0x1ace),
  between(0x20d0, 0x20f0),
  between(0x302a, 0x302f),
);
const digit = anyOf(
  between(0x30, 0x39),
  between(0x660, 0x669),
  between(0x966, 0x96f),
  between(0xff10, 0xff19),
  oneOf('½', '²', '①', 'Ⅻ', '𝟘', '𝟡', '٪', '一', '.', ',', '-', ' '),
);
const script = anyOf(
  between(0x41, 0x24f),
  between(0x370, 0x3ff),
  between(0x400, 0x4ff),
  between(0x5d0, 0x5ea),
  between(0x620, 0x64a),
  between(0x905, 0x939),
  between(0xe01, 0xe3a),
  between(0x1100, 0x11ff),
  between(0x3041, 0x30fe),
  between(0x4e00, 0x9fff),
  between(0xac00, 0xd7a3),
  between(0xf900, 0xfad9),
  between(0x10330, 0x1034a),
  between(0x20000, 0x2a6df),
);
const special = oneOf(
  ...['<|im_start|>', '<|im_end|>', '<|endoftext|>', '<think>', '</think>', '<tool_call>'],
  ...['<bos>', '<eos>', '<pad>', '<unk>', '<mask>', '<start_of_turn>', '<end_of_turn>'],
  ...['<unused7>', '<|im_end', '|im_end|>', '<|IM_END|>', '<0x0A>', '<0xFF>', '</s>', '[INST]'],
);
const person = oneOf('👨', '👩', '👧', '🧑', '👁', '🏳', '🏴', '❤', '✊');
const emojiJoin = oneOf('\u200d', '\ufe0f', '\ufe0f\u200d', '\ufe0e', '🏽', '🏿', '', '\u20e3');

/** Kinds of hostile text by name: parts, and the largest number of them in a text. */
const kinds: readonly (readonly [name: string, part: Part, most: number])[] = [
  ['code points of any plane', anyOf(between(0, 0xd7ff), between(0xe000, 0x10ffff)), 40],
  ['private and unassigned', anyOf(between(0xe000, 0xf8ff), between(0xe0000, 0xe01ef)), 12],
  ['lone surrogates', anyOf(between(0xd800, 0xdfff), latin, oneOf('😀')), 12],
  ['combining marks', anyOf(script, repeated(mark, 4), latin, space), 24],
  [
    'joined emoji',
    anyOf(person, emojiJoin, between(0x1f1e6, 0x1f1ff), between(0x1f300, 0x1faff)),
    20,
  ],
  ['runs of spaces', anyOf(repeated(space, 40), word, latin), 12],
  ['runs of newlines', anyOf(repeated(oneOf('\n', '\r\n', '\n\n', ' \n'), 24), word), 8],
  ['digits', digit, 40],
  ['special tokens', anyOf(special, word, space, latin), 12],
  ['lines', anyOf(word, oneOf('\r\n', '\r', '\n', '. ', ', ')), 40],
  ['short', anyOf(latin, script, space), 2],
  ['mixed scripts', anyOf(script, script, oneOf(' ', "'"), digit), 40],
  [
    'contractions',
    anyOf(oneOf("'s", "'S", "'ſ", "'LL", "'lL", "'Re", '’s', "''", "'", "'K", "'ve"), word),
    16,
  ],
  ['control characters', anyOf(between(0, 0x1f), between(0x7f, 0x9f), latin), 30],
  [
    'markers of tokenizers',
    oneOf('▁', 'Ġ', 'Ċ', '##', ' ', '▁▁', '▁a', '<0x41>', 'Ã', '©', '\ufffd'),
    20,
  ],
  [
    'punctuation',
    anyOf(between(0x21, 0x2f), between(0x2010, 0x2027), between(0x3001, 0x3011), space),
    40,
  ],
  ['a repeated part', repeated(anyOf(script, digit, between(0x21, 0x7e), mark), 60), 4],
];

/** Hostile texts, an equal number of each kind; the first is empty. */
export function hostileTexts(count: number, seed: number): string[] {
  const random = new TestRandom(seed);
  const texts = new Set(['']);
  while (texts.size < count) {
    for (const [, part, most] of kinds) {
      const parts = Array.from({ length: 1 + random.whole(most) }, () => part(random));
      if (texts.size < count) texts.add(parts.join(''));
    }
  }
  return [...texts];
}
