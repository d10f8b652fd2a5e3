/**
 * Environments in AgentGym's protocol: a request in, an answer out. What is open is kept between requests;
 * everything else, how requests travel included, is elsewhere.
 */

import { EnvironmentFault } from '../envs/episode.ts';
import type { Served } from './dialect.ts';
import { OpenEnvironments, type OpenLimits } from './open-environments.ts';
import { type Answer, type Asked, fault, httpFault, type Json, Refusal } from './protocol.ts';
import { addressOf, bodyOf, queryOf } from './request.ts';
import { asking, gets, posts, type Seat, type Verb } from './verbs.ts';

export interface ServiceSettings {
  readonly served: readonly Served[];
  readonly limits: OpenLimits;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Told of what should not happen. */
  readonly log: (line: string) => void;
}

export interface Service {
  /** Throws nothing: what goes wrong is an answer, too. */
  answer(asked: Asked): Answer;
  /** Closes environments that nobody has used for too long. */
  expire(): void;
  /** Environments that are open. */
  readonly open: number;
}

export function createService({ served, limits, now, log }: ServiceSettings): Service {
  const paths = new Map(served.map((one) => [one.dialect.path, one]));
  const open = new OpenEnvironments<Seat>(limits, isOver, now);

  /** Throws a `Refusal` for something that is not there. */
  function route(asked: Asked): Json {
    const address = addressOf(asked);
    const [path, name, ...more] = address.parts;
    if (path === undefined) return only(asked, 'GET', () => [...paths.keys()]);
    const one = paths.get(path);
    if (one === undefined || more.length > 0) throw httpFault(404, 'Not Found');
    if (name === undefined) return only(asked, 'GET', () => `This is environment ${path}.`);
    const desk = { served: one, open };
    const post = entryOf(posts, name);
    if (post !== undefined) return only(asked, 'POST', () => post(desk, bodyOf(asked)));
    const get = entryOf(gets, name) ?? questionOf(one, name);
    if (get === undefined) throw httpFault(404, 'Not Found');
    return only(asked, 'GET', () => get(desk, queryOf(address)));
  }

  return {
    answer(asked) {
      try {
        return { status: 200, body: route(asked) };
      } catch (error) {
        if (error instanceof Refusal) return error.answer;
        if (error instanceof EnvironmentFault) {
          log(error.message);
          return fault(error.message).answer;
        }
        log(error instanceof Error ? (error.stack ?? error.message) : String(error));
        return { status: 500, body: { detail: 'Internal Server Error' } };
      }
    },
    expire: () => open.expire(),
    get open() {
      return open.size;
    },
  };
}

const isOver = ({ episode }: Seat): boolean => episode?.told.done === true;

function only({ method }: Asked, allowed: 'GET' | 'POST', answer: () => Json): Json {
  if (method !== allowed) throw httpFault(405, 'Method Not Allowed');
  return answer();
}

function questionOf({ dialect: { asks = {} } }: Served, name: string): Verb | undefined {
  const ask = entryOf(asks, name);
  return ask === undefined ? undefined : asking(ask);
}

/** The entry of that name; a name that every object has is none. */
const entryOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
