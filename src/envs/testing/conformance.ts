/**
 * Rules for every environment. `conformanceViolations` returns violations in words; `testConformance`
 * registers the tests of one family and is called in the `conformance.test.ts` of each environment's folder.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { describe, expect, it } from 'vitest';
import { byTier } from '../../../scripts/tier.mjs';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { TokenizerError } from '../../policy/tokenizer-error.ts';
import { begin, expertOf, play } from '../episode.ts';
import { fnv1a } from '../hash.ts';
import { EnvironmentOptionError } from '../options.ts';
import {
  type Environment,
  type EnvironmentFamily,
  type EnvironmentOption,
  type EnvironmentOptions,
  EpisodeOverError,
  type OptionValue,
  type Transition,
  UnknownTaskError,
} from '../types.ts';
import {
  admissibleChoice,
  type Choice,
  HOSTILE_TEXTS,
  hostileChoices,
  MEGABYTE,
  pick,
  strangeActions,
  textChoice,
} from './actions.ts';
import { mark, overlapLine, overlapsOf } from './overlap.ts';

/**
 * `success`: 1 on the step that succeeds, 0 elsewhere. `shaped`: any rewards whose sum stays within
 * [0, 1], and is above 0 for the expert.
 */
type RewardRule = 'success' | 'shaped';

/** Expected properties of a family. */
export interface Expectations {
  readonly reward: RewardRule;
  /** `fingerprint` by options, as JSON. A change means that published task ids have changed their meaning. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** Options to test in addition to `boundaryOptions`. */
  readonly optionSets?: readonly EnvironmentOptions[];
  /**
   * Share of the turn limit, from 0 to 1, that may be played at random before the expert takes over and must
   * still solve the task; 0 if a single admissible action can lose it. Default: 0.5.
   */
  readonly recoversAfter?: number;
  /**
   * Number of evaluation tasks, by options, that need a lexeme that the expert never writes in training: no
   * agent can learn to solve these. Default: none. Environments whose presets use such options omit the
   * tasks instead.
   */
  readonly unwritten?: Readonly<Record<string, number>>;
  /** Options whose overlap is documented, in addition to the defaults. */
  readonly documented?: readonly EnvironmentOptions[];
}

/** How many tasks, episodes and actions the tests use. */
export interface ConformanceSizes {
  /** Distinct tasks played by the expert. */
  readonly tasks: number;
  /** Random episodes; purity and determinism are checked on every turn. */
  readonly episodes: number;
  /** Random and hostile actions. */
  readonly actions: number;
  /** Whether to run the checks that need all tasks: documented overlaps and evaluation lexemes. */
  readonly table: boolean;
}

/** Sizes for the default options. */
const FULL_SIZES: ConformanceSizes = byTier(
  { tasks: 15, episodes: 2, actions: 150, table: true },
  { tasks: 200, episodes: 20, actions: 2000, table: true },
  { tasks: 1000, episodes: 50, actions: 10_000, table: true },
);
/** Sizes for every other set of options. */
const SMALL_SIZES: Omit<ConformanceSizes, 'table'> = byTier(
  { tasks: 3, episodes: 1, actions: 30 },
  { tasks: 8, episodes: 5, actions: 200 },
  { tasks: 20, episodes: 10, actions: 500 },
);

export interface ConformanceSettings {
  readonly sizes: ConformanceSizes;
  /** Seed of the random choices. */
  readonly seed: number;
  readonly reward: RewardRule;
  /** `fingerprint` of the environment when its ids were fixed; undefined if not recorded yet. */
  readonly fingerprint: string | undefined;
  readonly recoversAfter: number;
  /** Number of evaluation tasks that need a lexeme that the expert never writes in training. */
  readonly unwritten: number;
  /** Lines of the documentation's table of overlaps; null if these options have none. */
  readonly documented: readonly string[] | null;
}

const SEED = 7;
/** Longer texts are unreadable, for agents and for people. */
const LONGEST_TEXT = 20_000;
/** One mistake can show up in thousands of texts; longer reports are unreadable. */
const MOST_VIOLATIONS = 30;
const SAYS_NOT_UNDERSTOOD = /unknown|not understood|invalid|could not|cannot/i;

/**
 * Registers a family's conformance tests, one for each set of options.
 * @param sizes how much to play with the default options; other sets play the smaller of these and
 * `SMALL_SIZES`
 */
export function testConformance(
  family: EnvironmentFamily,
  expectations: Expectations,
  sizes: ConformanceSizes = FULL_SIZES,
): void {
  const {
    reward,
    fingerprints,
    optionSets = [],
    documented = [],
    recoversAfter = 0.5,
    unwritten = {},
  } = expectations;
  const written = (sets: readonly EnvironmentOptions[]) =>
    sets.map((options) => JSON.stringify(options));
  const sets = [...new Set(written([...boundaryOptions(family), ...optionSets, ...documented]))];
  const inTable = written([{}, ...documented]);
  const lines = documentedLines(family.id);
  const small: ConformanceSizes = {
    tasks: Math.min(sizes.tasks, SMALL_SIZES.tasks),
    episodes: Math.min(sizes.episodes, SMALL_SIZES.episodes),
    actions: Math.min(sizes.actions, SMALL_SIZES.actions),
    table: sizes.table,
  };
  describe(family.id, () => {
    it.each(sets)('conforms to the rules with the options %s', (options) => {
      const violations = conformanceViolations(family, JSON.parse(options), {
        sizes: options === '{}' ? sizes : small,
        seed: SEED,
        reward,
        fingerprint: fingerprints[options],
        recoversAfter,
        unwritten: unwritten[options] ?? 0,
        documented: sizes.table && inTable.includes(options) ? lines : null,
      });
      expect(violations).toEqual([]);
    });

    it('has one line in docs/ENVIRONMENTS.md for each documented set of options', () => {
      expect(lines).toHaveLength(inTable.length);
    });

    it('has fingerprints for tested options only', () => {
      expect(Object.keys(fingerprints).filter((options) => !sets.includes(options))).toEqual([]);
    });
  });
}

/** The lines about a family in the table of overlaps at the end of docs/ENVIRONMENTS.md. */
function documentedLines(id: string): string[] {
  const page = readFileSync(new URL('../../../docs/ENVIRONMENTS.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('## Overlap of training and evaluation tasks'));
  return table.split('\n').filter((line) => line.startsWith(`| \`${id}\``));
}

/**
 * The default options, then each option alone at each of its extremes or choices. Text options are omitted;
 * environments' own tests set them.
 */
export function boundaryOptions(family: EnvironmentFamily): EnvironmentOptions[] {
  const values = (option: EnvironmentOption): readonly OptionValue[] => {
    if (option.type === 'number') return [option.min, option.max];
    return option.type === 'choice' ? option.choices : [];
  };
  return [
    {},
    ...Object.entries(family.options).flatMap(([name, option]) =>
      values(option)
        .filter((value) => value !== option.default)
        .map((value) => ({ [name]: value })),
    ),
  ];
}

// Objects already deeply frozen: many states are checked, and they share most of their contents.
const frozen = new WeakSet<object>();

/** Freezes a state and its contents. Typed arrays cannot be frozen and are skipped. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (frozen.has(value)) return value;
  frozen.add(value);
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/**
 * Why a text cannot be encoded with a tokenizer's lexemes, as the end of a sentence that shows the
 * decoded text from the first difference on; null if it can.
 */
export function readingFault(text: string, tokenizer: WordTokenizer): string | null {
  const read = tokenizer.decode(tokenizer.encode(text));
  if (read === text) return null;
  let same = 0;
  while (same < read.length && text[same] === read[same]) same++;
  const from = Math.max(0, text.lastIndexOf(' ', same - 1) + 1);
  const excerpt = (whole: string) => JSON.stringify(whole.slice(from, from + 60));
  return `cannot be encoded with the lexicon: ${excerpt(text)} is decoded as ${excerpt(read)}`;
}

/** First, third and last task of a list. */
function someTasks(tasks: readonly string[]): string[] {
  return [0, 2, tasks.length - 1].flatMap((i) => tasks.slice(i, i + 1));
}

/**
 * A hash of all texts in the expert's episodes for some task ids. If it changes, ids have changed their
 * meaning, and the environment needs a new version in its id.
 */
export function fingerprint(environment: Environment): string {
  const story: string[] = [];
  for (const task of [...someTasks(environment.trainTasks), ...someTasks(environment.evalTasks)]) {
    let { state, observation } = environment.reset(task);
    story.push(task, observation);
    for (let turn = 0; turn < environment.turnLimit; turn++) {
      const { thought, action } = environment.expert(state);
      const after = environment.step(state, action);
      story.push(thought, action, after.observation);
      if (after.terminated) break;
      state = after.state;
    }
  }
  return fnv1a(story.join('\n')).toString(16).padStart(8, '0');
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}

/** An unexpected error with the top of its stack. */
function traceOf(thrown: unknown): string {
  const places =
    thrown instanceof Error ? (thrown.stack ?? '').split(/\n\s+(?=at )/).slice(1, 4) : [];
  return [nameOf(thrown), ...places].join(' ');
}

/** The error that a call throws, or undefined. */
function thrownBy(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

type Report = (text: string) => void;

/** State shared by the checks of one environment. */
interface Inspection {
  readonly environment: Environment;
  /** Another instance of the same environment. */
  readonly twin: Environment;
  readonly settings: ConformanceSettings;
  readonly fault: Report;
  /** Reports an observation or action that cannot be encoded with the lexicon. */
  readonly checkText: (what: string, text: string) => void;
  /** Reports a thought that cannot be encoded with both lexicons. */
  readonly checkThought: (thought: string) => void;
}

/** The rules that a family breaks with these options; empty if it conforms. */
export function conformanceViolations(
  family: EnvironmentFamily,
  options: EnvironmentOptions,
  settings: ConformanceSettings,
): string[] {
  const violations = new Set<string>();
  const fault: Report = (text) => {
    if (violations.size < MOST_VIOLATIONS) violations.add(text);
  };
  checkOptions(family, fault);
  const environment = family.create(options);
  checkLists(family, environment, fault);
  const lexicons = checkLexicons(environment, fault);
  if (lexicons === null) return [...violations];

  const { words, wordsAndThoughts } = lexicons;
  const seen = new Set<string>();
  const check = (what: string, text: string, tokenizers: readonly WordTokenizer[]): void => {
    if (seen.has(text)) return;
    seen.add(text);
    if (text.trim() === '') fault(`${what} is empty`);
    if (text.length >= LONGEST_TEXT) fault(`${what} has ${text.length} characters`);
    for (const tokenizer of tokenizers) {
      const reading = readingFault(text, tokenizer);
      if (reading !== null) fault(`${what} ${reading}`);
    }
  };
  const inspection: Inspection = {
    environment,
    twin: family.create({ ...options }),
    settings,
    fault,
    checkText: (what, text) => check(what, text, [words, wordsAndThoughts]),
    checkThought: (thought) => check('a thought', thought, [wordsAndThoughts]),
  };
  const tasks = sampledTasks(environment, settings);
  const checks: readonly (readonly [string, () => void])[] = [
    ['the meaning of its ids', () => checkMeaning(inspection)],
    ['the holdout', () => checkHoldout(inspection, options)],
    ['the expert', () => checkExpert(inspection, tasks)],
    ['the evaluation lexemes', () => checkWritten(inspection)],
    ['locate', () => checkLocate(inspection, tasks)],
    ['random episodes', () => checkRandomEpisodes(inspection)],
    ['the turn limit', () => checkTurnLimit(inspection, tasks)],
    ['the expert after random play', () => checkRecovery(inspection, tasks)],
    ['strange actions', () => checkStrangeActions(inspection, tasks.slice(0, 3))],
    ['hostile actions', () => checkHostileActions(inspection, tasks)],
  ];
  for (const [what, check] of checks) {
    const thrown = thrownBy(check);
    if (thrown !== undefined) fault(`${what}: ${traceOf(thrown)}`);
  }
  return [...violations];
}

/** Distinct random tasks from both lists; all of them if there are too few. */
function sampledTasks(environment: Environment, { sizes, seed }: ConformanceSettings): string[] {
  const random = mersenne(seed);
  const tasks = [...new Set([...environment.trainTasks, ...environment.evalTasks])];
  for (let i = 0; i < Math.min(sizes.tasks, tasks.length); i++) {
    const j = uniformInt(random, i, tasks.length - 1);
    [tasks[i], tasks[j]] = [tasks[j] ?? '', tasks[i] ?? ''];
  }
  return tasks.slice(0, sizes.tasks);
}

/** Values that an option must reject. */
function refusedValues(option: EnvironmentOption): OptionValue[] {
  switch (option.type) {
    case 'number': {
      const { min, max, step } = option;
      const numbers = [
        min - step,
        max + step,
        min + step / 2,
        Number.NaN,
        Number.POSITIVE_INFINITY,
      ];
      return [...numbers, 'many'];
    }
    case 'choice':
      return ['no such choice', Number.NaN];
    case 'text':
      return [1, 'a'.repeat(option.most + 1)];
    default:
      return option satisfies never;
  }
}

function checkOptions(family: EnvironmentFamily, fault: Report): void {
  const refused: [string, OptionValue][] = [
    ['no such option', 1],
    ...Object.entries(family.options).flatMap(([name, option]) =>
      refusedValues(option).map((value): [string, OptionValue] => [name, value]),
    ),
  ];
  for (const [name, value] of refused) {
    const thrown = thrownBy(() => family.create({ [name]: value }));
    if (!(thrown instanceof EnvironmentOptionError)) {
      fault(
        `${name} = ${String(value).slice(0, 60)} does not throw EnvironmentOptionError (thrown: ${nameOf(thrown)})`,
      );
    }
  }
}

function checkLists(family: EnvironmentFamily, environment: Environment, fault: Report): void {
  const { id, trainTasks, evalTasks, holdout, turnLimit, instruction } = environment;
  if (id !== family.id) fault(`its id ${id} differs from the id of its family`);
  if (!/-v\d+$/.test(id)) fault('its id does not end with a version');
  if (instruction.trim() === '') fault('its instruction is empty');
  for (const [name, tasks] of Object.entries({ trainTasks, evalTasks })) {
    if (tasks.length === 0) fault(`${name} is empty`);
    if (new Set(tasks).size !== tasks.length) fault(`${name} lists a task twice`);
  }
  const train = new Set(trainTasks);
  const shared = evalTasks.filter((task) => train.has(task));
  if (!holdout.sameTasks && shared.length > 0) {
    fault(`train and eval share ${shared[0]}, but its holdout does not say so`);
  }
  if (holdout.sameTasks && shared.length < evalTasks.length) {
    fault(
      'its holdout says that evaluation plays training tasks, but some tasks are for evaluation only',
    );
  }
  if (!/^[A-Z].*\.$/.test(holdout.sentence))
    fault('the sentence of its holdout must start with a capital letter and end with a period');
  if (holdout.aspects[0].apart === holdout.sameTasks) {
    fault('the first aspect of its holdout must be held out, unless the tasks are the same');
  }
  if (!(Number.isInteger(turnLimit) && turnLimit > 0)) fault(`turnLimit is ${turnLimit}`);
  const [first] = trainTasks;
  for (const stranger of ['', 'no such task', `${first} `, `${first}0000000`, '__proto__']) {
    const thrown = thrownBy(() => environment.reset(stranger));
    if (!(thrown instanceof UnknownTaskError)) {
      fault(`reset("${stranger}") does not throw UnknownTaskError (thrown: ${nameOf(thrown)})`);
    }
  }
}

/** The tokenizers of agents with and without thoughts; null if they cannot be built. */
function checkLexicons(
  { lexicon, thoughtLexicon }: Environment,
  fault: Report,
): { words: WordTokenizer; wordsAndThoughts: WordTokenizer } | null {
  const all = [...lexicon, ...thoughtLexicon];
  const known = new Set<string>();
  for (const lexeme of all) {
    if (known.has(lexeme)) fault(`the lexeme "${lexeme}" is listed twice`);
    known.add(lexeme);
    // The tokenizer splits at spaces only, so line breaks and tabs need this check.
    if (/[^\S ]/.test(lexeme))
      fault(`the lexeme ${JSON.stringify(lexeme)} contains white space other than spaces`);
  }
  try {
    return { words: new WordTokenizer(lexicon), wordsAndThoughts: new WordTokenizer(all) };
  } catch (thrown) {
    if (!(thrown instanceof TokenizerError)) throw thrown;
    fault(thrown.message);
    return null;
  }
}

/**
 * Task ids mean the same as when their fingerprint was recorded, in every instance and regardless of what was
 * played before.
 */
function checkMeaning({ environment, twin, settings, fault }: Inspection): void {
  const found = fingerprint(environment);
  if (settings.fingerprint === undefined) {
    fault(`no fingerprint of its tasks is recorded; add '${found}'`);
  } else if (found !== settings.fingerprint) {
    fault(`the fingerprint of its tasks is ${found}, expected ${settings.fingerprint}`);
  }
  const tasks = [...someTasks(environment.evalTasks), ...someTasks(environment.trainTasks)];
  for (const task of tasks.reverse()) {
    if (!isDeepStrictEqual(environment.reset(task), twin.reset(task))) {
      fault(`${task} is not the same task in another instance`);
    }
  }
}

/**
 * Training shows nothing that the environment holds out, no evaluation task is a training task under another
 * id, and the remaining overlap is in the table of the documentation.
 */
function checkHoldout(
  { environment, settings, fault }: Inspection,
  options: EnvironmentOptions,
): void {
  const { id, holdout, trainTasks, evalTasks } = environment;
  const some = settings.documented === null ? settings.sizes.tasks : evalTasks.length;
  const few = (tasks: readonly string[], times: number) =>
    settings.documented === null ? tasks.slice(0, times * some) : tasks;
  const [train, evaluated] = [few(trainTasks, byTier(4, 4, 8)), few(evalTasks, 1)];
  const seen = new Map<string, string>();
  const observed = (task: string): string => {
    const first = seen.get(task) ?? mark(environment.reset(task).observation);
    seen.set(task, first);
    return first;
  };
  const overlaps = overlapsOf(environment, train, evaluated, observed);
  for (const { name, apart, shown, asking } of overlaps) {
    if (apart && shown > 0) {
      fault(`training shows ${shown} of the ${asking} ${name} that evaluation asks for`);
    }
  }
  if (!holdout.sameTasks) {
    const [whole] = holdout.aspects;
    const told = (task: string, texts: readonly (string | null)[]) =>
      texts.map((text) => mark(`${observed(task)}\n${text}`));
    const known = new Set(train.flatMap((task) => told(task, whole.shows(task))));
    const again = evaluated.find((task) =>
      told(task, [whole.asks(task)]).some((text) => known.has(text)),
    );
    if (again !== undefined) fault(`${again} is a training task under another id`);
  }
  if (settings.documented === null) return;
  const line = overlapLine(environment, options, overlaps);
  if (!settings.documented.includes(line)) {
    fault(`docs/ENVIRONMENTS.md lacks the line for ${id}; add\n${line}`);
  }
}

/** Takes the expert's action and checks the texts of the turn. */
function expertTurn(inspection: Inspection, state: unknown): Transition<unknown> {
  const { environment, fault, checkText, checkThought } = inspection;
  const admissible = environment.admissibleActions(state);
  const { thought, action } = environment.expert(state);
  if (!admissible.includes(action)) fault(`the expert's "${action}" is not admissible`);
  for (const text of admissible) checkText('an admissible action', text);
  checkThought(thought);
  const after = environment.step(state, action);
  if (!after.understood) fault(`the expert's "${action}" is not understood`);
  checkText('an observation', after.observation);
  return after;
}

/** The expert solves every task and earns the expected reward. */
function checkExpert(inspection: Inspection, tasks: readonly string[]): void {
  const { environment, settings, fault, checkText } = inspection;
  for (const task of tasks) {
    let { state, observation } = environment.reset(task);
    checkText('the first observation', observation);
    let score = 0;
    let turns = 0;
    for (let terminated = false; !terminated && turns < environment.turnLimit; turns++) {
      if (environment.success(state)) fault(`${task} is solved before it has terminated`);
      const after = expertTurn(inspection, state);
      score += after.reward;
      terminated = after.terminated;
      state = after.state;
    }
    if (!environment.success(state)) fault(`the expert does not solve ${task} in ${turns} turns`);
    const due = settings.reward === 'success' ? score > 1 - 1e-9 : score > 0;
    if (!due || score > 1 + 1e-9) fault(`the expert's score on ${task} is ${score}`);
    checkOver(environment, state, fault);
  }
}

/** The actions with which the expert solves a task. */
export function expertActions(environment: Environment, task: string): string[] {
  const turns = play(environment, begin(environment, task), expertOf(environment));
  return Array.from(turns, ({ choice }) => choice.action);
}

/**
 * Maps evaluation tasks to the lexemes that the expert needs for them but never writes in a training task
 * that it may show.
 */
function unwrittenLexemes(environment: Environment): ReadonlyMap<string, readonly string[]> {
  const { evalTasks, trainTasks, shownTasks = trainTasks } = environment;
  const tokenizer = new WordTokenizer(environment.lexicon);
  const tokensOf = (task: string) =>
    new Set(expertActions(environment, task).flatMap((action) => tokenizer.encode(action)));
  const needed = new Map(evalTasks.map((task) => [task, tokensOf(task)]));
  const missing = new Set([...needed.values()].flatMap((tokens) => [...tokens]));
  for (const task of shownTasks) {
    if (missing.size === 0) break;
    for (const token of tokensOf(task)) missing.delete(token);
  }
  return new Map(
    [...needed].flatMap(([task, tokens]) => {
      const unseen = [...tokens].filter((token) => missing.has(token));
      return unseen.length === 0
        ? []
        : [[task, unseen.map((token) => tokenizer.decode([token]))] as const];
    }),
  );
}

/** Every lexeme needed in evaluation is written by the expert in training. */
function checkWritten({ environment, settings, fault }: Inspection): void {
  if (!settings.sizes.table) return;
  const found = unwrittenLexemes(environment);
  if (found.size === settings.unwritten) return;
  const some = [...found].slice(0, 3).map(([task, lexemes]) => `${task}: ${lexemes.join(', ')}`);
  fault(
    `${found.size} evaluation tasks need a lexeme that the expert never writes in training (${some.join('; ')}); expected ${settings.unwritten}`,
  );
}

/** After the end, no action is possible and no reward can be earned. */
function checkOver(environment: Environment, state: unknown, fault: Report): void {
  if (environment.admissibleActions(state).length > 0) {
    fault('actions are admissible after the end of the episode');
  }
  const [action] = environment.lexicon;
  for (const [what, call] of [
    ['step', () => environment.step(state, action ?? '')],
    ['expert', () => environment.expert(state)],
  ] as const) {
    const thrown = thrownBy(call);
    if (!(thrown instanceof EpisodeOverError)) {
      fault(
        `${what} after the end of the episode does not throw EpisodeOverError (thrown: ${nameOf(thrown)})`,
      );
    }
  }
}

/** Everything that an environment derives from a state, except the expert's thoughts. */
function situation(environment: Environment, state: unknown): unknown {
  return [
    environment.success(state),
    environment.admissibleActions(state),
    environment.expert(state).action,
  ];
}

/** A state located from a first observation is equivalent to the actual state. */
function checkLocate({ environment, fault }: Inspection, tasks: readonly string[]): void {
  if (environment.locate === undefined) return;
  let located = 0;
  for (const task of tasks) {
    const { state, observation } = environment.reset(task);
    const found = environment.locate(observation);
    if (found === null) continue;
    located++;
    if (!isDeepStrictEqual(situation(environment, found), situation(environment, state))) {
      fault(`locate returns a different state for the first observation of ${task}`);
    }
  }
  if (located === 0) fault('locate returns null for every first observation');
  for (const text of [...HOSTILE_TEXTS, MEGABYTE]) {
    const thrown = thrownBy(() => {
      if (environment.locate?.(text) !== null)
        fault(`locate returns a state for "${text.slice(0, 20)}"`);
    });
    if (thrown !== undefined) fault(`locate throws ${nameOf(thrown)}`);
  }
}

/** One step, checked for determinism and purity. */
function playedTurn(
  { environment, twin }: Inspection,
  state: unknown,
  action: string,
  fault: Report,
): Transition<unknown> {
  deepFreeze(state);
  const before: unknown = structuredClone(state);
  const result = environment.step(state, action);
  environment.success(state);
  environment.admissibleActions(state);
  environment.expert(state);
  if (!isDeepStrictEqual(state, before)) {
    fault('a state was changed in place or does not survive structuredClone');
  }
  if (!isDeepStrictEqual(environment.step(state, action), result)) {
    fault('the same action on the same state gives a different result');
  }
  if (!isDeepStrictEqual(twin.step(before, action), result)) {
    fault('a cloned state behaves differently in another instance');
  }
  return result;
}

/** Episodes of admissible actions, lexemes and arbitrary text follow every rule on every turn. */
function checkRandomEpisodes(inspection: Inspection): void {
  const { environment, settings, fault, checkText } = inspection;
  const { trainTasks, evalTasks, lexicon, turnLimit } = environment;
  const choice = fc.oneof(
    { weight: 6, arbitrary: admissibleChoice },
    { weight: 2, arbitrary: textChoice(fc.constantFrom(...lexicon)) },
    { weight: 1, arbitrary: textChoice(fc.string({ maxLength: 20 })) },
  );
  const episode = (task: string, choices: readonly Choice[], problem: Report): void => {
    let { state } = environment.reset(task);
    let score = 0;
    for (const [turn, choose] of choices.entries()) {
      const action = choose(environment.admissibleActions(state));
      const result = playedTurn(inspection, state, action, problem);
      checkText('an observation', result.observation);
      score += result.reward;
      const solved = environment.success(result.state);
      const due = Number(solved);
      if (settings.reward === 'success' && result.reward !== due) {
        problem(`reward ${result.reward}, expected ${due}`);
      }
      if (!(score >= -1e-9 && score <= 1 + 1e-9)) problem(`score ${score} is not in [0, 1]`);
      if (solved && !result.terminated) problem('the episode continues after success');
      if (turn + 1 >= turnLimit && !result.terminated)
        problem('the episode continues after its turn limit');
      state = result.state;
      if (result.terminated) {
        checkOver(environment, state, problem);
        return;
      }
      if (environment.admissibleActions(state).length === 0) {
        problem('no action is admissible although the episode has not terminated');
      }
    }
  };
  const played: string[] = [];
  const property = fc.property(
    fc.constantFrom(...trainTasks, ...evalTasks),
    fc.array(choice, { minLength: 1, maxLength: Math.ceil(1.2 * turnLimit) }),
    (task, choices) => {
      const problems: string[] = [];
      played.length = 0;
      const recorded = choices.map(
        (choose): Choice =>
          (admissible) => {
            const action = choose(admissible);
            played.push(action);
            return action;
          },
      );
      episode(task, recorded, (text) => problems.push(text));
      if (problems.length > 0)
        throw new Error(`${problems[0]}; ${task}: ${JSON.stringify(played)}`);
    },
  );
  const result = fc.check(property, { seed: settings.seed, numRuns: settings.sizes.episodes });
  if (result.failed) fault(`a random episode: ${nameOf(result.errorInstance)}`);
}

/** The last turn ends the episode; earlier turns do not, even if they are not understood. */
function checkTurnLimit({ environment, fault }: Inspection, tasks: readonly string[]): void {
  for (const task of tasks.slice(0, 3)) {
    let { state } = environment.reset(task);
    let turns = 0;
    for (let terminated = false; !terminated && turns <= environment.turnLimit; turns++) {
      const after = environment.step(state, '');
      terminated = after.terminated;
      state = after.state;
    }
    if (turns !== environment.turnLimit) {
      const { turnLimit } = environment;
      fault(`${task} does not end after exactly ${turnLimit} empty actions; ${turns} were played`);
    } else {
      checkOver(environment, state, fault);
      if (environment.success(state)) fault(`${task} is solved by empty actions`);
    }
  }
}

/** After random play the expert continues, and solves the task if enough turns are left. */
function checkRecovery(inspection: Inspection, tasks: readonly string[]): void {
  const { environment, settings, fault } = inspection;
  const random = mersenne(settings.seed);
  const atEase = Math.floor(settings.recoversAfter * environment.turnLimit);
  for (let episode = 0; episode < settings.sizes.episodes; episode++) {
    const task = tasks[episode % tasks.length] ?? '';
    let { state } = environment.reset(task);
    const strayed: string[] = [];
    // In half of the episodes, random play is short enough that the expert can always solve the task.
    const longest = episode % 2 === 0 ? atEase : environment.turnLimit;
    let terminated = false;
    for (let left = uniformInt(random, 0, longest); left > 0 && !terminated; left--) {
      const admissible = environment.admissibleActions(state);
      const action = pick(admissible, uniformInt(random, 0, admissible.length - 1));
      strayed.push(action);
      ({ state, terminated } = environment.step(state, action));
    }
    if (terminated) continue;
    const thrown = thrownBy(() => {
      for (let turn = strayed.length; !terminated && turn < environment.turnLimit; turn++) {
        ({ state, terminated } = expertTurn(inspection, state));
      }
    });
    const after = `after random actions in ${task}: ${JSON.stringify(strayed)}`;
    if (thrown !== undefined) fault(`the expert throws ${nameOf(thrown)} ${after}`);
    else if (strayed.length <= atEase && !environment.success(state)) {
      fault(`the expert does not solve its task ${after}`);
    }
  }
}

/** Strange texts at the start or in the middle of an episode cost a turn and change nothing else. */
function checkStrangeActions(inspection: Inspection, tasks: readonly string[]): void {
  const { environment } = inspection;
  for (const task of tasks) {
    let { state } = environment.reset(task);
    for (let turn = 1; turn <= 2; turn++) {
      const [admissible] = environment.admissibleActions(state);
      for (const [what, text] of strangeActions(admissible ?? 'go')) {
        checkStrangeAction(inspection, state, what, text, turn === environment.turnLimit);
      }
      const after = environment.step(state, environment.expert(state).action);
      if (after.terminated) break;
      state = after.state;
    }
  }
}

function checkStrangeAction(
  inspection: Inspection,
  state: unknown,
  what: string,
  text: string,
  lastTurn: boolean,
): void {
  const { environment, fault, checkText } = inspection;
  let result: Transition<unknown>;
  try {
    result = playedTurn(inspection, state, text, fault);
  } catch (thrown) {
    fault(`${what} makes step throw ${nameOf(thrown)}`);
    return;
  }
  if (result.understood) fault(`${what} counts as understood`);
  if (result.reward !== 0) fault(`${what} is rewarded`);
  checkText(`the reply to ${what}`, result.observation);
  if (lastTurn) return;
  if (!SAYS_NOT_UNDERSTOOD.test(result.observation)) {
    fault(`the reply to ${what} does not say that it was not understood`);
  }
  const left = situation(environment, state);
  if (result.terminated) fault(`${what} ends the episode`);
  else if (!isDeepStrictEqual(situation(environment, result.state), left)) {
    fault(`${what} changes the task`);
  }
}

/** No text makes `step` throw, and every observation can be encoded. */
function checkHostileActions(inspection: Inspection, tasks: readonly string[]): void {
  const { environment, settings, fault, checkText } = inspection;
  const choices = fc.sample(hostileChoices(environment.lexicon), {
    seed: settings.seed,
    numRuns: settings.sizes.actions,
  });
  let episode = 0;
  const begin = () => environment.reset(tasks[episode++ % tasks.length] ?? '').state;
  let state = begin();
  for (const choose of choices) {
    const action = choose(environment.admissibleActions(state));
    const shown = JSON.stringify(action.slice(0, 60));
    let result: Transition<unknown>;
    try {
      result = environment.step(state, action);
    } catch (thrown) {
      fault(`${shown} makes step throw ${nameOf(thrown)}`);
      state = begin();
      continue;
    }
    checkText(`the reply to ${shown}`, result.observation);
    if (!result.understood && result.reward !== 0) fault(`${shown} is rewarded`);
    if (!result.understood && !result.terminated && !SAYS_NOT_UNDERSTOOD.test(result.observation)) {
      fault(`the reply to ${shown} does not say that it was not understood`);
    }
    state = result.terminated ? begin() : result.state;
  }
}
