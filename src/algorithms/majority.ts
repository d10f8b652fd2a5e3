/** A sampled answer and whether it is correct. */
export interface Vote {
  /** Null if no answer could be parsed; such a sample does not vote. */
  readonly answer: string | null;
  readonly right: boolean;
}

/** The most frequent answers, in the order of their first votes; several in case of a tie. */
export function favorites(answers: readonly (string | null)[]): readonly string[] {
  const votes = new Map<string, number>();
  for (const answer of answers) {
    if (answer !== null) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  }
  const most = Math.max(0, ...votes.values());
  return [...votes].filter(([, count]) => count === most).map(([answer]) => answer);
}

/**
 * The majority's answer. Ties are broken at random, so the order of votes has no effect.
 * @param below draws an integer from 0 to n − 1; not called without a tie
 * @returns null without votes
 */
export function majority(
  answers: readonly (string | null)[],
  below: (n: number) => number,
): string | null {
  const tied = favorites(answers);
  return tied[tied.length > 1 ? below(tied.length) : 0] ?? null;
}

/** Smaller probabilities do not affect the result. */
const NEGLIGIBLE = 1e-15;

/**
 * MV@k: the exact probability that the majority of k of n samples is correct, over all subsets of
 * size k, with ties broken at random.
 *
 * The counts of answers among the k samples are distributed like independent binomials B(c, k/n),
 * where c is the number of samples with an answer, conditioned on their sum being k. A correct
 * answer with t votes can only win if no other answer has more than t. If m others have exactly t,
 * it wins with probability 1/(1 + m). Summed over t and over correct answers:
 *
 *     P = Σ P[B(c, k/n) = t] · P[the others add up to k − t, each at most t] · E[1/(1 + m)]
 *           / P[B(n, k/n) = k]
 *
 * @throws {RangeError} unless 1 ≤ k ≤ n.
 */
export function majorityAtK(votes: readonly Vote[], k: number): number {
  const n = votes.length;
  if (!(k >= 1 && k <= n)) {
    throw new RangeError(`a majority of ${k} needs as many samples, got ${n}`);
  }
  const counts = new Map<string, { count: number; right: boolean }>();
  for (const { answer, right } of votes) {
    if (answer === null) continue;
    const found = counts.get(answer) ?? { count: 0, right };
    counts.set(answer, { count: found.count + 1, right: found.right || right });
  }
  const share = k / n;
  const whole = binomial(n, share)[k] ?? 1;
  let sum = 0;
  for (const [answer, { count, right }] of counts) {
    if (!right) continue;
    const others = [...counts].filter(([other]) => other !== answer).map(([, own]) => own.count);
    for (const [t, chance] of binomial(count, share).entries()) {
      if (t === 0 || t > k || chance < NEGLIGIBLE * whole) continue;
      sum += chance * winning(others, n - count, share, t, k - t);
    }
  }
  return Math.min(1, sum / whole);
}

/**
 * E[1/(1 + m)], summed over the outcomes in which the votes for other answers add up to `total` and
 * no answer has more than t; m answers have exactly t.
 *
 * @param others the number of samples of each other answer
 * @param samples the number of samples without this answer; those not in `others` do not vote
 */
function winning(
  others: readonly number[],
  samples: number,
  share: number,
  t: number,
  total: number,
): number {
  const bounded = others.filter((count) => count >= t);
  // Answers that cannot exceed t need no bound; together they follow one binomial.
  const free = samples - bounded.reduce((sum, count) => sum + count, 0);
  // The distribution of the sum, by the number of answers with exactly t votes.
  let byTies = [upTo(binomial(free, share), total)];
  for (const count of bounded) {
    const chances = binomial(count, share);
    const next = Array.from({ length: byTies.length + 1 }, () => new Float64Array(total + 1));
    for (const [ties, before] of byTies.entries()) {
      for (let own = 0; own <= t; own++) {
        const chance = chances[own] ?? 0;
        const into = next[own === t ? ties + 1 : ties];
        if (chance === 0 || into === undefined) continue;
        for (let at = own; at <= total; at++) {
          into[at] = (into[at] ?? 0) + chance * (before[at - own] ?? 0);
        }
      }
    }
    byTies = next;
  }
  return byTies.reduce((sum, chances, ties) => sum + (chances[total] ?? 0) / (1 + ties), 0);
}

function upTo(chances: Float64Array, total: number): Float64Array {
  const padded = new Float64Array(total + 1);
  padded.set(chances.subarray(0, total + 1));
  return padded;
}

/** (n + 1) the probabilities of B(n, p). */
function binomial(n: number, p: number): Float64Array {
  const chances = new Float64Array(n + 1);
  if (p >= 1) {
    chances[n] = 1;
    return chances;
  }
  let logChoose = 0;
  for (let i = 0; i <= n; i++) {
    chances[i] = Math.exp(logChoose + i * Math.log(p) + (n - i) * Math.log1p(-p));
    logChoose += Math.log((n - i) / (i + 1));
  }
  return chances;
}
