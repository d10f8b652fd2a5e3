import { type Operation, operation } from './operation.ts';
import { sampleReference } from './reference/sample.ts';
import { float64 } from './reference/values.ts';
import { ENDED, sample } from './sample.ts';

/** Settings of the sampler in all trials. */
const drawn = { seed: 0xfeedbeef };

/** Two end tokens if the vocabulary is large enough, else one. */
const endTokensOf = (vocabulary: number) =>
  vocabulary > 8 ? [vocabulary - 1, 5] : [vocabulary - 1];

/** Test cases for sampling. */
export const sampleOperations: readonly Operation[] = [
  operation({
    name: 'sample',
    entries: ['sample.sample'],
    cases: [
      { rows: 1, vocabulary: 1, stride: 4, width: 1, step: 0, temperature: 1 },
      { rows: 9, vocabulary: 11, stride: 12, width: 3, step: 0, temperature: 0.7 },
      { rows: 70, vocabulary: 34, stride: 36, width: 4, step: 2, temperature: 1.5 },
      { rows: 70, vocabulary: 34, stride: 36, width: 4, step: 3, temperature: 0 },
      { rows: 0, vocabulary: 6, stride: 8, width: 2, step: 1, temperature: 1 },
    ],
    large: { rows: 200, vocabulary: 301, stride: 304, width: 2, step: 1, temperature: 0.9 },
    refused: [{ vocabulary: 0 }, { stride: 0 }, { width: 0 }, { step: 1 }],
    indexed: ['logits'],
    trial: ({ rows, vocabulary, stride, width, step, temperature }, random) => {
      const endToken = vocabulary - 1;
      const ends = endTokensOf(vocabulary);
      // Several episodes may share a row of logits.
      const logitRows = Math.ceil(rows / 2);
      const logits = random.floats(logitRows * stride, 3);
      const tokens = random.wholes(rows * width, vocabulary);
      const logps = random.floats(rows * width);
      const entropies = random.floats(rows * width);
      const nextTokens = new Uint32Array(rows).fill(0xdead);
      const draws = new Uint32Array(4 * rows);
      const expected = {
        tokens: tokens.slice(),
        logps: float64(logps),
        entropies: float64(entropies),
        nextTokens: nextTokens.slice(),
      };
      for (let r = 0; r < rows; r++) {
        const out = r * width + step;
        // Every third episode has already ended, some of them at the previous step.
        const ended = step > 0 && r % 3 === 0;
        if (ended) {
          const mark = r % 2 === 0 ? ENDED : (ends[r % ends.length] ?? endToken);
          tokens[out - 1] = mark;
          expected.tokens[out - 1] = mark;
        } else if (step > 0 && ends.includes(tokens[out - 1] ?? 0)) {
          tokens[out - 1] = 0;
          expected.tokens[out - 1] = 0;
        }
        const logitRow = random.whole(logitRows);
        const row = logits.subarray(logitRow * stride, logitRow * stride + vocabulary);
        const before = random.whole(100);
        const iteration = random.whole(1000);
        const draw = (episode: number) =>
          sampleReference(row, {
            ...drawn,
            temperature,
            episode,
            iteration,
            position: before + step,
          });
        // Use episodes whose draw does not depend on rounding, so that tokens match exactly.
        let episode = random.whole(2 ** 31);
        while (draw(episode).margin < 1e-5) episode = random.whole(2 ** 31);
        draws.set([episode, before, logitRow, iteration], 4 * r);
        const { token, logp, entropy } = draw(episode);
        expected.tokens[out] = ended ? ENDED : token;
        expected.logps[out] = ended ? 0 : logp;
        expected.entropies[out] = ended ? 0 : entropy;
        expected.nextTokens[r] = ended ? endToken : token;
      }
      return {
        tensors: { logits, draws, tokens, logps, entropies, nextTokens },
        expected,
      };
    },
    call: (dispatcher, tensors, { rows, vocabulary, stride, width, step, temperature }) =>
      sample(
        dispatcher,
        tensors,
        { rows, vocabulary, stride, width },
        { ...drawn, step, endTokens: endTokensOf(vocabulary), temperature },
      ),
  }),
];
