/** The requests that a path's environments answer. */

import { begin } from '../envs/episode.ts';
import type { Episode, Served } from './dialect.ts';
import type { OpenEnvironments } from './open-environments.ts';
import { fault, type Json } from './protocol.ts';
import { type Fields, text, wholeNumber } from './request.ts';

/** An open environment; its episode is null until the first reset. */
export interface Seat {
  episode: Episode | null;
}

export interface Desk {
  readonly served: Served;
  /** The open environments of all paths. */
  readonly open: OpenEnvironments<Seat>;
}

/** Throws a `Refusal` for an invalid request. */
export type Verb = (desk: Desk, fields: Fields) => Json;

export const posts: Readonly<Record<string, Verb>> = {
  create({ served, open }) {
    const { dialect, tasks } = served;
    const episode = dialect.beginsAtOnce === true ? first(served, tasks().train[0] ?? 0) : null;
    return dialect.created(open.add(dialect.path, { episode }), episode);
  },

  reset(desk, fields) {
    const { dialect } = desk.served;
    const number = wholeNumber(fields, dialect.taskKey);
    const { id, seat } = seatOf(desk, fields);
    const episode = first(desk.served, number);
    seat.episode = episode;
    return dialect.began(id, episode);
  },

  step(desk, fields) {
    const { dialect } = desk.served;
    const action = text(fields, 'action');
    const { id, seat } = seatOf(desk, fields);
    const before = episodeOf(id, seat);
    if (before.result.done && dialect.repeatsLastReply !== true) {
      throw fault(`The task with environment ${id} has finished.`);
    }
    const episode = next(desk.served, before, action);
    seat.episode = episode;
    return dialect.stepped(episode);
  },

  close({ served: { dialect }, open }, fields) {
    open.close(dialect.path, wholeNumber(fields, dialect.idKey));
    return true;
  },
};

export const gets: Readonly<Record<string, Verb>> = {
  observation: (desk, fields) => {
    const { id, seat } = seatOf(desk, fields);
    return episodeOf(id, seat).result.observation;
  },

  detail(desk, fields) {
    const { id, seat } = seatOf(desk, fields);
    const { task, result, score, turns } = episodeOf(id, seat);
    return { ...result, score, turns, [desk.served.dialect.taskKey]: task };
  },

  tasks({ served: { dialect, tasks } }) {
    const ids = (numbers: readonly number[]) => numbers.map((n) => `${dialect.path}_${n}`);
    return { train: ids(tasks().train), eval: ids(tasks().evaluation) };
  },
};

/** A request that only this dialect has, about an open environment. */
export const asking =
  (ask: (served: Served) => Json): Verb =>
  (desk, fields) => {
    seatOf(desk, fields);
    return ask(desk.served);
  };

function seatOf({ served: { dialect }, open }: Desk, fields: Fields) {
  const id = wholeNumber(fields, dialect.idKey);
  return { id, seat: open.use(dialect.path, id) };
}

function episodeOf(id: number, { episode }: Seat): Episode {
  if (episode === null) throw fault(`Environment ${id} has no task yet: reset it first.`);
  return episode;
}

/** The start of a task. */
function first({ dialect, manner, tasks }: Served, number: number): Episode {
  const found = tasks().find(number);
  if (found === undefined) {
    throw fault(`There is no task ${number}. GET /${dialect.path}/tasks lists them.`);
  }
  const { environment, task } = found;
  const at = begin(environment, task);
  const result = { observation: manner.begins(environment, at), reward: 0, done: false };
  return { environment, task: number, at, result, turns: 0, score: 0 };
}

/** The episode after one more turn. A turn after the end repeats the last one. */
function next({ dialect, manner }: Served, episode: Episode, sent: string): Episode {
  if (episode.result.done) return episode;
  const { at, result } = manner.acts(episode, dialect.parseAction(sent));
  const score = episode.score + result.reward;
  return { ...episode, at, result, turns: episode.turns + 1, score };
}
