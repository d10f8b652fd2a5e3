/** Quality of a critic on task levels that it was trained on, and on other levels. */
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
 * Evaluation tasks of one environment, either all from levels that the critic was trained on or all
 * from other levels.
 */
export interface KeptDomain {
  readonly name: string;
  /** Whether the critic was trained on answers to such tasks. */
  readonly heard: boolean;
  readonly tasks: number;
  /** With 95% intervals over tasks; null if there are no answers of the kind. */
  readonly numbers: Readonly<Record<DomainNumber, Estimate | null>>;
}
