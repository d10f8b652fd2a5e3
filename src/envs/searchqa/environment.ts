import { aspect } from '../holdout.ts';
import {
  type Demonstration,
  type Environment,
  EpisodeOverError,
  type Holdout,
  type Observed,
  type TaskAspect,
  type Transition,
  UnknownTaskError,
} from '../types.ts';
import { corpusOf } from './corpus.ts';
import { HOPS, type Hops, type PassageLength, SEARCHQA_ID } from './options.ts';
import {
  factSentence,
  type Hop,
  type Question,
  questionCount,
  questionNumber,
} from './questions.ts';
import { formsOf, type ValueKind } from './relations.ts';
import {
  answerAction,
  I_ANSWER,
  I_SEARCH_FOR,
  INVALID,
  information,
  LEXICON,
  NO_TURNS_LEFT,
  normalised,
  parseAction,
  RIGHT,
  searchAction,
  THE_QUESTION_NAMES,
  THOUGHT_LEXICON,
  WRONG,
} from './text.ts';
import { thingNumber, world } from './world.ts';

/** One search: the query, and the numbers of the passages found, best first. */
export interface Search {
  readonly query: string;
  readonly found: readonly number[];
}

/** An episode so far. The question and passages follow from the task's number and the options. */
export interface SearchQaState {
  /** The n of the task id `searchqa_<n>`. */
  readonly task: number;
  /** Turns taken, including those with an action that was not understood. */
  readonly turn: number;
  /** Oldest first. */
  readonly searches: readonly Search[];
  /** Oldest first; more than one only if wrong answers may be retried. */
  readonly answers: readonly string[];
  readonly solved: boolean;
}

interface SearchQaSettings {
  readonly hops: Hops;
  /** Maximum number of passages per search. */
  readonly documents: number;
  readonly passage: PassageLength;
  readonly wrongAnswer: 'ends' | 'retry';
}

export const TURN_LIMIT = 10;

const FIRST_EVAL_TASK = 100_000;
const numbersFrom = (first: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => first + i);
export const EVAL_NUMBERS = numbersFrom(FIRST_EVAL_TASK, 128);

/** The numbers of all training questions. */
export function trainNumbers(hops: Hops): readonly number[] {
  return numbersFrom(0, questionCount(hops, 'train'));
}

/** Whether a value is the n of a task id in any setting. */
export function isTaskNumber(n: unknown): n is number {
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 0) return false;
  return EVAL_NUMBERS.includes(n) || HOPS.some((hops) => n < questionCount(hops, 'train'));
}

export const taskId = (n: number): string => `searchqa_${n}`;

/** Size of the cache of query results. It is cleared when full. */
const REMEMBERED_QUERIES = 10_000;

const INSTRUCTION = `You answer a question about an invented world by searching a collection of passages.
Write one action each turn:
<search>query</search> shows the passages that match the words of the query best, between <information> and </information>.
<answer>answer</answer> gives the answer: a name or a word from a passage, without explanation.
You may reason before the action between <think> and </think>. The passage of a thing has its name as title. Some questions need two searches: what one passage says is the title of the next.
You have ${TURN_LIMIT} turns.`;

/** The questions of a setting, cached. */
export function rememberQuestions(hops: Hops): (n: number) => Question {
  const known = new Map<number, Question>();
  return (n) => {
    let question = known.get(n);
    if (question === undefined) {
      question =
        n < FIRST_EVAL_TASK
          ? questionNumber(n, hops, 'train')
          : questionNumber(n - FIRST_EVAL_TASK, hops, 'eval');
      known.set(n, question);
    }
    return question;
  };
}

/** Actions suggested by a passage: searches for the names in it, and its values as answers, with their kinds. */
interface Suggestions {
  readonly searches: readonly string[];
  readonly answers: readonly (readonly [ValueKind, string])[];
}

const suggestions = new Map<number, Suggestions>();

/** The actions that a passage suggests, cached. */
function actionsAbout(passage: number): Suggestions {
  let suggested = suggestions.get(passage);
  if (suggested === undefined) {
    const { name = '', facts = [] } = world()[passage] ?? {};
    const named = facts
      .map(({ value }) => value)
      .filter((value) => thingNumber(value) !== undefined);
    suggested = {
      searches: [name, ...named].map(searchAction),
      answers: facts.map(({ relation, value }) => [formsOf(relation).gives, answerAction(value)]),
    };
    suggestions.set(passage, suggested);
  }
  return suggested;
}

/** Whether a search of the episode returned this passage. */
export function hasRead(state: SearchQaState, passage: number): boolean {
  return state.searches.some(({ found }) => found.includes(passage));
}

/** The first hop whose passage has not been found yet; undefined if all have. */
function nextHop(state: SearchQaState, { hops }: Question): Hop | undefined {
  return hops.find(({ thing }) => !hasRead(state, thing));
}

/** What evaluation holds out: its subjects are people, books and companies that training never names. */
function holdoutOf(hops: Hops, questionOf: (taskId: string) => Question): Holdout {
  const hop = (task: string, i: number): Hop | undefined => questionOf(task).hops[i];
  const subject = (task: string) => String(hop(task, 0)?.thing);
  const fact = ({ thing, relation }: Hop) => `${thing} ${relation}`;
  const facts = (task: string) => questionOf(task).hops.map(fact);
  const second: readonly TaskAspect[] = [
    {
      name: 'things that the second hop is about',
      apart: false,
      asks: (task) => hop(task, 1)?.thing.toString() ?? null,
      shows: (task) => questionOf(task).hops.map(({ thing }) => String(thing)),
    },
    {
      name: 'facts of the second hop',
      apart: false,
      asks(task) {
        const found = hop(task, 1);
        return found === undefined ? null : fact(found);
      },
      shows: facts,
    },
  ];
  const named =
    'No person, book or company in an evaluation question is named in training or on the path to a training answer.';
  return {
    sentence:
      hops === 'single'
        ? named
        : `${named} The second hop of a question often leads to a town, a team or a mayor that training asks about too.`,
    sameTasks: false,
    aspects: [
      aspect('questions', true, (task) => questionOf(task).text),
      {
        name: 'people, books and companies that a question names',
        apart: true,
        asks: subject,
        shows: (task) => questionOf(task).hops.map(({ thing }) => String(thing)),
      },
      {
        name: 'facts of the first hop',
        apart: true,
        asks: (task) => facts(task)[0] ?? null,
        shows: facts,
      },
      ...(hops === 'single' ? [] : second),
      aspect('answers', false, (task) => questionOf(task).answer),
    ],
    cluster: { name: 'named things', of: subject },
  };
}

export function createSearchQa(settings: SearchQaSettings): Environment<SearchQaState> {
  const { hops, documents, passage, wrongAnswer } = settings;
  const numbersForTraining = trainNumbers(hops);
  const trainTasks = numbersForTraining.map(taskId);
  const evalTasks = EVAL_NUMBERS.map(taskId);
  const numbers = new Map<string, number>(
    [...numbersForTraining, ...EVAL_NUMBERS].map((n) => [taskId(n), n]),
  );
  const questionOf = rememberQuestions(hops);

  const results = new Map<string, { search: Search; observation: string }>();
  const lookUp = (query: string): { search: Search; observation: string } => {
    let result = results.get(query);
    if (result === undefined) {
      const corpus = corpusOf(passage);
      const found = corpus.search(query, documents);
      const observation = information(found.flatMap((i) => corpus.passages[i] ?? []));
      result = { search: { query, found }, observation };
      if (results.size >= REMEMBERED_QUERIES) results.clear();
      results.set(query, result);
    }
    return result;
  };

  const over = ({ solved, turn, answers }: SearchQaState) =>
    solved || turn >= TURN_LIMIT || (wrongAnswer === 'ends' && answers.length > 0);

  const nameOf = (thing: number): string => world()[thing]?.name ?? '';

  /** The result of an action, with a note if no turns are left. */
  const outcome = (
    after: SearchQaState,
    observation: string,
    understood: boolean,
  ): Transition<SearchQaState> => {
    const turnsUp = !after.solved && after.turn >= TURN_LIMIT;
    return {
      state: after,
      observation: turnsUp ? `${observation} ${NO_TURNS_LEFT}` : observation,
      reward: after.solved ? 1 : 0,
      terminated: over(after),
      understood,
    };
  };

  return {
    id: SEARCHQA_ID,
    trainTasks,
    evalTasks,
    holdout: holdoutOf(hops, (id) => questionOf(numbers.get(id) ?? 0)),
    turnLimit: TURN_LIMIT,
    instruction: INSTRUCTION,
    lexicon: LEXICON,
    thoughtLexicon: THOUGHT_LEXICON,

    reset(taskId): Observed<SearchQaState> {
      const task = numbers.get(taskId);
      if (task === undefined) throw new UnknownTaskError(SEARCHQA_ID, taskId);
      return {
        state: { task, turn: 0, searches: [], answers: [], solved: false },
        observation: questionOf(task).text,
      };
    },

    step(state, text): Transition<SearchQaState> {
      if (over(state)) throw new EpisodeOverError(SEARCHQA_ID);
      const action = parseAction(text);
      const { task, searches, answers, solved } = state;
      const turn = state.turn + 1;
      if (action === null) {
        return outcome({ task, turn, searches, answers, solved }, INVALID, false);
      }
      if (action.type === 'search') {
        const { search, observation } = lookUp(action.query);
        const after = { task, turn, searches: [...searches, search], answers, solved };
        return outcome(after, observation, true);
      }
      const right = normalised(action.answer) === normalised(questionOf(task).answer);
      const given = [...answers, action.answer];
      const after = { task, turn, searches, answers: given, solved: right };
      return outcome(after, right ? RIGHT : WRONG, true);
    },

    success: ({ solved }) => solved,

    /**
     * Searches for the name in the question and for the names in relevant passages: those on the path to the
     * answer, as far as found, and those of the last search. Answers with values of the requested kind from
     * the same passages.
     */
    admissibleActions(state): readonly string[] {
      if (over(state)) return [];
      const question = questionOf(state.task);
      const [first] = question.hops;
      const subject = first === undefined ? '' : nameOf(first.thing);
      const read = new Set([
        ...question.hops.flatMap(({ thing }) => (hasRead(state, thing) ? [thing] : [])),
        ...(state.searches.at(-1)?.found ?? []),
      ]);
      const actions = new Set([subject, ...subject.split(' ')].map(searchAction));
      for (const number of read) {
        const { searches, answers } = actionsAbout(number);
        for (const action of searches) actions.add(action);
        for (const [kind, action] of answers) if (kind === question.answerKind) actions.add(action);
      }
      return [...actions];
    },

    expert(state): Demonstration {
      if (over(state)) throw new EpisodeOverError(SEARCHQA_ID);
      const question = questionOf(state.task);
      const next = nextHop(state, question);
      if (next === undefined) {
        const { answer } = question;
        const last = question.hops.at(-1);
        return {
          thought: `${last === undefined ? '' : factSentence(last)} ${I_ANSWER} ${answer}.`,
          action: answerAction(answer),
        };
      }
      const name = nameOf(next.thing);
      const before = question.hops[question.hops.indexOf(next) - 1];
      const reason = before === undefined ? `${THE_QUESTION_NAMES} ${name}.` : factSentence(before);
      return { thought: `${reason} ${I_SEARCH_FOR} ${name}.`, action: searchAction(name) };
    },
  };
}
