import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../config/check.ts';
import { splitSeed } from '../random.ts';
import { corridorRun } from '../testing/corridor-run.ts';
import { packMicroBatches } from './batch.ts';
import { evenParts, type FitRequest, fitEpochs, type PreparedFit, runsOf } from './fit.ts';
import { imitationObjective } from './objective-settings.ts';
import { Updater } from './updates.ts';

const limits = { tokens: 64, rows: 64, lossRows: 64 };

/** Packs episodes of one token each, with the item as context. */
function packed(items: readonly number[]) {
  const episodes = items.map((item) => ({
    sequences: [{ tokens: [item], rows: [0], first: 0 }],
    targets: [5],
    behaviorLogps: [-1],
    versions: [0],
    turns: [0],
    advantages: [1],
  }));
  return packMicroBatches(
    episodes,
    items.map(() => 1 / items.length),
    limits,
  );
}

/** Fits items 1 to 7 and returns the events in order. */
async function passes(over: Partial<FitRequest<number, PreparedFit>>) {
  const { policy } = await corridorRun();
  const config = defaultConfig();
  const updater = new Updater(policy, config.optimizer);
  const log: string[] = [];
  const fractions: number[] = [];
  const losses: number[] = [];
  const ownLosses: number[] = [];
  const objective = imitationObjective(config);
  for await (const { epoch, index, of, batch, done } of fitEpochs({
    items: [1, 2, 3, 4, 5, 6, 7],
    epochs: 2,
    stream: splitSeed(3).shuffle,
    cut: runsOf(3),
    prepare: ({ batch: items, index: at }) => {
      log.push(`ask ${at}`);
      return { packed: packed(items), objective, learningRate: at / 10 };
    },
    updater,
    where: 'a test',
    onProgress: (fraction, loss) => {
      fractions.push(fraction);
      if (loss !== undefined) losses.push(loss);
    },
    wait: 'end',
    ...over,
  })) {
    log.push(`done ${index} of ${of}, epoch ${epoch}: ${batch.length}, update ${done.update}`);
    ownLosses.push(done.stats.loss);
  }
  return {
    log,
    fractions,
    losses: [...new Set(losses)],
    ownLosses: [...new Set(ownLosses)],
    policy,
  };
}

describe('fitEpochs', () => {
  it('checks at the configured interval whether to skip the remaining updates', async () => {
    const answers = [false, true];
    const { log, policy } = await passes({
      stop: { every: 2, enough: async () => answers.shift() ?? true },
      wait: 'epoch',
    });
    expect(log.filter((line) => line.startsWith('ask'))).toEqual([
      'ask 1',
      'ask 2',
      'ask 3',
      'ask 4',
    ]);
    // The check sees the result of all updates so far.
    expect(log.indexOf('done 2 of 6, epoch 0: 3, update 2')).toBeLessThan(log.indexOf('ask 3'));
    expect(policy.updates).toHaveLength(4);
  });

  it('shuffles in every epoch and uses every item once per epoch', async () => {
    const seen: (readonly number[])[] = [];
    const { policy } = await passes({
      prepare: ({ batch }) => {
        seen.push(batch);
        const objective = imitationObjective(defaultConfig());
        return { packed: packed(batch), objective, learningRate: 0.1 };
      },
    });
    const epochs = [seen.slice(0, 3).flat(), seen.slice(3).flat()];
    for (const epoch of epochs) {
      expect([...epoch].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    }
    expect(epochs[0]).not.toEqual(epochs[1]);
    expect(seen.map(({ length }) => length)).toEqual([3, 3, 1, 3, 3, 1]);
    expect(policy.updates).toHaveLength(6);
  });

  const order = ({ log }: { readonly log: readonly string[] }) =>
    log.map((line) => line.replace(/ (\d).*/, ' $1')).join(', ');
  const asked = (...of: readonly number[]) => of.map((i) => `ask ${i}`);
  const done = (...of: readonly number[]) => of.map((i) => `done ${i}`);

  it('reaches the same weights whether it awaits each update, each epoch or only the end', async () => {
    const each = await passes({ wait: 'update' });
    const epoch = await passes({ wait: 'epoch' });
    const end = await passes({ wait: 'end' });
    expect(order(each)).toBe([1, 2, 3, 4, 5, 6].map((i) => `ask ${i}, done ${i}`).join(', '));
    expect(order(epoch)).toBe(
      [...asked(1, 2, 3), ...done(1, 2, 3), ...asked(4, 5, 6), ...done(4, 5, 6)].join(', '),
    );
    expect(order(end)).toBe([...asked(1, 2, 3, 4, 5, 6), ...done(1, 2, 3, 4, 5, 6)].join(', '));
    const weights = await end.policy.readWeights();
    expect(await each.policy.readWeights()).toEqual(weights);
    expect(await epoch.policy.readWeights()).toEqual(weights);
    for (const { fractions, losses, ownLosses } of [each, epoch, end]) {
      expect(losses).toEqual(ownLosses);
      // Every update is reported, some while the next one is being queued.
      expect([...new Set(fractions)].filter((share) => share > 0)).toEqual(
        [1, 2, 3, 4, 5, 6].map((i) => i / 6),
      );
      expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    }
  });

  it('queues updates through the wrapper', async () => {
    const around: string[] = [];
    const { log } = await passes({
      epochs: 1,
      around: async ({ index, learningRate }, queue) => {
        around.push(`before ${index} at ${learningRate}`);
        return queue();
      },
    });
    expect(around).toEqual(['before 1 at 0.1', 'before 2 at 0.2', 'before 3 at 0.3']);
    expect(log.at(-1)).toBe('done 3 of 3, epoch 0: 1, update 3');
  });

  it('does nothing without items', async () => {
    expect(await passes({ items: [] })).toMatchObject({ log: [], fractions: [] });
  });
});

describe('batch splitting', () => {
  it('returns parts of a fixed size, or non-empty parts whose sizes differ by at most one', () => {
    expect(runsOf(3)([1, 2, 3, 4, 5])).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(evenParts(3)([1, 2, 3, 4, 5])).toEqual([[1], [2, 3], [4, 5]]);
    expect(evenParts(4)([1, 2])).toEqual([[1], [2]]);
  });
});
