import { expect, it } from 'vitest';
import { parseConfig } from '../../../config/check.ts';
import { allow, asksFirst, notAllowed, usePermissionQuestion } from './allowed.ts';

const on = (url: string) => parseConfig({ env: { id: 'remote/openenv-v1', options: { url } } }).env;

it('asks about each server once', () => {
  const env = on('wss://example.org/openenv/maze');
  const asked = { kind: 'server', text: 'wss://example.org/openenv/maze' } as const;
  expect(notAllowed(parseConfig({}).env)).toBeNull();
  expect(notAllowed(env)).toEqual(asked);
  let continued = false;
  const goOn = () => {
    continued = true;
  };
  expect(asksFirst(env, goOn)).toBe(true);
  expect(continued).toBe(false);
  expect(usePermissionQuestion.getState().question?.asked).toEqual(asked);
  // Allowing code with the same text does not allow the server.
  allow({ ...asked, kind: 'code' });
  expect(notAllowed(env)).toEqual(asked);
  allow(asked);
  expect(asksFirst(env, goOn)).toBe(false);
  expect(usePermissionQuestion.getState().question).toBeNull();
  expect(notAllowed(on('wss://example.org/openenv/other'))).not.toBeNull();
});
