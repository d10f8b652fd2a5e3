/**
 * Environments in AgentGym's protocol: a request in, an answer out. Open environments are kept between
 * requests; the transport is elsewhere.
 */

import { EnvironmentFault } from '../envs/episode.ts';
import type { Served } from './dialect.ts';
import { OpenEnvironments, type OpenLimits } from './open-environments.ts';
import { type OpenEnvService, PREFIX } from './openenv/service.ts';
import { type Answer, type Asked, fault, httpFault, type Json, Refusal } from './protocol.ts';
import { addressOf, bodyOf, queryOf } from './request.ts';
import { asking, gets, posts, type Seat, type Verb } from './verbs.ts';

export interface ServiceSettings {
  readonly served: readonly Served[];
  readonly limits: OpenLimits;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Called for unexpected errors. */
  readonly log: (line: string) => void;
  /** Answers requests under `/openenv`. */
  readonly openEnv?: OpenEnvService;
}

export interface Service {
  /** Never throws: errors become answers. */
  answer(asked: Asked): Answer;
  /** Closes environments that have been idle for too long. */
  expire(): void;
  /** Number of open environments. */
  readonly open: number;
}

export function createService({ served, limits, now, log, openEnv }: ServiceSettings): Service {
  const paths = new Map(served.map((one) => [one.dialect.path, one]));
  const open = new OpenEnvironments<Seat>(limits, isOver, now);

  /** Throws a `Refusal` for an unknown path. */
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
        if (openEnv !== undefined && addressOf(asked).parts[0] === PREFIX) {
          return openEnv.answer(asked);
        }
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

const isOver = ({ episode }: Seat): boolean => episode?.result.done === true;

function only({ method }: Asked, allowed: 'GET' | 'POST', answer: () => Json): Json {
  if (method !== allowed) throw httpFault(405, 'Method Not Allowed');
  return answer();
}

function questionOf({ dialect: { asks = {} } }: Served, name: string): Verb | undefined {
  const ask = entryOf(asks, name);
  return ask === undefined ? undefined : asking(ask);
}

/** The entry with this name, ignoring properties that every object inherits. */
const entryOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
