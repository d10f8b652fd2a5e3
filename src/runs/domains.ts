/** What a critic is worth on answers of kinds that it has learned to criticise, and of others. */
import type { Estimate } from '../algorithms/confidence.ts';

/** The numbers of a domain; the names are those of `CritiqueMetrics`. */
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
 * Evaluation tasks of one environment, all of levels that the critic was trained on, or all of
 * other levels.
 */
export interface KeptDomain {
  readonly name: string;
  /** Whether the critic has learned to criticise answers to such tasks. */
  readonly heard: boolean;
  readonly tasks: number;
  /** With 95% intervals over tasks; null of answers that there are none of. */
  readonly numbers: Readonly<Record<DomainNumber, Estimate | null>>;
}
