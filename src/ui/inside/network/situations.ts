/** The texts that can be examined: cells of a map, turns of an episode, or first observations. */

import type { Config } from '../../../config/schema.ts';
import { canTogether, loadTogether } from '../../../envs/views.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { Situation } from '../../../runs/policy-reading.ts';
import { environmentOf, environmentsOf } from '../../shell/episode/environments.ts';
import { situationAt } from '../../shell/episode/situation.ts';
import { loadWorlds } from '../../shell/episode/worlds.ts';

export interface NamedSituation {
  readonly title: string;
  readonly situation: Situation;
  /** Actions whose probabilities are compared. */
  readonly actions: readonly string[];
}

/** Number of tasks offered if there is neither a map nor an episode. */
const TASKS = 12;

/** @param episode of this environment; null if there is none */
export async function situationsOf(
  env: Config['env'],
  episode: EpisodeRecord | null,
): Promise<readonly NamedSituation[]> {
  const [first] = environmentsOf(env);
  if (first === undefined) return [];
  await loadWorlds([first.id]);
  // Only if all tasks share one layout does a position name a single text.
  const mapped = env.mixture.length === 0 && canTogether(first.id);
  const map = mapped ? (await loadTogether(first.id))?.touchable : undefined;
  const environment = environmentOf(first);
  const places = map?.places(environment) ?? [];
  if (map !== undefined && places.length > 0) {
    return places.map(({ title, observation }) => ({
      title,
      situation: { turns: [], observation },
      actions: map.actions,
    }));
  }
  if (episode !== null) {
    // The episode's actions serve as examples of possible outputs.
    const actions = [...new Set(episode.turns.map(({ action }) => action))].slice(0, 6);
    return episode.turns.map((_, turn) => ({
      title: `Task ${episode.taskId}, turn ${turn + 1}`,
      situation: situationAt(episode, turn),
      actions,
    }));
  }
  return environment.evalTasks.slice(0, TASKS).map((task) => {
    const { state, observation } = environment.reset(task);
    return {
      title: `Task: ${task}`,
      situation: { turns: [], observation },
      actions: environment.admissibleActions(state).slice(0, 6),
    };
  });
}
