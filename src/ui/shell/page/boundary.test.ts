import { describe, expect, it } from 'vitest';
import { Boundary } from './boundary.tsx';

describe('Boundary', () => {
  it('contains a rendering error, and retries when its key changes', () => {
    const props = { children: 'picture', fallback: (message: string) => `failed: ${message}` };
    const failed = Boundary.getDerivedStateFromError(new Error('no such tile'));
    const noted = Boundary.getDerivedStateFromProps({ ...props, resetKey: 'one' }, failed);
    expect(noted?.failed?.message).toBe('no such tile');
    const state = noted ?? failed;
    expect(Boundary.getDerivedStateFromProps({ ...props, resetKey: 'one' }, state)).toBeNull();
    expect(Boundary.getDerivedStateFromProps({ ...props, resetKey: 'two' }, state)).toEqual({
      failed: null,
    });
  });
});
