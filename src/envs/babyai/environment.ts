import { aspect } from '../holdout.ts';
import { resolveOptions } from '../options.ts';
import {
  type Environment,
  type EnvironmentFamily,
  type EnvironmentOptions,
  EpisodeOverError,
  type Holdout,
  type Observed,
  type Transition,
  UnknownTaskError,
} from '../types.ts';
import { opsOf, perform, type Situation, situation } from './actions.ts';
import { decide } from './expert.ts';
import { cardOf, familyId, type Level, levels, mostOfOneName, optionsOf } from './levels.ts';
import { accomplished } from './mission.ts';
import { layoutKey, makeTask, type Setting, type Split, worldKey } from './tasks.ts';
import {
  AVAILABLE,
  COMPLETED,
  GOAL,
  isAction,
  lexicon,
  NOT_NOW,
  OUT_OF_TURNS,
  UNKNOWN_ACTION,
} from './text.ts';
import { THOUGHT_PHRASES } from './thoughts.ts';
import { type BabyAIState, startState, type World } from './world.ts';

const TRAIN_TASKS = 1024;
const EVAL_TASKS = 128;
const FIRST_EVAL = 100_000;

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, k) => `babyai_${from + k}`);

const trainTasks: readonly string[] = numbered(0, TRAIN_TASKS);
const evalTasks: readonly string[] = numbered(FIRST_EVAL, EVAL_TASKS);
const numbers: ReadonlyMap<string, number> = new Map(
  [...trainTasks, ...evalTasks].map((id) => [id, Number(id.slice(id.lastIndexOf('_') + 1))]),
);

/** The settings that result from the options. */
export function settingOf(level: Level, given?: EnvironmentOptions): Setting {
  const options = resolveOptions(familyId(level), optionsOf(level), given);
  return { level, roomSize: options.room_size, distractors: options.distractors };
}

/** The tasks of a setting, cached. */
export function rememberTasks(setting: Setting): (n: number) => World {
  const known = new Map<number, World>();
  return (n) => {
    let world = known.get(n);
    if (world === undefined) {
      const split: Split = n < FIRST_EVAL ? 'train' : 'eval';
      world = makeTask(n, setting, split);
      known.set(n, world);
    }
    return world;
  };
}

/** The number in a task id; undefined if the id is not valid in this environment. */
export const taskNumber = (taskId: string): number | undefined => numbers.get(taskId);

/**
 * The reward of a mission after a number of primitive steps: 1 − 0.9·steps/maxSteps, as in MiniGrid. Past
 * maxSteps, where MiniGrid would truncate the episode, it stays at 0.1.
 */
export function rewardFor(steps: number, maxSteps: number): number {
  return 1 - 0.9 * Math.min(1, steps / maxSteps);
}

/** The environment of a level. */
export function createBabyAI(level: Level, given?: EnvironmentOptions): Environment<BabyAIState> {
  const id = familyId(level);
  const options = resolveOptions(id, optionsOf(level), given);
  const { turnLimit } = level;
  const worldOf = rememberTasks(settingOf(level, given));
  const isListed = options.actions === 'listed';
  const isAlways = options.goal === 'always';

  // Each turn uses the situation several times: in `step`, for its actions, and in the expert.
  const situations = new WeakMap<BabyAIState, Situation>();
  const look = (state: BabyAIState): Situation => {
    let found = situations.get(state);
    if (found === undefined) {
      found = situation(worldOf(state.task), state);
      situations.set(state, found);
    }
    return found;
  };
  const success = (state: BabyAIState) => accomplished(worldOf(state.task).mission, state.done);
  const over = (state: BabyAIState) => success(state) || state.turn >= turnLimit;
  const describe = (state: BabyAIState): string => {
    if (success(state)) return COMPLETED;
    if (state.turn >= turnLimit) return OUT_OF_TURNS;
    const { description, actions } = look(state);
    const goal =
      isAlways || state.turn === 0 ? `${GOAL} ${worldOf(state.task).mission.text}. ` : '';
    const list = isListed ? ` ${AVAILABLE} [${actions.join(', ')}]` : '';
    return goal + description + list;
  };

  return {
    id,
    trainTasks,
    evalTasks,
    holdout: holdoutOf((id) => worldOf(taskNumber(id) ?? 0)),
    turnLimit,
    instruction: instructionOf(turnLimit),
    lexicon: lexiconOf(level, options.distractors, isListed),
    thoughtLexicon: THOUGHT_PHRASES,

    reset(taskId): Observed<BabyAIState> {
      const n = taskNumber(taskId);
      if (n === undefined) throw new UnknownTaskError(id, taskId);
      const state = startState(n, worldOf(n));
      return { state, observation: describe(state) };
    },

    step(state, action): Transition<BabyAIState> {
      if (over(state)) throw new EpisodeOverError(id);
      const here = look(state);
      if (!here.actions.includes(action)) {
        const after: BabyAIState = { ...state, turn: state.turn + 1, trail: '' };
        const understood = isAction(action);
        return {
          state: after,
          observation: `${understood ? NOT_NOW : UNKNOWN_ACTION} ${describe(after)}`,
          reward: 0,
          terminated: over(after),
          understood,
        };
      }
      const world = worldOf(state.task);
      const after = perform(world, state, opsOf(here, action));
      return {
        state: after,
        observation: describe(after),
        reward: success(after) ? rewardFor(after.steps, world.maxSteps) : 0,
        terminated: over(after),
        understood: true,
      };
    },

    success,
    admissibleActions: (state) => (over(state) ? [] : look(state).actions),

    expert(state) {
      if (over(state)) throw new EpisodeOverError(id);
      const demonstration = decide(worldOf(state.task), state, look(state));
      if (demonstration === null) throw new Error(`${id}: the expert has no action`);
      return demonstration;
    },
  };
}

/** Layouts that differ only in the agent's position count as different, and so do missions in one layout. */
function holdoutOf(worldOf: (taskId: string) => World): Holdout {
  const world = (task: string) => worldKey(worldOf(task));
  return {
    sentence:
      'No evaluation task has the same layout, mission and starting position as a training task. Missions recur, and layouts of rooms with few things may recur too.',
    sameTasks: false,
    aspects: [
      aspect('layouts with mission and starting place', true, world),
      aspect('layouts of things and doors', false, (task) => layoutKey(worldOf(task))),
      aspect('missions', false, (task) => worldOf(task).mission.text),
    ],
    cluster: { name: 'layouts', of: world },
  };
}

function instructionOf(turnLimit: number): string {
  return [
    'You are in a world of rooms, doors, keys, balls and boxes, and have a goal to reach in it.',
    'After each of your actions you are told what you see: the cells up to six steps ahead and three steps to each side, as far as no wall or closed door hides them.',
    'Things of the same name are numbered from near to far. Your actions are:',
    '- turn left, turn right, move forward',
    '- go to <object> <id>: walk to something in sight and face it',
    '- pick up <object> <id>: walk to it and pick it up; you can carry one thing',
    '- drop: put what you carry on the free cell in front of you',
    '- go through <door> <id>: walk into an open door',
    '- toggle and go through <door> <id>: open a closed door and walk into it; a locked door needs the key of its color in your hands',
    '- toggle: open or close the door right in front of you',
    `Answer with the exact text of one action, such as: go to red ball 1. You have ${turnLimit} turns; the fewer steps you need, the higher is your reward.`,
  ].join('\n');
}

const CLAUSE_LEXEMES = {
  goto: ['go to'],
  pickup: ['pick up'],
  open: ['open'],
  putnext: ['put', 'next to'],
} as const;

function lexiconOf(level: Level, distractors: number, listsActions: boolean): string[] {
  const kinds = level.hasKindsAlone ? ['key', 'ball', 'box', 'door'] : [];
  return lexicon({
    hasDoors: level.rooms > 1,
    hasLocations: level.hasLocations,
    missionWords: [
      ...level.clauses.flatMap((kind): readonly string[] => CLAUSE_LEXEMES[kind]),
      ...kinds,
      ...(level.sequences ? ['then', 'after you'] : []),
    ],
    mostOfOneName: mostOfOneName(level, distractors),
    listsActions,
  });
}

/** The registry's families, one per level. */
export const babyaiFamilies: readonly EnvironmentFamily<BabyAIState>[] = levels.map((level) => ({
  ...cardOf(level),
  create: (given) => createBabyAI(level, given),
}));
