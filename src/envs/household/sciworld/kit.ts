import type { Change } from '../core/house.ts';
import type { Kit } from '../core/kit.ts';
import { sciworldId } from '../options.ts';
import { advise, SCIWORLD_THOUGHTS } from './expert.ts';
import { furnish } from './furnish.ts';
import { SCIWORLD_GOALS, type SciWorldGoal } from './goals.ts';
import { isSolved, judged, scoreOf } from './judge.ts';
import { warmed } from './physics.ts';
import { NO_ACTION, NOT_UNDERSTOOD, roomText, SAYS, SCIWORLD_LEXICON } from './text.ts';
import { sciworldVerbs, wait } from './verbs.ts';
import type { SciWorldNow, SciWorldOwn, SciWorldTask } from './world.ts';

/** Turn limit of the original. */
const TURN_LIMIT = 100;
const LONG = 10;

/** @param forfeits whether a failed task scores 0 */
export function sciworld(forfeits: boolean): Kit<SciWorldGoal, SciWorldTask, SciWorldOwn> {
  return {
    id: sciworldId,
    name: 'sciworld',
    turnLimit: TURN_LIMIT,
    mostTurns: 30,
    role: 'You are in a house with rooms, things and devices, and have a task there. You see what is in a room when you look around in it, and go from room to room through doors, which may be closed.',
    remarks:
      'To focus on a thing tells that you mean it: focus only on what the task asks for. What is in or on a device that is on becomes hotter or colder with time.',
    known:
      'boxes, rooms, animals and substances are known, but not in these combinations. The types of tasks are the same as in training.',
    verbs: sciworldVerbs,
    lexicon: SCIWORLD_LEXICON,
    thoughts: SCIWORLD_THOUGHTS,
    goals: (rung) => SCIWORLD_GOALS[rung],
    furnish,
    firstObservation: (now) => `${now.task.goal} ${roomText(now)}`,
    notUnderstood: NOT_UNDERSTOOD,
    observation: (_now, answer) => answer,
    ending(now, answer) {
      if (now.state.own.failed) return `${answer} ${SAYS.failed}`;
      return isSolved(now) ? `${answer} ${SAYS.done}` : answer;
    },
    settle,
    score: (now) => (forfeits && now.state.own.failed ? 0 : scoreOf(now)),
    success: isSolved,
    lost: ({ state }) => state.own.failed,
    expert: advise,
  };
}

/** Advances time and records sub-goals. */
function settle(before: SciWorldNow, after: SciWorldNow): Change<SciWorldOwn> {
  const { task, state } = after;
  const idle = state.answer === NO_ACTION;
  const ticks = idle ? 0 : state.said === wait.pattern ? LONG : 1;
  const degrees = task.warm.length === 0 || idle ? state.own.degrees : warmed(after, ticks);
  const own = degrees === state.own.degrees ? state.own : { ...state.own, degrees };
  return { own: judged(before, { task, state: { ...state, own } }) };
}
