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
  type Manner,
  own,
  plainTurn,
  retold,
} from '../dialect.ts';

/** The client puts the actions that are possible behind the observation itself. */
const withActions = ({ environment, at, told: { observation } }: Episode) => ({
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
  hears: afterMark,
  original: retold(
    (room) => room.replace(' Your task is to:', '\nYour task is to:'),
    (reply) => reply.replace(NO_CHANGE, NOTHING_HAPPENS),
  ),
  idKey: 'id',
  created: (id) => ({ id }),
  began: (id, episode) => ({ id, ...withActions(episode) }),
  stepped(episode) {
    const { reward, done } = episode.told;
    return { ...withActions(episode), reward, done };
  },
};

/** A failure's score, in the environment's own scale of 0 to 1. */
const FAILED = -1;

/** There a failure costs all that was scored, and more. */
const scienceManner: Manner = {
  begins: own.begins,
  acts(episode, action) {
    const { at, told } = plainTurn(episode, action);
    const observation = told.observation.replace(NOT_UNDERSTOOD, NO_ACTION);
    const failed = told.done && observation.includes(SAYS.failed);
    const reward = failed ? FAILED - episode.score : told.reward;
    return { at, told: { ...told, observation, reward } };
  },
};

/** Points of 100. */
const points = (score: number) => Math.round(score * 100);

const scored = ({ told, score }: Episode) => ({
  observation: told.observation,
  reward: points(told.reward),
  score: points(score),
  done: told.done,
});

export const sciworld: Dialect = {
  path: 'sciworld',
  choices: [sciworldId],
  environments: [sciworldId],
  options: {},
  taskKey: 'data_idx',
  wraps: false,
  hears: afterMark,
  original: scienceManner,
  idKey: 'id',
  created: (id) => ({ id }),
  // The client puts the two together.
  began: (id, episode) => {
    const told = scored(episode);
    const room = Math.max(0, told.observation.indexOf(SAYS.room));
    const task_description = told.observation.slice(0, room).trim();
    const observation = told.observation.slice(room);
    return { id, task_description, ...told, observation, deleted: false };
  },
  stepped: scored,
};
