/**
 * The first and last step of an update's loss: from logits to each loss row's log-probability,
 * entropy and value, and from the gradients of these (pulls) to the gradients of logits and values.
 * The step in between is in surrogate.ts.
 *
 * Loss rows that share a row of logits are consecutive: row l of a micro-batch has the loss rows
 * starts[l] .. starts[l+1]−1. With T the temperature and z the logits,
 *   p = softmax(z / T),  logp = log p[target],  H = −Σ p·log p.
 */
import { type Body, f32, type I32, v128 } from '../../device/processor/assembler.ts';
import {
  type KernelCall,
  type ProcessorKernels,
  wasmFunction,
} from '../../device/processor/kernel.ts';
import { EXP_WORK, exp, log } from './maths.ts';
import { highestLogit, inverse, softmaxSums } from './softmax.ts';
import { steps } from './vectors.ts';

/** Arguments of both kernels: logits (rows, stride), with sizes in bytes, and β = 1/T. */
const logitArguments = {
  logits: 'i32',
  starts: 'i32',
  targets: 'i32',
  softmax: 'i32',
  vocabularyBytes: 'i32',
  strideBytes: 'i32',
  beta: 'f32',
} as const;

/** Values of `logitArguments` for a call. */
function logitValues(call: KernelCall) {
  const { vocabulary = 0, stride = 0, temperature = 1 } = call.params;
  return {
    logits: call.address('logits'),
    starts: call.address('starts'),
    targets: call.address('targets'),
    softmax: call.address('softmax'),
    vocabularyBytes: 4 * vocabulary,
    strideBytes: 4 * stride,
    beta: inverse(temperature),
  };
}

/** Loops over the indices of the loss rows of a row of logits. */
function lossRows(f: Body, starts: I32, row: I32, each: (lossRow: I32) => void): void {
  const start = f.i32(starts.add(row.shl(2)));
  f.for(f.loadInt(start), f.i32(f.loadInt(start, 4)), 1, each);
}

/**
 * softmax (rows, 2) = log Σ exp(z/T − max z/T), H; scores (loss rows, 4) = logp, H, value, 0, with
 * value from column 0 of values (rows, 4). A unit is a row of logits.
 */
const tokenScores = wasmFunction(
  'objective.token_scores',
  { ...logitArguments, values: 'i32', scores: 'i32' },
  (f, { logits, starts, targets, softmax, values, scores, ...args }) => {
    const beta = f.v128(args.beta.splat());
    f.for(args.begin, args.end, 1, (unit) => {
      const row = f.i32(logits.add(unit.mul(args.strideBytes)));
      const logitRow = { row, bytes: args.vocabularyBytes, beta };
      const highest = highestLogit(f, logitRow);
      const { total, weighted } = softmaxSums(f, logitRow, highest);
      const logTotal = f.f32(log(f, total.splat()).lane(0));
      // H = −Σ p·log p = log Σe − Σ e·s / Σe
      const entropy = f.f32(logTotal.sub(weighted.div(total)));
      const kept = f.i32(softmax.add(unit.shl(3)));
      f.store(kept, logTotal);
      f.store(kept, entropy, 4);
      const value = f.f32(f.loadFloat(values.add(unit.shl(4))));
      lossRows(f, starts, unit, (lossRow) => {
        const target = f.loadInt(targets.add(lossRow.shl(2)));
        const logit = f.loadFloat(row.add(target.shl(2)));
        // The sampler's order of operations, so that equal weights give equal bits.
        const logp = logit.mul(args.beta).sub(highest.lane(0)).sub(logTotal);
        const score = f.i32(scores.add(lossRow.shl(4)));
        f.store(score, logp);
        f.store(score, entropy, 4);
        f.store(score, value, 8);
        f.store(score, f32(0), 12);
      });
    });
  },
);

/**
 * dlogits (rows, stride), and dvalues (rows, 4) = ∂loss/∂value, 0, 0, 0, summed over a row's loss
 * rows, from pulls (loss rows, 4) = ∂loss/∂logp, −∂loss/∂H, ∂loss/∂value, 0:
 *   ∂logp_a/∂z_v = (1[v=a] − p_v)/T,  ∂H/∂z_v = −p_v·(log p_v + H)/T.
 * A unit is a row of logits.
 */
const logitGradient = wasmFunction(
  'objective.logit_gradient',
  { ...logitArguments, pulls: 'i32', dlogits: 'i32', dvalues: 'i32' },
  (f, { logits, starts, targets, softmax, pulls, dlogits, dvalues, ...args }) => {
    const { vocabularyBytes, strideBytes } = args;
    const beta = f.v128(args.beta.splat());
    f.for(args.begin, args.end, 1, (unit) => {
      const pull = f.v128(0);
      lossRows(f, starts, unit, (lossRow) => {
        pull.set(pull.add(f.load(pulls.add(lossRow.shl(4)))));
      });
      const dvalue = f.i32(dvalues.add(unit.shl(4)));
      f.store(dvalue, v128(0));
      f.store(dvalue, pull.lane(2));

      const own = f.i32(unit.mul(strideBytes));
      const row = f.i32(logits.add(own));
      const gradient = f.i32(dlogits.add(own));
      const highest = highestLogit(f, { row, bytes: vocabularyBytes, beta });
      const kept = f.i32(softmax.add(unit.shl(3)));
      const logTotal = f.v128(f.loadSplat(kept));
      const entropy = f.v128(f.loadSplat(kept, 4));
      const logpPull = f.v128(pull.lane(0).splat());
      const entropyPull = f.v128(pull.lane(1).splat());
      steps(f, 0, vocabularyBytes, (at, { load, store }) => {
        const logp = f.v128(load(row.add(at)).mul(beta).sub(highest).sub(logTotal));
        const along = entropyPull.mul(logp.add(entropy)).sub(logpPull);
        store(gradient.add(at), exp(f, logp).mul(along).mul(beta));
      });
      steps(f, vocabularyBytes, strideBytes, (at, { store }) => {
        store(gradient.add(at), v128(0));
      });
      lossRows(f, starts, unit, (lossRow) => {
        const target = f.i32(gradient.add(f.loadInt(targets.add(lossRow.shl(2))).shl(2)));
        const ownPull = f.loadFloat(pulls.add(lossRow.shl(4)));
        f.store(target, f.loadFloat(target).add(ownPull.mul(args.beta)));
      });
    });
  },
);

export const objectiveKernels: ProcessorKernels = {
  'objective.token_scores': (call) => {
    const { rows = 0, first = 0, vocabulary = 0 } = call.params;
    call.share(
      tokenScores,
      {
        ...logitValues(call),
        values: call.address('values'),
        scores: call.address('scores') + 16 * first,
      },
      rows,
      EXP_WORK * rows * vocabulary,
    );
  },
  'objective.logit_gradient': (call) => {
    const { rows = 0, vocabulary = 0 } = call.params;
    call.share(
      logitGradient,
      {
        ...logitValues(call),
        pulls: call.address('pulls'),
        dlogits: call.address('dlogits'),
        dvalues: call.address('dvalues'),
      },
      rows,
      EXP_WORK * rows * vocabulary,
    );
  },
};
