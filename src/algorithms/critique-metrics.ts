/** A critiqued and refined answer, with only what the metrics need. */
export interface CritiquedAnswer {
  /** r(x, y): whether the answer is correct. */
  readonly right: boolean;
  /** The critique's verdict; null for a malformed critique, which counts as wrong. */
  readonly verdict: boolean | null;
  /** r(x, y′): whether the refined answer is correct. */
  readonly refined: boolean;
}

/** Shares of all M answers, unless another denominator is named; null if that is 0. */
export interface CritiqueMetrics {
  /** Acc: correct answers. */
  readonly accuracy: number;
  /** Acc@Refine: correct refined answers. */
  readonly refinedAccuracy: number;
  /** Δ = Acc@Refine − Acc = Δi→c − Δc→i. */
  readonly delta: number;
  /**
   * Δc→i: correct answers that were refined to wrong ones, as shares of all answers and of the
   * correct ones.
   */
  readonly correctToIncorrect: number;
  readonly correctToIncorrectOfRight: number | null;
  /** Δi→c: wrong answers that were refined to correct ones, as a share of all answers. */
  readonly incorrectToCorrect: number;
  /** Helpfulness: Δi→c as a share of the wrong answers. */
  readonly helpfulness: number | null;
  /**
   * Acc@Dis: correct verdicts, as shares of all answers, of correct answers and of wrong answers.
   */
  readonly discrimination: number;
  readonly discriminationRight: number | null;
  readonly discriminationWrong: number | null;
  /** Critiques without exactly one verdict in the required position. */
  readonly malformed: number;
}

/**
 * Critique metrics (arXiv:2411.16579; arXiv:2510.24320, §5.1). A malformed critique counts as a
 * wrong verdict, in evaluation and in training.
 *
 * @throws {RangeError} without an answer.
 */
export function critiqueMetrics(answers: readonly CritiquedAnswer[]): CritiqueMetrics {
  const M = answers.length;
  if (M === 0) throw new RangeError('critique metrics need at least one answer');
  const count = (which: (answer: CritiquedAnswer) => boolean) => answers.filter(which).length;
  const c = count(({ right }) => right);
  const i = M - c;
  const refined = count((answer) => answer.refined);
  const lost = count(({ right, refined: now }) => right && !now);
  const won = count(({ right, refined: now }) => !right && now);
  const seenRight = count(({ right, verdict }) => right && verdict === true);
  const seenWrong = count(({ right, verdict }) => !right && verdict === false);
  return {
    accuracy: c / M,
    refinedAccuracy: refined / M,
    delta: (refined - c) / M,
    correctToIncorrect: lost / M,
    correctToIncorrectOfRight: share(lost, c),
    incorrectToCorrect: won / M,
    helpfulness: share(won, i),
    discrimination: (seenRight + seenWrong) / M,
    discriminationRight: share(seenRight, c),
    discriminationWrong: share(seenWrong, i),
    malformed: count(({ verdict }) => verdict === null) / M,
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
