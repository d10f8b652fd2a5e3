/** Results of a critic on the kinds of tasks that it was trained on, and on other kinds. */
import type { Estimate } from '../algorithms/confidence.ts';

/** The metrics of a domain, named as in `CritiqueMetrics`. */
export const domainNumbers = [
  'accuracy',
  'refinedAccuracy',
  'discrimination',
  'discriminationRight',
  'discriminationWrong',
  'incorrectToCorrect',
  'correctToIncorrect',
] as const;
export type DomainNumber = (typeof domainNumbers)[number];

/**
 * Evaluation tasks of one environment. The critic was trained either on all of their kinds (environment
 * and level) or on none of them.
 */
export interface KeptDomain {
  readonly name: string;
  /** Whether the critic was trained on answers to such tasks. */
  readonly heard: boolean;
  readonly tasks: number;
  /** With 95% intervals over tasks; null if there are no answers of the kind. */
  readonly numbers: Readonly<Record<DomainNumber, Estimate | null>>;
}
