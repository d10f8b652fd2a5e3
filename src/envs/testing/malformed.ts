import fc from 'fast-check';
import { expect } from 'vitest';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { processorMs } from '../../testing/processor-time.ts';
import type { Environment } from '../types.ts';

/** Spoils an admissible action. @param at up to 60 @param other up to five characters */
export type Spoiler = (action: string, at: number, other: string) => string;

/**
 * Plays a thousand spoiled actions: the environment answers each in its vocabulary, at low cost, and
 * gives no reward for those it cannot read.
 *
 * @param refusal what it answers to those
 * @returns their number
 */
export function playMalformed<State>(
  environment: Environment<State>,
  spoilers: readonly Spoiler[],
  refusal: RegExp,
): number {
  const tokenizer = new WordTokenizer(environment.lexicon);
  const cases = fc.sample(
    fc.tuple(fc.nat(), fc.constantFrom(...spoilers), fc.nat(60), fc.string({ maxLength: 5 })),
    { seed: 3, numRuns: 1000 },
  );
  let [malformed, slowest] = [0, 0];
  let { state } = environment.reset(environment.trainTasks[0] ?? '');
  for (const [i, [n, spoil, at, other]] of cases.entries()) {
    const actions = environment.admissibleActions(state);
    const action = spoil(actions[n % actions.length] ?? '', at, other);
    const from = state;
    const step = () => environment.step(from, action);
    slowest = Math.max(slowest, processorMs(100, step));
    const after = step();
    const reading = tokenizer.decode(tokenizer.encode(after.observation));
    expect(reading, action).toBe(after.observation);
    if (!after.understood) {
      malformed++;
      expect(after.observation).toMatch(refusal);
      expect(after.reward).toBe(0);
    }
    const task = environment.trainTasks[i + 1] ?? '';
    state = after.terminated ? environment.reset(task).state : after.state;
  }
  // Milliseconds; many times what a turn takes.
  expect(slowest).toBeLessThan(100);
  return malformed;
}
