/**
 * OpenEnv's JSON-RPC dialect, over `POST /mcp` and in `mcp` messages. It is not MCP: it has no
 * `initialize`.
 */

import type { Served } from '../dialect.ts';
import type { Json } from '../protocol.ts';
import type { NumberedTask } from '../tasks.ts';
import { type JsonObject, OpenEnvError, Session } from './session.ts';
import type { Sessions } from './sessions.ts';

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** The only tool; OpenEnv reserves reset, step, state and close. */
const ACT: JsonObject = {
  name: 'act',
  description: 'Takes one action in the environment and returns the next observation.',
  inputSchema: {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: ['message'],
    additionalProperties: false,
  },
};

class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Method = (
  served: Served,
  sessions: Sessions,
  params: JsonObject,
  own: Session | null,
) => JsonObject;

const methods: Readonly<Record<string, Method>> = {
  'openenv/session/create': (served, sessions) => ({ session_id: sessions.open(served, null) }),

  'openenv/session/close'(served, sessions, params) {
    const id = textParam(params, 'session_id');
    sessions.use(id, served);
    sessions.close(id);
    return { session_id: id, closed: true };
  },

  'tools/list': () => ({ tools: [ACT] }),

  'tools/call'(served, sessions, params, own) {
    const name = textParam(params, 'name');
    if (name !== ACT.name) throw new RpcError(INVALID_PARAMS, `there is no tool ${name}`);
    const session =
      params.session_id === undefined || params.session_id === null
        ? (own ?? new Session(served))
        : sessions.use(textParam(params, 'session_id'), served);
    if (!session.started) session.reset({});
    const after = session.step(objectOr(params.arguments, {}));
    const text = textOf(after);
    return { content: [{ type: 'text', text }], structuredContent: after, isError: false };
  },

  /** Not part of OpenEnv: lets Palestra's client build a vocabulary and list tasks and actions. */
  'palestra/describe'({ dialect, tasks }) {
    const { train, evaluation, find } = tasks();
    const environments = new Set(train.map((number) => find(number)?.environment));
    const [first] = environments;
    const lexicon = new Set([...environments].flatMap((one) => one?.lexicon ?? []));
    const ids = (numbers: readonly number[]) => numbers.map((n) => `${dialect.path}_${n}`);
    return {
      instruction: first?.instruction ?? '',
      turn_limit: Math.max(...[...environments].map((one) => one?.turnLimit ?? 0)),
      lexicon: [...lexicon],
      train: ids(train),
      eval: ids(evaluation),
      actions: [
        ...new Set(train.slice(0, MOST_STARTS).flatMap((number) => startActions(find(number)))),
      ],
    };
  },
};

/** Number of training tasks whose initial actions are listed. */
const MOST_STARTS = 32;

/** The actions at the start of a task. */
const startActions = (found: NumberedTask | undefined): readonly string[] =>
  found === undefined
    ? []
    : found.environment.admissibleActions(found.environment.reset(found.task).state);

/** The reply to a text that is not JSON. */
export const parseError = (message: string): JsonObject => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: PARSE_ERROR, message },
});

/** Answers a JSON-RPC request. Errors are reported in the reply, as JSON-RPC requires. */
export function answerRpc(
  request: unknown,
  served: Served,
  sessions: Sessions,
  own: Session | null,
): JsonObject {
  const { jsonrpc, id = null, method, params } = objectOr(request, {} as JsonObject);
  const answered = { jsonrpc: '2.0', id: typeof id === 'object' ? null : id };
  try {
    if (jsonrpc !== '2.0' || typeof method !== 'string') {
      throw new RpcError(INVALID_REQUEST, 'Invalid Request');
    }
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    return { ...answered, result: run(served, sessions, objectOr(params, {}), own) };
  } catch (error) {
    if (error instanceof RpcError) {
      return { ...answered, error: { code: error.code, message: error.message } };
    }
    if (!(error instanceof OpenEnvError)) throw error;
    const { code, message, details } = error;
    const number = code === 'VALIDATION_ERROR' ? INVALID_PARAMS : INTERNAL_ERROR;
    return { ...answered, error: { code: number, message, data: { code, ...details } } };
  }
}

function textParam(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new RpcError(INVALID_PARAMS, `${name} should be a string`);
}

export function objectOr<Default>(value: unknown, other: Default): JsonObject | Default {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : other;
}

function textOf({ observation }: JsonObject): Json {
  return objectOr(observation, {} as JsonObject).observation ?? '';
}
