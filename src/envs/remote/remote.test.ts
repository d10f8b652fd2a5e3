import { afterEach, expect, it } from 'vitest';
import { connectOpenEnv } from './index.ts';
import { disconnect, type Socket, sockets } from './sockets.ts';

const closed = sockets.open;
afterEach(() => {
  disconnect();
  sockets.open = closed;
});

/** Connects to a server that describes its environment like this. */
function connectTo(description: object) {
  sockets.open = (): Socket => {
    const listeners = new Map<string, (event: { readonly data: unknown }) => void>();
    queueMicrotask(() => listeners.get('open')?.({ data: null }));
    return {
      send: () => {
        const data = { result: { lexicon: ['go'], train: ['a', 'b'], ...description } };
        queueMicrotask(() => {
          listeners.get('message')?.({ data: JSON.stringify({ type: 'mcp', data }) });
        });
      },
      close: () => {},
      addEventListener: (type: string, listener: (event: { readonly data: unknown }) => void) => {
        listeners.set(type, listener);
      },
    };
  };
  return connectOpenEnv({ url: 'ws://localhost/maze', turns: 12 });
}

it.each([
  [['c', 'd'], false],
  [['c', 'b'], true],
])('evaluation on %j shares tasks with training: %s', async (tasks, shared) => {
  const { holdout } = await connectTo({ eval: tasks });
  expect(holdout.sameTasks).toBe(shared);
  expect(holdout.aspects.map(({ apart }) => apart)).toEqual([!shared]);
});

it.each([
  [30, 30],
  [1000, 1000],
  [0, 12],
  [-1, 12],
  [2.5, 12],
  [1e9, 12],
  ['30', 12],
])('a server’s turn limit of %j becomes %d', async (sent, limit) => {
  const { turnLimit } = await connectTo({ turn_limit: sent });
  expect(turnLimit).toBe(limit);
});
