/** Services for tests, each with its own clock. */

import type { Served } from '../dialect.ts';
import type { Answer } from '../protocol.ts';
import { createService, type Service, type ServiceSettings } from '../service.ts';
import { type ServeWishes, settle } from '../settle.ts';
import type { Send } from './client.ts';

export interface TestService {
  readonly service: Service;
  readonly served: readonly Served[];
  readonly send: Send;
  /** A request with an unmodified body. */
  readonly raw: (method: string, target: string, body?: string | Uint8Array) => Answer;
  readonly log: readonly string[];
  readonly clock: { now: number };
}

let settled: readonly Served[] | undefined;

export function testService(
  wishes: Partial<ServeWishes> = {},
  limits: ServiceSettings['limits'] = { most: 1000, idle: 3_600_000 },
): TestService {
  // The default service is pure, so all tests share it.
  if (settled === undefined)
    settled = settle({ manner: 'original', environments: [], options: [] });
  const served =
    Object.keys(wishes).length === 0
      ? settled
      : settle({ manner: 'original', environments: [], options: [], ...wishes });
  const clock = { now: 0 };
  const log: string[] = [];
  const service = createService({
    ...{ served, limits },
    now: () => clock.now,
    log: (line) => log.push(line),
  });
  const raw: TestService['raw'] = (method, target, body = '') =>
    service.answer({ method, target, body: Buffer.from(body) });
  const send: Send = async (method, target, body) => {
    const { status, body: reply } = raw(
      method,
      target,
      body === undefined ? '' : JSON.stringify(body),
    );
    // Serializes the reply, so that values that JSON cannot hold become visible.
    return { status, body: JSON.parse(JSON.stringify(reply)) };
  };
  return { service, served, send, raw, log, clock };
}
