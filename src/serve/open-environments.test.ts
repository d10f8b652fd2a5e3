import { describe, expect, it } from 'vitest';
import { SPARED_MS } from './limits.ts';
import { OpenEnvironments } from './open-environments.ts';
import { Refusal } from './protocol.ts';

const IDLE = 4 * SPARED_MS;

function opened(most: number) {
  const clock = { now: 0 };
  const over = new Set<string>();
  const open = new OpenEnvironments<string>(
    { most, idle: IDLE },
    (held) => over.has(held),
    () => clock.now,
  );
  return { clock, over, open };
}

/** The status of a refusal. */
function statusOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error.answer.status;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('OpenEnvironments', () => {
  it('assigns each path its own ids, and never reuses them', () => {
    const { open } = opened(10);
    expect([open.add('a', 'x'), open.add('a', 'y'), open.add('b', 'z')]).toEqual([0, 1, 0]);
    open.close('a', 1);
    expect(open.add('a', 'w')).toBe(2);
    expect(open.use('b', 0)).toBe('z');
    expect(() => open.use('a', 1)).toThrow('no longer open');
    expect(() => open.use('a', 3)).toThrow('There is no environment 3');
    expect(() => open.use('c', 0)).toThrow('There is no environment 0');
  });

  it('rejects a new environment at capacity if none is finished or idle', () => {
    const { open, clock } = opened(2);
    open.add('a', 'x');
    open.add('a', 'y');
    clock.now += SPARED_MS - 1;
    expect(statusOf(() => open.add('a', 'z'))).toBe(503);
    expect(open.size).toBe(2);
  });

  it('replaces finished environments first, then idle ones', () => {
    const { open, clock, over } = opened(3);
    for (const held of ['x', 'y', 'z']) open.add('a', held);
    over.add('y');
    expect(open.add('a', 'new')).toBe(3);
    expect(() => open.use('a', 1)).toThrow('no longer open');
    clock.now += SPARED_MS;
    open.use('a', 0);
    open.add('a', 'newer');
    expect(() => open.use('a', 2)).toThrow('no longer open');
    expect(open.use('a', 0)).toBe('x');
  });

  it('closes environments that have been idle for too long', () => {
    const { open, clock } = opened(10);
    open.add('a', 'x');
    open.add('a', 'y');
    clock.now += IDLE - 1;
    open.use('a', 0);
    clock.now += 1;
    open.expire();
    expect(open.size).toBe(1);
    expect(open.use('a', 0)).toBe('x');
  });
});
