/**
 * Draws the next token of each episode from its row of logits (several episodes may share a row).
 * The random bits come from Philox4x32-10 (Salmon et al., SC 2011) with counter (position, episode,
 * iteration, 0) and key (seed, 0).
 */

import { KernelArgumentError } from '../../device/index.ts';
import { type Body, type F32, type I32, i32, type V128 } from '../../device/processor/assembler.ts';
import {
  type ProcessorKernels,
  SCRATCH_BYTES,
  wasmFunction,
} from '../../device/processor/kernel.ts';
import { ENDED } from '../sample.ts';
import { EXP_WORK, exp, log } from './maths.ts';
import { highestLogit, inverse, type LogitRow, softmaxSums } from './softmax.ts';

/** Log2 of the tokens per stored cumulative total; a block is a whole number of vectors. */
const BLOCK_BITS = 3;
const MOST_TOKENS = (SCRATCH_BYTES / 4) << BLOCK_BITS;

/** Upper 32 bits of the product. */
function mulHigh(f: Body, a: number, b: I32): I32 {
  const [aLow, aHigh] = [a & 0xffff, a >>> 16];
  const bLow = f.i32(b.and(0xffff));
  const bHigh = f.i32(b.shr(16));
  const cross = f.i32(bLow.mul(aHigh).add(bLow.mul(aLow).shr(16)));
  const crossLow = bHigh.mul(aLow).add(cross.and(0xffff));
  return bHigh.mul(aHigh).add(cross.shr(16)).add(crossLow.shr(16));
}

/** The first of Philox's four output words. */
function philox(f: Body, position: I32, episode: I32, iteration: I32, seed: I32): I32 {
  const counter = [f.i32(position), f.i32(episode), f.i32(iteration), f.i32(0)] as const;
  const key = [f.i32(seed), f.i32(0)] as const;
  const [x, y, z, w] = counter;
  f.for(0, 10, 1, () => {
    const high0 = f.i32(mulHigh(f, 0xd2511f53, x));
    const low0 = f.i32(x.mul(0xd2511f53));
    const high1 = f.i32(mulHigh(f, 0xcd9e8d57, z));
    const low1 = f.i32(z.mul(0xcd9e8d57));
    x.set(high1.xor(y).xor(key[0]));
    y.set(low1);
    z.set(high0.xor(w).xor(key[1]));
    w.set(low0);
    key[0].set(key[0].add(0x9e3779b9));
    key[1].set(key[1].add(0xbb67ae85));
  });
  return x;
}

/** Byte offset of the first token with the highest logit; of the last token if all are NaN. */
function mostProbable(f: Body, { row, bytes, beta }: LogitRow, highest: V128): I32 {
  const at = f.i32(0);
  const last = f.i32(bytes.sub(4));
  const isHighest = f.loadFloat(row.add(at)).mul(beta.lane(0)).eq(highest.lane(0));
  f.while(isHighest.eq(0).and(at.lt(last)), () => at.set(at.add(4)));
  return at;
}

/** Scratch address of the cumulative total of the block of tokens that contains byte `at`. */
const blockTotal = (scratch: I32, at: I32) => scratch.add(at.shr(2 + BLOCK_BITS).shl(2));

/**
 * Byte offset of the first token at which the sum of exponentials exceeds `threshold`; of the last
 * token if it never does, as with NaN.
 */
function drawn(
  f: Body,
  { row, bytes, beta }: LogitRow,
  { highest, threshold, scratch }: { highest: V128; threshold: F32; scratch: I32 },
): I32 {
  const block = f.i32(scratch);
  const lastBlock = f.i32(blockTotal(scratch, bytes.sub(4)));
  const below = f.f32(0);
  f.while(f.loadFloat(block).gt(threshold).eq(0).and(block.lt(lastBlock)), () => {
    below.set(f.loadFloat(block));
    block.set(block.add(4));
  });
  // Second pass within the block, in the summation order of its total.
  const behind = f.i32(block.sub(scratch).shl(BLOCK_BITS));
  f.while(below.gt(threshold).eq(0).and(behind.lt(bytes)), () => {
    const shifted = f.loadSplat(row.add(behind)).mul(beta).sub(highest);
    below.set(below.add(exp(f, shifted).lane(0)));
    behind.set(behind.add(4));
  });
  return f.i32(behind.sub(4));
}

/**
 * Writes column `step` of tokens, logps, entropies (rows, width); the token is ENDED if the episode
 * has already written an end token. nextTokens (rows) is the input of the next decoding step.
 * draws (rows, 4) = episode number, tokens written by the agent before this turn, row of logits,
 * iteration in which the episode began. A unit is an episode.
 */
const sample = wasmFunction(
  'sample',
  {
    logits: 'i32',
    draws: 'i32',
    tokens: 'i32',
    logps: 'i32',
    entropies: 'i32',
    nextTokens: 'i32',
    vocabularyBytes: 'i32',
    strideBytes: 'i32',
    width: 'i32',
    step: 'i32',
    endToken: 'i32',
    endToken2: 'i32',
    endToken3: 'i32',
    endToken4: 'i32',
    beta: 'f32',
    /** Nonzero: take the most probable token; ties go to the lowest id. */
    greedy: 'i32',
    seed: 'i32',
  },
  (f, args) => {
    const { scratch } = args;
    const beta = f.v128(args.beta.splat());
    f.for(args.begin, args.end, 1, (unit) => {
      const out = f.i32(unit.mul(args.width).add(args.step).shl(2));
      const previous = f.i32(0);
      f.if(args.step.gt(0), () => previous.set(f.loadInt(args.tokens.add(out).sub(4))));
      const running = previous
        .ne(ENDED)
        .and(previous.ne(args.endToken))
        .and(previous.ne(args.endToken2))
        .and(previous.ne(args.endToken3))
        .and(previous.ne(args.endToken4))
        .or(args.step.eq(0));
      const token = f.i32(i32(ENDED));
      const logp = f.f32(0);
      const entropy = f.f32(0);
      const next = f.i32(args.endToken);
      f.if(running, () => {
        const draw = f.i32(args.draws.add(unit.shl(4)));
        const row = f.i32(args.logits.add(f.loadInt(draw, 8).mul(args.strideBytes)));
        const logits = { row, bytes: args.vocabularyBytes, beta };
        const highest = highestLogit(f, logits);
        const { total, weighted } = softmaxSums(f, logits, highest, (soFar, at) => {
          // The last store of a block is its total.
          f.store(blockTotal(scratch, at), soFar);
        });
        const chosen = f.i32(0);
        f.if(
          args.greedy,
          () => chosen.set(mostProbable(f, logits, highest)),
          () => {
            const position = f.loadInt(draw, 4).add(args.step);
            const bits = philox(f, position, f.loadInt(draw), f.loadInt(draw, 12), args.seed);
            // 24 bits give a float in [0, 1) without rounding.
            const threshold = f.f32(
              bits
                .shr(8)
                .toFloat()
                .mul(2 ** -24)
                .mul(total),
            );
            chosen.set(drawn(f, logits, { highest, threshold, scratch }));
          },
        );
        const logTotal = f.f32(log(f, total.splat()).lane(0));
        token.set(chosen.shr(2));
        next.set(token);
        logp.set(f.loadFloat(row.add(chosen)).mul(args.beta).sub(highest.lane(0)).sub(logTotal));
        entropy.set(logTotal.sub(weighted.div(total)));
      });
      f.store(args.tokens.add(out), token);
      f.store(args.logps.add(out), logp);
      f.store(args.entropies.add(out), entropy);
      f.store(args.nextTokens.add(unit.shl(2)), next);
    });
  },
);

export const sampleKernels: ProcessorKernels = {
  'sample.sample': (call) => {
    const { rows = 0, vocabulary = 0, stride = 0, width = 0, step = 0 } = call.params;
    const { end_token = 0, temperature = 1, seed = 0 } = call.params;
    const { end_token_2 = 0, end_token_3 = 0, end_token_4 = 0 } = call.params;
    if (vocabulary > MOST_TOKENS) {
      throw new KernelArgumentError(
        'sample.sample',
        `a vocabulary of ${vocabulary} tokens is more than the processor draws from, ${MOST_TOKENS}`,
      );
    }
    const greedy = temperature === 0;
    call.share(
      sample,
      {
        logits: call.address('logits'),
        draws: call.address('draws'),
        tokens: call.address('tokens'),
        logps: call.address('logps'),
        entropies: call.address('entropies'),
        nextTokens: call.address('next_tokens'),
        vocabularyBytes: 4 * vocabulary,
        strideBytes: 4 * stride,
        width,
        step,
        endToken: end_token,
        endToken2: end_token_2,
        endToken3: end_token_3,
        endToken4: end_token_4,
        // Greedy tokens get their log-probability at temperature 1.
        beta: greedy ? 1 : inverse(temperature),
        greedy: greedy ? 1 : 0,
        seed,
      },
      rows,
      EXP_WORK * rows * vocabulary,
    );
  },
};
