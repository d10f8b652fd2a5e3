/** A sampled answer: what it comes to, and whether that is right. */
export interface Vote {
  /** Null for one that comes to nothing, which is no vote. */
  readonly answer: string | null;
  readonly right: boolean;
}

/** The most frequent answers, several where they are equally frequent, in the order of their first votes. */
export function favourites(answers: readonly (string | null)[]): readonly string[] {
  const votes = new Map<string, number>();
  for (const answer of answers) {
    if (answer !== null) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  }
  const most = Math.max(0, ...votes.values());
  return [...votes].filter(([, count]) => count === most).map(([answer]) => answer);
}

/**
 * The majority's answer, ties broken by chance: the order of the votes favours nobody.
 *
 * @param below draws a whole number from 0 to n − 1; not asked where there is no tie
 * @returns null where nothing was voted for
 */
export function majority(
  answers: readonly (string | null)[],
  below: (n: number) => number,
): string | null {
  const tied = favourites(answers);
  return tied[tied.length > 1 ? below(tied.length) : 0] ?? null;
}

/**
 * MV@k: the probability that the majority of k samples is right, ties broken by chance, as the mean
 * over the ⌊n/k⌋ runs of k samples.
 *
 * @throws {RangeError} unless 1 ≤ k ≤ n.
 */
export function majorityAtK(votes: readonly Vote[], k: number): number {
  const runs = Math.floor(votes.length / k);
  if (!(k >= 1 && runs >= 1)) {
    throw new RangeError(`a majority of ${k} needs as many samples, got ${votes.length}`);
  }
  let sum = 0;
  for (let run = 0; run < runs; run++) {
    const own = votes.slice(run * k, (run + 1) * k);
    const tied = favourites(own.map(({ answer }) => answer));
    const right = tied.filter((answer) => own.some((vote) => vote.answer === answer && vote.right));
    sum += tied.length === 0 ? 0 : right.length / tied.length;
  }
  return sum / runs;
}
