/** Replays and extends episodes: environments are pure, so the actions determine every state. */

import { begin, replay, type Standing, solved, act as step } from '../envs/episode.ts';
import { isRemote } from '../envs/registry.ts';
import type { Environment } from '../envs/types.ts';
import type { EpisodeRecord, EpisodeTurn } from './episode.ts';

/** An episode with the state before each turn and after the last. */
export interface Reenactment {
  readonly record: EpisodeRecord;
  /** (turns + 1) states. */
  readonly states: readonly unknown[];
}

/** Replays the recorded actions. An episode on a server has no states here, only its texts. */
export function reenact(environment: Environment, record: EpisodeRecord): Reenactment {
  if (isRemote(environment.id)) return { record, states: [] };
  const start = begin(environment, record.taskId);
  const turns = [...replay(environment, start, record.turns)];
  return { record, states: [start.state, ...turns.map(({ after }) => after.state)] };
}

/** An episode at the start of a task. */
export function beginTask(
  environment: Environment,
  source: EpisodeRecord['environment'],
  taskId: string,
): EpisodeRecord {
  return {
    environment: source,
    taskId,
    turns: [],
    finalObservation: begin(environment, taskId).observation,
    success: false,
    truncated: false,
    score: 0,
  };
}

/** State of an episode after its last turn. */
function standing({ record, states }: Reenactment): Standing {
  const { taskId: task, turns, finalObservation: observation } = record;
  const action = turns.at(-1)?.action ?? null;
  return { task, state: states.at(-1), observation, action, terminated: false };
}

/** Appends an action to an episode; it was not sampled, so it has no tokens. */
export function act(
  environment: Environment,
  { record, states }: Reenactment,
  action: string,
  thought = '',
): Reenactment {
  const at = standing({ record, states });
  const after = step(environment, at, action);
  const { state, observation, reward, terminated, understood } = after;
  const turn: EpisodeTurn = {
    observation: record.finalObservation,
    thought,
    tokens: [],
    action,
    understood,
    reward,
  };
  return {
    record: {
      ...record,
      turns: [...record.turns, turn],
      finalObservation: observation,
      success: solved(environment, after),
      truncated: !terminated && record.turns.length + 1 >= environment.turnLimit,
      score: record.score + reward,
    },
    states: [...states, state],
  };
}

/** The expert's whole episode, including its thoughts. */
export function expertEpisode(
  environment: Environment,
  source: EpisodeRecord['environment'],
  taskId: string,
): Reenactment {
  let episode = reenact(environment, beginTask(environment, source, taskId));
  while (!isOver(environment, episode)) {
    const { action, thought } = environment.expert(episode.states.at(-1));
    episode = act(environment, episode, action, thought);
  }
  return episode;
}

/** Whether the episode accepts another action. */
export function isOver(environment: Environment, { record, states }: Reenactment): boolean {
  return (
    record.success ||
    record.turns.length >= environment.turnLimit ||
    environment.admissibleActions(states.at(-1)).length === 0
  );
}
