import { traitsOf } from '../algorithms/surrogates.ts';
import { KernelArgumentError } from '../device/index.ts';
import { inputColumns } from '../kernels/tables.ts';
import { at } from './arrays.ts';

import type { NonFiniteCause, Objective, PolicyShape, TrainingBatch } from './types.ts';

const INPUT_COLUMNS = inputColumns.length;

type InputColumn = (typeof inputColumns)[number];

/** Rows by episode: those of episode e are rows[starts[e]] .. rows[starts[e+1] − 1]. */
export interface EpisodeLists {
  readonly count: number;
  /** (count+1) */
  readonly starts: Uint32Array;
  /** (U) */
  readonly rows: Uint32Array;
}

/** The U loss rows of an update's micro-batches, concatenated. */
export interface UpdateTable {
  readonly rows: number;
  /** First row of each micro-batch. */
  readonly firsts: readonly number[];
  /** (U, 8) the objective kernels' inputs. */
  readonly inputs: Float32Array;
  /** Null if the objective does not need whole episodes. */
  readonly episodes: EpisodeLists | null;
  /** The first input that is not finite; null if all are. */
  readonly nonFinite: NonFiniteCause | null;
}

/**
 * Inputs that must be finite, with the cause to report. They are checked here because a non-finite
 * input of a clipped row does not reach the gradient.
 */
const causes = {
  advantages: 'advantages',
  weights: 'advantages',
  oldValues: 'advantages',
  returns: 'advantages',
  behaviorLogps: 'log-probabilities',
  proximalLogps: 'log-probabilities',
  referenceLogps: 'log-probabilities',
} as const satisfies Partial<Record<keyof TrainingBatch, NonFiniteCause>>;

/**
 * @param where the policy's method, for errors
 * @throws KernelArgumentError for arrays of different lengths, for more rows than the capacity, and if an
 *   array or value head that the objective needs is missing.
 */
export function updateTable(
  where: string,
  batches: readonly TrainingBatch[],
  objective: Objective,
  { updateRows, valueHead }: { readonly updateRows: number } & Pick<PolicyShape, 'valueHead'>,
): UpdateTable {
  const fail = (what: string): never => {
    throw new KernelArgumentError(where, what);
  };
  const { surrogate, kl, value } = objective;
  if (value.coef !== 0 && !valueHead) fail('a value loss needs a policy with a value head');
  const { looksAt, reference } = traitsOf(surrogate);
  const byEpisode = looksAt === 'episode' || looksAt === 'pair';
  const needed: readonly (keyof TrainingBatch)[] = [
    ...(byEpisode ? (['episodes'] as const) : []),
    ...(reference || kl.coef !== 0 ? (['referenceLogps'] as const) : []),
    ...(value.coef !== 0 ? (['oldValues', 'returns'] as const) : []),
  ];

  const firsts: number[] = [];
  let rows = 0;
  for (const batch of batches) {
    firsts.push(rows);
    rows += batch.rows.length;
    for (const name of ['episodes', ...keysOf(causes)] as const) {
      const length = batch[name]?.length ?? (needed.includes(name) ? 0 : batch.rows.length);
      if (length !== batch.rows.length) {
        fail(`${name} has ${length} rows, rows has ${batch.rows.length}`);
      }
    }
  }
  if (rows > updateRows) fail(`${rows} loss rows in one update, capacity for ${updateRows}`);

  const inputs = new Float32Array(INPUT_COLUMNS * rows);
  batches.forEach((batch, b) => {
    const { behaviorLogps, advantages, weights, oldValues, returns } = batch;
    const columns: Readonly<Record<InputColumn, Float32Array | undefined>> = {
      behaviorLogp: behaviorLogps,
      proximalLogp: batch.proximalLogps ?? behaviorLogps,
      referenceLogp: batch.referenceLogps ?? behaviorLogps,
      advantage: advantages,
      weight: weights,
      oldValue: oldValues,
      return: returns,
      unused: undefined,
    };
    inputColumns.forEach((name, c) => {
      const column = columns[name];
      if (column === undefined) return;
      const to = (firsts[b] ?? 0) * INPUT_COLUMNS + c;
      for (let i = 0; i < column.length; i++) inputs[to + INPUT_COLUMNS * i] = at(column, i);
    });
  });
  return {
    rows,
    firsts,
    inputs,
    episodes: byEpisode ? episodeLists(where, batches, rows, updateRows) : null,
    nonFinite: firstNonFinite(batches),
  };
}

function firstNonFinite(batches: readonly TrainingBatch[]): NonFiniteCause | null {
  for (const name of keysOf(causes)) {
    if (batches.some((batch) => holdsNonFinite(batch[name]))) return causes[name];
  }
  return null;
}

function holdsNonFinite(values: Float32Array | undefined): boolean {
  if (values === undefined) return false;
  // x − x is 0 for finite numbers only.
  for (let i = 0; i < values.length; i++) if (at(values, i) - at(values, i) !== 0) return true;
  return false;
}

/** Rows are numbered over the update, so that an episode may span several micro-batches. */
function episodeLists(
  where: string,
  batches: readonly TrainingBatch[],
  rows: number,
  most: number,
): EpisodeLists {
  const episodes = batches.flatMap((batch) => Array.from(batch.episodes ?? []));
  // Round up to whole pairs: the worse episode of the last pair may have no rows.
  const count = 2 * Math.ceil((1 + episodes.reduce((a, b) => Math.max(a, b), -1)) / 2);
  if (count > most + 1) {
    throw new KernelArgumentError(
      where,
      `episode ${count - 1}, capacity for ${most}; number the episodes of an update from 0`,
    );
  }
  const starts = new Uint32Array(count + 1);
  for (const episode of episodes) starts[episode + 1] = at(starts, episode + 1) + 1;
  for (let e = 0; e < count; e++) starts[e + 1] = at(starts, e + 1) + at(starts, e);
  const next = starts.slice();
  const list = new Uint32Array(rows);
  episodes.forEach((episode, row) => {
    const to = at(next, episode);
    list[to] = row;
    next[episode] = to + 1;
  });
  return { count, starts, rows: list };
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(record) as Key[];
}
