/** The training case as inputs for array libraries: plain matrices, nothing packed. */
import { paddedVocabulary } from '../../../src/policy/layout.ts';
import { caseBatch, caseWeights, type TrainingCase } from '../training-case.ts';

export interface Matrix {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export interface PeerInputs {
  /** Weights by name. Keys and values are separate matrices, as are gate and up projections. */
  readonly weights: Readonly<Record<string, Matrix>>;
  /** (tokens, vocabulary) one-hot rows, with 1 at each row's token. */
  readonly tokens: Matrix;
  readonly targets: Matrix;
  /** (tokens) */
  readonly behaviorLogps: Matrix;
  readonly advantages: Matrix;
  readonly lossWeights: Matrix;
  /**
   * (1, length, 1, head dimensions) tables of rotary positions: x·cos + swapped(x)·sin, where
   * `swapped` exchanges the halves of a head and the first half's sine is negative.
   */
  readonly cos: Matrix;
  readonly sin: Matrix;
}

export function peerInputs(training: TrainingCase): PeerInputs {
  const { shape, length } = training;
  const { vocabulary } = shape;
  if (paddedVocabulary(shape) !== vocabulary || shape.kvHeads !== shape.heads) {
    throw new RangeError(
      'the peers support only full vocabularies and equal numbers of key and query heads',
    );
  }
  const batch = caseBatch(training);
  const { cos, sin } = rotaryTables(shape.width / shape.heads, length);
  const column = (values: Float32Array): Matrix => ({ shape: [values.length], values });
  return {
    weights: plainWeights(training),
    tokens: oneHot(batch.tokens, vocabulary),
    targets: oneHot(batch.targets, vocabulary),
    behaviorLogps: column(batch.behaviorLogps),
    advantages: column(batch.advantages),
    lossWeights: column(batch.weights),
    cos,
    sin,
  };
}

/** Whether AdamW decays a weight: it decays matrices, not norm gains. */
export function isDecayed({ shape }: Matrix): boolean {
  return shape.length > 1;
}

function plainWeights({ shape }: TrainingCase): Record<string, Matrix> {
  const weights: Record<string, Matrix> = {};
  for (const [name, matrix] of caseWeights(shape)) {
    if (name.endsWith('key_value')) {
      const [key, value] = halves(matrix);
      weights[name.replace('key_value', 'key')] = key;
      weights[name.replace('key_value', 'value')] = value;
    } else if (name.endsWith('gate_up')) {
      const [gate, up] = halves(matrix);
      weights[name.replace('gate_up', 'gate')] = gate;
      weights[name.replace('gate_up', 'up')] = up;
    } else {
      weights[name] = matrix;
    }
  }
  return weights;
}

/** The left and the right half of a matrix's columns. */
function halves({ shape: [rows = 0, columns = 0], values }: Matrix): [Matrix, Matrix] {
  const half = columns / 2;
  const part = (first: number): Matrix => ({
    shape: [rows, half],
    values: Float32Array.from(
      { length: rows * half },
      (_, i) => values[Math.floor(i / half) * columns + first + (i % half)] ?? Number.NaN,
    ),
  });
  return [part(0), part(half)];
}

function oneHot(indices: Uint32Array, classes: number): Matrix {
  const values = new Float32Array(indices.length * classes);
  indices.forEach((index, row) => {
    values[row * classes + index] = 1;
  });
  return { shape: [indices.length, classes], values };
}

function rotaryTables(headDim: number, length: number): { cos: Matrix; sin: Matrix } {
  const shape = [1, length, 1, headDim];
  const half = headDim / 2;
  const table = (of: (angle: number, first: boolean) => number): Matrix => ({
    shape,
    values: Float32Array.from({ length: length * headDim }, (_, i) => {
      const position = Math.floor(i / headDim);
      const dimension = i % headDim;
      const angle = position * 10_000 ** (-(dimension % half) / half);
      return of(angle, dimension < half);
    }),
  });
  return {
    cos: table((angle) => Math.cos(angle)),
    sin: table((angle, first) => (first ? -Math.sin(angle) : Math.sin(angle))),
  };
}
