import fc from 'fast-check';
import { expect } from 'vitest';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { expectQuick, processorMs } from '../../testing/processor-time.ts';
import type { Environment } from '../types.ts';

/**
 * Corrupts an admissible action.
 * @param at a position, at most 60
 * @param other a text of at most five characters
 */
export type Spoiler = (action: string, at: number, other: string) => string;

/** Corrupt actions of the form `verb[text]`. */
export const bracketSpoilers: readonly Spoiler[] = [
  (action, at) => action.slice(0, at),
  (action, at) => action.slice(at + 1),
  (action, at, other) => action.slice(0, at) + other + action.slice(at),
  (action) => action.replace('[', '('),
  (action) => action.replace(']', ''),
];

/**
 * Plays a thousand corrupted actions. The environment must reply to each quickly, using only lexemes of its
 * vocabulary and, if it does not understand the action, without a reward.
 *
 * @param refusal a pattern that matches the replies to actions that are not understood
 * @returns the number of actions that were not understood
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
  const times: number[] = [];
  let malformed = 0;
  let { state } = environment.reset(environment.trainTasks[0] ?? '');
  for (const [i, [n, spoil, at, other]] of cases.entries()) {
    const actions = environment.admissibleActions(state);
    const action = spoil(actions[n % actions.length] ?? '', at, other);
    const from = state;
    const step = () => environment.step(from, action);
    // Only once: environments cache results.
    times.push(processorMs(step));
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
  // In milliseconds; a turn takes a small fraction of this.
  expectQuick(times, 100);
  return malformed;
}
