// An environment of your own, and an agent that learns in it: go up or down to a number.
//   npx tsc --target es2022 --module nodenext own-environment.mts && node own-environment.mjs
import { train } from 'palestra';
import {
  aspect,
  type Environment,
  EpisodeOverError,
  UnknownTaskError,
} from 'palestra/environments';

interface State {
  readonly wanted: number;
  readonly at: number;
  readonly turns: number;
}

const id = 'numbers/line-v1';
const most = 6;
const turnLimit = 8;
/** Every pair of a number to begin at and another one to reach; one in five is kept for evaluation. */
const tasks = Array.from({ length: (most + 1) ** 2 }, (_, i) => `numbers_${i}`);
const stateOf = (task: string): State => {
  const i = tasks.indexOf(task);
  if (i === -1) throw new UnknownTaskError(id, task);
  return { wanted: i % (most + 1), at: Math.floor(i / (most + 1)), turns: 0 };
};
const real = tasks.filter((task) => stateOf(task).wanted !== stateOf(task).at);

const told = ({ wanted, at }: State) => `at ${at} wanted ${wanted}`;
const solved = ({ wanted, at }: State) => at === wanted;
const over = (state: State) => solved(state) || state.turns >= turnLimit;

const numbers: Environment<State> = {
  id,
  turnLimit,
  trainTasks: real.filter((_, i) => i % 5 !== 0),
  evalTasks: real.filter((_, i) => i % 5 === 0),
  holdout: {
    sentence: 'Evaluation asks for pairs of numbers that training never showed.',
    sameTasks: false,
    aspects: [aspect('pairs of numbers', true, (task) => told(stateOf(task)))],
  },
  instruction: 'Reach the number that is wanted. Actions: up, down.',
  lexicon: ['at', 'wanted', 'up', 'down', ...Array.from({ length: most + 1 }, (_, n) => `${n}`)],
  thoughtLexicon: [],
  reset: (task) => ({ state: stateOf(task), observation: told(stateOf(task)) }),
  step(state, action) {
    if (over(state)) throw new EpisodeOverError(id);
    const by = action === 'up' ? 1 : action === 'down' ? -1 : 0;
    const at = Math.max(0, Math.min(most, state.at + by));
    const next = { ...state, at, turns: state.turns + 1 };
    return {
      state: next,
      observation: told(next),
      reward: solved(next) ? 1 : 0,
      terminated: over(next),
      understood: by !== 0,
    };
  },
  success: solved,
  admissibleActions: (state) => (over(state) ? [] : ['up', 'down']),
  expert(state) {
    if (over(state)) throw new EpisodeOverError(id);
    return { thought: '', action: state.wanted > state.at ? 'up' : 'down' };
  },
};

const { evaluation } = await train({
  environment: numbers,
  config: {
    imitation: { epochs: 3 },
    horizon: { schedule: 'fixed', turns: turnLimit },
    stopping: { iterations: 30 },
  },
  onIteration: ({ iteration, metrics }) =>
    console.log(`iteration ${iteration}: success ${metrics['rollout/success_rate']}`),
});
console.log(`greedy: success ${evaluation.metrics['eval/success_rate']}`);
