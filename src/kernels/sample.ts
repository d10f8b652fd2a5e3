import philox from '../../shaders/philox.wgsl';
import source from '../../shaders/sample.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize, groups } from './guards.ts';
import { withLibrary } from './unroll.ts';

const code = /* @__PURE__ */ withLibrary(philox, source);

/** Stored instead of a token after an episode's end token. */
export const ENDED = 0xffffffff;

export interface SampleSizes {
  /** Number of episodes. */
  readonly rows: number;
  readonly vocabulary: number;
  /** Row stride of the logits in elements, at least `vocabulary`. */
  readonly stride: number;
  /** Columns of the outputs. */
  readonly width: number;
}

/**
 * Draws column `step` of tokens, logps, entropies (rows, width) from logits (·, stride), and writes
 * nextTokens (rows). draws (rows, 4) = episode number, tokens generated before this turn, row of
 * logits, iteration in which the episode began.
 */
export function sample(
  dispatcher: Dispatcher,
  tensors: {
    readonly logits: Tensor;
    readonly draws: Tensor;
    readonly tokens: Tensor;
    readonly logps: Tensor;
    readonly entropies: Tensor;
    readonly nextTokens: Tensor;
  },
  { rows, vocabulary, stride, width }: SampleSizes,
  draw: {
    readonly step: number;
    /** 1 to 4 token ids. An episode generates no tokens after one of these. */
    readonly endTokens: readonly number[];
    readonly temperature: number;
    readonly seed: number;
  },
): void {
  const name = 'sample.sample';
  expectSize(name, 'rows', rows);
  expectSize(name, 'vocabulary', vocabulary, { least: 1 });
  expectSize(name, 'stride', stride, { least: vocabulary });
  expectSize(name, 'width', width, { least: 1 });
  expectSize(name, 'width − step', width - draw.step, { least: 1 });
  expectLength(name, 'draws', tensors.draws, [rows, 4]);
  for (const key of ['tokens', 'logps', 'entropies'] as const) {
    expectLength(name, key, tensors[key], [rows, width]);
  }
  expectLength(name, 'nextTokens', tensors.nextTokens, [rows]);
  expectSize(name, '4 − end tokens', 4 - draw.endTokens.length);
  const { logits, draws, tokens, logps, entropies, nextTokens } = tensors;
  const [end_token = ENDED, ...others] = draw.endTokens;
  const [end_token_2 = end_token, end_token_3 = end_token, end_token_4 = end_token] = others;
  dispatcher.dispatch(
    { kernel: 'sample', code, entry: 'sample' },
    { logits, draws, tokens, logps, entropies, next_tokens: nextTokens },
    {
      rows,
      vocabulary,
      stride,
      width,
      step: draw.step,
      end_token,
      end_token_2,
      end_token_3,
      end_token_4,
      temperature: draw.temperature,
      seed: draw.seed,
    },
    [groups(rows, 64)],
  );
}
