import type { Advice, Criticism, CritiqueOptions } from '../../envs/criticism.ts';
import type { RandomStream } from '../random.ts';
import { chance } from './tasks.ts';

/** A critique by the annotator. */
interface Annotation {
  readonly critique: string;
  /** Whether it equals the oracle's critique. */
  readonly true: boolean;
}

/**
 * The annotator's critique of an answer: the oracle's, or, at a given rate, an incorrect one in the
 * same form. An incorrect critique overlooks an error, blames another step, advises another value,
 * or criticizes a correct answer.
 *
 * @param errorRate from 0 to 1
 */
export function annotate(
  criticism: Criticism,
  { task, answer }: { readonly task: string; readonly answer: string },
  { advice, errorRate }: { readonly advice: Advice; readonly errorRate: number },
  stream: RandomStream,
): Annotation {
  const truth = criticism.critique(task, answer, { advice });
  if (errorRate === 0 || chance(stream) >= errorRate) return { critique: truth, true: true };
  for (const options of stream.shuffled(errors(criticism, task, answer, stream))) {
    const critique = criticism.critique(task, answer, { advice, ...options });
    if (critique !== truth) return { critique, true: false };
  }
  return { critique: truth, true: true };
}

type Error = Omit<CritiqueOptions, 'advice'>;

/** Incorrect critiques of an answer. */
function errors(
  criticism: Criticism,
  task: string,
  answer: string,
  stream: RandomStream,
): readonly Error[] {
  const { right, steps, firstWrong } = criticism.judge(task, answer);
  const value = criticism.values[stream.below(criticism.values.length)];
  const advised = value === undefined ? {} : { value };
  const elsewhere: Error = { step: stream.below(steps.length), ...advised };
  if (right || firstWrong === null) return [elsewhere];
  return [{ step: null }, elsewhere, { step: firstWrong, ...advised }];
}
