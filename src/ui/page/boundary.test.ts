import { describe, expect, it } from 'vitest';
import { Boundary } from './boundary.tsx';

describe('a boundary', () => {
  it('keeps a picture that fails from the page, and tries again with the next', () => {
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
