import { aspect } from '../holdout.ts';
import {
  type Environment,
  type EnvironmentFamily,
  type EnvironmentOptions,
  EpisodeOverError,
  type Holdout,
} from '../types.ts';
import { wordleCard } from './card.ts';
import { createExpert } from './expert.ts';
import { ALL_GREEN, LETTERS, patternTexts } from './feedback.ts';
import {
  createGame,
  INVALID,
  outcomeOf,
  TURN_LIMIT,
  type WordleGame,
  type WordleState,
} from './game.ts';
import { wordleId, wordleSettings } from './options.ts';
import { INVALID_WORD, instructionOf, lexiconsOf, spell, thoughtOf, welcome } from './text.ts';

/** Length of five letters and the spaces between them. */
const ACTION_LENGTH = 2 * LETTERS - 1;

/** Size of the expert's cache. It is cleared when full. */
const REMEMBERED = 20_000;

/**
 * Wordle as a text task, after LMRL-Gym (arXiv:2311.18232) as AgentGym uses it (arXiv:2406.04151). The
 * correct guess gives reward 1, all others 0.
 * Throws `EnvironmentOptionError` for an unknown option or an invalid value.
 */
export function createWordle(options?: EnvironmentOptions): Environment<WordleState> {
  const settings = wordleSettings(options);
  const game = createGame(settings);
  const { words, trainTasks, evalTasks } = game;
  const actions = words.map(spell);
  const wordOf = new Map(actions.map((action, word) => [action, word]));
  const choose = createExpert(words.length, game.feedbackOf);
  const shown = settings.shown === 'all' ? actions : [];

  // First observations, cached.
  const begun = new Map<number, string>();
  const firstObservation = (n: number): string => {
    let text = begun.get(n);
    if (text === undefined) {
      const { hidden, openings } = game.taskOf(n);
      text = welcome(
        shown,
        openings.map((opening) => ({
          guess: actions[opening] ?? '',
          feedback: patternTexts[game.feedbackOf(opening)[hidden] ?? 0] ?? '',
        })),
      );
      begun.set(n, text);
    }
    return text;
  };

  const remembered = new Map<string, number>();
  const chosen = (left: readonly number[], turns: number): number => {
    const key = `${turns}:${left.join()}`;
    let guess = remembered.get(key);
    if (guess === undefined) {
      guess = choose(left, turns);
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(key, guess);
    }
    return guess;
  };

  return {
    id: wordleId,
    trainTasks,
    evalTasks,
    holdout: holdoutOf(game, settings.openings),
    turnLimit: TURN_LIMIT,
    instruction: instructionOf(settings.feedback),
    ...lexiconsOf(words, settings),

    reset(taskId) {
      const task = game.task(taskId);
      return { state: { task, guesses: [], patterns: [] }, observation: firstObservation(task) };
    },

    step(state, action) {
      if (outcomeOf(state) !== 'running') throw new EpisodeOverError(wordleId);
      // Check the length first, because a lookup reads the whole text, however long.
      const word = action.length === ACTION_LENGTH ? wordOf.get(action) : undefined;
      const pattern =
        word === undefined ? INVALID : (game.feedbackOf(word)[game.hidden(state)] ?? INVALID);
      const after: WordleState = {
        task: state.task,
        guesses: [...state.guesses, word ?? INVALID],
        patterns: [...state.patterns, pattern],
      };
      return {
        state: after,
        observation: patternTexts[pattern] ?? INVALID_WORD,
        reward: pattern === ALL_GREEN ? 1 : 0,
        terminated: outcomeOf(after) !== 'running',
        understood: word !== undefined,
      };
    },

    success: (state) => outcomeOf(state) === 'success',

    admissibleActions: (state) => (outcomeOf(state) === 'running' ? actions : []),

    expert(state) {
      if (outcomeOf(state) !== 'running') throw new EpisodeOverError(wordleId);
      const left = game.consistent(state);
      const guess = chosen(left, TURN_LIMIT - state.guesses.length);
      const action = actions[guess] ?? '';
      return { thought: thoughtOf(action, left.length, left.includes(guess)), action };
    },
  };
}

/**
 * Every word of the list is hidden about equally often, so the words are not a sample from a larger set, and
 * tasks with the same word need no cluster.
 */
function holdoutOf({ task, taskOf }: WordleGame, openings: number): Holdout {
  const hidden = (id: string) => String(taskOf(task(id)).hidden);
  const whole = (id: string) => [hidden(id), ...taskOf(task(id)).openings].join(' ');
  const apart = openings === 0;
  return {
    sentence: apart
      ? 'Training never hides the words of evaluation.'
      : 'Evaluation hides each word behind openings that training never combines with it. The words themselves are the same, and many first observations too, because hidden words share them.',
    sameTasks: false,
    aspects: [
      aspect('hidden words with their openings', true, whole),
      aspect('hidden words', apart, hidden),
    ],
  };
}

export const wordleFamily: EnvironmentFamily<WordleState> = {
  ...wordleCard,
  create: createWordle,
};
