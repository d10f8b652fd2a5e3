/**
 * Environments in the protocol of OpenEnv (https://github.com/huggingface/OpenEnv), independent of
 * the transport: HTTP requests and WebSocket messages are values. The transport is in
 * `server.node.ts`.
 */

import { JsonError, parseJson, readJson } from '../../files/json.ts';
import type { Served } from '../dialect.ts';
import type { OpenLimits } from '../open-environments.ts';
import { type Answer, type Asked, httpFault, invalid, type Json } from '../protocol.ts';
import { addressOf, bodyOf } from '../request.ts';
import { messageLimits } from './limits.ts';
import { answerRpc, objectOr, parseError } from './rpc.ts';
import { metadataOf, openApiOf, schemas } from './schema.ts';
import {
  type JsonObject,
  OpenEnvError,
  Session,
  SPLITS,
  splitOf,
  validationError,
} from './session.ts';
import { Sessions } from './sessions.ts';

/** The first part of every path. */
export const PREFIX = 'openenv';

interface OpenEnvSettings {
  readonly served: readonly Served[];
  readonly limits: OpenLimits;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly log: (line: string) => void;
}

/** A client connected to `/ws` or `/mcp`. */
export interface Connection {
  /** The answer to a text frame, or null if the client asked to close. */
  answer(frame: string): string | null;
  /** Frees the session. */
  closed(): void;
}

/** A connection that is rejected with an error message. */
interface RefusedConnection {
  readonly refused: string;
}

export interface OpenEnvService {
  /** Throws a `Refusal` for a path that does not exist. */
  answer(asked: Asked): Answer;
  /**
   * @param target path and query of the upgrade request
   * @param expired called when the session is closed because it is idle
   * @returns null for a path without a WebSocket
   */
  connect(target: string, expired: () => void): Connection | RefusedConnection | null;
  expire(): void;
  readonly sessions: number;
  /** Maximum number of sessions. */
  readonly most: number;
}

export function createOpenEnvService({
  served,
  limits,
  now,
  log,
}: OpenEnvSettings): OpenEnvService {
  const paths = new Map(served.map((one) => [one.dialect.path, one]));
  const sessions = new Sessions(limits, now);

  const gets: Readonly<Record<string, (one: Served) => Json>> = {
    health: () => ({ status: 'healthy' }),
    metadata: metadataOf,
    schema: () => schemas,
    'openapi.json': openApiOf,
    state: (one) => new Session(one).state(),
  };

  const posts: Readonly<Record<string, (one: Served, body: JsonObject) => Json>> = {
    reset: (one, body) => new Session(one).reset(body),
    step(one, body) {
      const action = objectOr(body.action, null);
      if (action === null) throw invalid('body', 'action', 'Field required');
      const session = new Session(one);
      session.reset({ seed: 0 });
      return session.step(action);
    },
  };

  /** JSON-RPC reports its errors with status 200. */
  function rpc(one: Served, { body }: Asked): Json {
    let request: unknown = null;
    try {
      request = readJson(body, messageLimits);
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      return parseError(`The body ${error.message}`);
    }
    return answerRpc(request, one, sessions, null);
  }

  function errorMessage(error: unknown): string {
    return JSON.stringify({ type: 'error', data: errorData(error, log) });
  }

  return {
    answer(asked) {
      const [, path, ...rest] = addressOf(asked).parts;
      if (path === undefined && asked.method === 'GET') {
        return { status: 200, body: [...paths.keys()] };
      }
      const one = paths.get(path ?? '');
      // The routes of the Task API repeat the environment's name.
      const name = rest[0] === path ? rest.slice(0, 2).join('/') : rest[0];
      const known = rest[0] === path ? 2 : 1;
      if (one === undefined || name === undefined || rest.length !== known) {
        throw httpFault(404, 'Not Found');
      }
      const routes: Routes = { ...gets, ...posts, mcp: null, ...taskRoutes(path ?? '') };
      const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
      if (route === undefined) throw httpFault(404, 'Not Found');
      const isGet = Object.hasOwn(gets, name) || name === 'list_environments';
      if (asked.method !== (isGet ? 'GET' : 'POST')) throw httpFault(405, 'Method Not Allowed');
      try {
        if (route === null) return { status: 200, body: rpc(one, asked) };
        return { status: 200, body: route(one, isGet ? {} : bodyOf(asked).all()) };
      } catch (error) {
        if (!(error instanceof OpenEnvError)) throw error;
        if (error.code === 'VALIDATION_ERROR') {
          return { status: 422, body: { detail: error.details.errors ?? error.message } };
        }
        return { status: 500, body: { detail: error.message } };
      }
    },

    connect(target, expired) {
      const { parts, query } = addressOf({ method: 'GET', target, body: new Uint8Array() });
      const [prefix, path, name, ...more] = parts;
      const one = paths.get(path ?? '');
      if (prefix !== PREFIX || one === undefined || more.length > 0) return null;
      if (name !== 'ws' && name !== 'mcp') return null;
      const attached = query.get('session_id');
      try {
        const id = attached ?? sessions.open(one, expired);
        sessions.use(id, one);
        return {
          answer(frame) {
            try {
              const session = sessions.use(id, one);
              if (name === 'ws') return answerFrame(frame, session, sessions);
              return JSON.stringify(answerRpc(messageOf(frame), one, sessions, session));
            } catch (error) {
              return errorMessage(error);
            }
          },
          closed() {
            if (attached === null) sessions.close(id);
          },
        };
      } catch (error) {
        return { refused: errorMessage(error) };
      }
    },

    expire: () => sessions.expire(),
    most: limits.most,
    get sessions() {
      return sessions.size;
    },
  };
}

/** Handlers by route; null for JSON-RPC, which parses its own body. */
type Routes = Readonly<Record<string, ((one: Served, body: JsonObject) => Json) | null>>;

/** OpenEnv's Task API, which lists the tasks of a split by index. */
function taskRoutes(
  path: string,
): Readonly<Record<string, (one: Served, body: JsonObject) => Json>> {
  const split = (one: Served, body: JsonObject) => splitOf(one, body.split ?? 'train');
  return {
    list_environments: () => [path],
    [`${path}/list_splits`]: () => ({ splits: [...SPLITS] }),
    [`${path}/num_tasks`]: (one, body) => ({ num_tasks: split(one, body).length }),
    [`${path}/list_tasks`]: (one, body) => ({
      tasks: split(one, body).map((number) => ({ task_id: `${path}_${number}` })),
    }),
  };
}

function errorData(error: unknown, log: (line: string) => void): JsonObject {
  if (error instanceof OpenEnvError) {
    return { message: error.message, code: error.code, ...error.details };
  }
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const message = error instanceof Error ? error.message : 'the environment failed';
  return { message, code: 'EXECUTION_ERROR' };
}

/** @throws {OpenEnvError} */
function messageOf(frame: string): unknown {
  try {
    return parseJson(frame, messageLimits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new OpenEnvError('INVALID_JSON', `The message ${error.message}`);
  }
}

/** The handler of each message type; a null reply closes the connection. */
const types: Readonly<
  Record<string, (session: Session, data: JsonObject, sessions: Sessions) => JsonObject | null>
> = {
  reset: (session, data) => ({ type: 'observation', data: session.reset(data) }),
  step: (session, data) => ({ type: 'observation', data: session.step(data) }),
  state: (session) => ({ type: 'state', data: session.state() }),
  close: () => null,
  mcp: (session, data, sessions) => ({
    type: 'mcp',
    data: answerRpc(data, session.served, sessions, session),
  }),
};

/** @throws {OpenEnvError} */
function answerFrame(frame: string, session: Session, sessions: Sessions): string | null {
  const message = objectOr(messageOf(frame), null);
  if (message === null) throw validationError('message', 'Input should be an object');
  const { type, data = {}, ...others } = message;
  const handle = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (handle === undefined) {
    throw new OpenEnvError('UNKNOWN_TYPE', `Unknown message type: ${JSON.stringify(type ?? null)}`);
  }
  const [extra] = Object.keys(others);
  if (extra !== undefined) throw validationError(extra, 'Extra inputs are not permitted');
  const fields = objectOr(data, null);
  if (fields === null) throw validationError('data', 'Input should be an object');
  const reply = handle(session, fields, sessions);
  return reply === null ? null : JSON.stringify(reply);
}
