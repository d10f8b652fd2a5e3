import { aspect } from '../../holdout.ts';
import { numberedIds } from '../../numbered-tasks.ts';
import { type Environment, EpisodeOverError, type Holdout } from '../../types.ts';
import { openDesk, type PagesState } from './episode.ts';
import type { Goal, Kit, Rung } from './kit.ts';

/** Appended to the last observation if the turns are used up. */
export const NO_TURNS_LEFT = 'No turns are left.';

/** Creates the environment that a kit defines, with goals from the given rungs. */
export function createPages<Task extends Goal, Place>(
  kit: Kit<Task, Place>,
  rungs: readonly Rung[],
): Environment<PagesState> {
  const desk = openDesk(kit, rungs);
  const { trainTasks, evalTasks, numberOf } = numberedIds(kit.id, kit.name, rungs);

  return {
    id: kit.id,
    trainTasks,
    evalTasks,
    holdout: holdoutOf(kit, (id) => desk.taskOf(numberOf(id))),
    turnLimit: kit.turnLimit,
    instruction: kit.instruction,
    lexicon: kit.lexicon,
    thoughtLexicon: kit.thoughtLexicon,

    reset(taskId) {
      const state: PagesState = { task: numberOf(taskId), said: [] };
      const { task, place } = desk.read(state);
      return { state, observation: kit.read(task, place) };
    },

    step(before, text) {
      if (desk.read(before).over) throw new EpisodeOverError(kit.id);
      const state = desk.said(before, text);
      const { task, turns, place, score, over } = desk.read(state);
      const observation = kit.read(task, place);
      return {
        state,
        observation: over && score === null ? `${observation} ${NO_TURNS_LEFT}` : observation,
        reward: score ?? 0,
        terminated: over,
        understood: turns.at(-1)?.understood === true,
      };
    },

    success: (state) => desk.read(state).score === 1,

    admissibleActions(state) {
      const { task, place, over } = desk.read(state);
      return over ? [] : kit.actions(task, place);
    },

    expert(state) {
      const { task, place, over } = desk.read(state);
      if (over) throw new EpisodeOverError(kit.id);
      return kit.advise(task, place);
    },
  };
}

function holdoutOf<Task extends Goal, Place>(
  { holdout: { sentence, asked, worlds } }: Kit<Task, Place>,
  taskOf: (id: string) => Task,
): Holdout {
  const of =
    (key: 'goal' | 'asked' | 'world') =>
    (id: string): string =>
      taskOf(id)[key];
  return {
    sentence,
    sameTasks: false,
    aspects: [
      aspect(`goals with their ${worlds}`, true, (id) => `${of('goal')(id)}\n${of('world')(id)}`),
      aspect('goals', true, of('goal')),
      aspect(asked, true, of('asked')),
      aspect(worlds, true, of('world')),
    ],
    cluster: { name: asked, of: of('asked') },
  };
}
