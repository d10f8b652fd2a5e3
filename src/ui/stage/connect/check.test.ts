import { expect, it } from 'vitest';
import { addressProblem } from './check.ts';

it.each([
  ['wss://example.org/openenv/maze', 'https:', null],
  ['ws://localhost:8000/openenv/maze', 'https:', null],
  ['ws://127.0.0.1:8000', 'https:', null],
  ['ws://192.168.0.2:8000', 'http:', null],
  ['ws://192.168.0.2:8000', 'https:', 'loaded over https'],
  ['https://example.org', 'https:', 'must begin with wss://'],
  ['example.org', 'https:', 'the full address'],
])(
  'checks the address %s for a page loaded over %s (problem: %s)',
  (address, protocol, problem) => {
    const found = addressProblem(address, { protocol });
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  },
);
