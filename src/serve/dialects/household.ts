import {
  NOT_UNDERSTOOD as NO_CHANGE,
  NOTHING_HAPPENS,
} from '../../envs/household/alfworld/text.ts';
import { alfworldId, sciworldId } from '../../envs/household/options.ts';
import { NO_ACTION, NOT_UNDERSTOOD, SAYS } from '../../envs/household/sciworld/text.ts';
import {
  afterMark,
  type Dialect,
  type Episode,
  own,
  type Presentation,
  plainTurn,
  withTexts,
} from '../dialect.ts';

/** The client appends the available actions to the observation. */
const withActions = ({ environment, at, result: { observation } }: Episode) => ({
  observation,
  available_actions: environment.admissibleActions(at.state),
});

export const alfworld: Dialect = {
  path: 'alfworld',
  choices: [alfworldId],
  environments: [alfworldId],
  options: { actions: 'hidden' },
  taskKey: 'game',
  wraps: false,
  parseAction: afterMark,
  original: withTexts(
    (room) => room.replace(' Your task is to:', '\nYour task is to:'),
    (reply) => reply.replace(NO_CHANGE, NOTHING_HAPPENS),
  ),
  idKey: 'id',
  created: (id) => ({ id }),
  began: (id, episode) => ({ id, ...withActions(episode) }),
  stepped(episode) {
    const { reward, done } = episode.result;
    return { ...withActions(episode), reward, done };
  },
};

/** The score of a failed task, on a scale where a solved one has 1. */
const FAILED = -1;

/** In the original, a failure sets the score to −100 points. */
const scienceManner: Presentation = {
  begins: own.begins,
  acts(episode, action) {
    const { at, result } = plainTurn(episode, action);
    const observation = result.observation.replace(NOT_UNDERSTOOD, NO_ACTION);
    const failed = result.done && observation.includes(SAYS.failed);
    const reward = failed ? FAILED - episode.score : result.reward;
    return { at, result: { ...result, observation, reward } };
  },
};

/** A score in points: 100 for a solved task. */
const points = (score: number) => Math.round(score * 100);

const scored = ({ result, score }: Episode) => ({
  observation: result.observation,
  reward: points(result.reward),
  score: points(score),
  done: result.done,
});

export const sciworld: Dialect = {
  path: 'sciworld',
  choices: [sciworldId],
  environments: [sciworldId],
  options: {},
  taskKey: 'data_idx',
  wraps: false,
  parseAction: afterMark,
  original: scienceManner,
  idKey: 'id',
  created: (id) => ({ id }),
  // The client concatenates task and room.
  began: (id, episode) => {
    const result = scored(episode);
    const room = Math.max(0, result.observation.indexOf(SAYS.room));
    const task_description = result.observation.slice(0, room).trim();
    const observation = result.observation.slice(room);
    return { id, task_description, ...result, observation, deleted: false };
  },
  stepped: scored,
};
