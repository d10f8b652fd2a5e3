import { type Operation, operation } from './operation.ts';
import { add, at, float64 } from './reference/values.ts';
import { sumStats } from './statistics.ts';
import { statColumns } from './tables.ts';

/** Test cases for summing statistics. */
export const statisticsOperations: readonly Operation[] = [
  operation({
    name: 'sum of statistics',
    entries: ['statistics.sum'],
    cases: [
      { lossRows: 1 },
      { lossRows: 7 },
      { lossRows: 64 },
      { lossRows: 1000 },
      { lossRows: 0 },
    ],
    refused: [{ lossRows: -1 }, { lossRows: 1.5 }],
    trial: ({ lossRows }, random) => {
      const columns = statColumns.length;
      const nonFinite = statColumns.indexOf('nonFinite');
      const stats = random.floats(lossRows * columns);
      const totals = random.floats(columns);
      totals[nonFinite] = random.whole(3);
      for (let i = 0; i < lossRows; i++) stats[i * columns + nonFinite] = random.whole(4);
      const expected = float64(totals);
      stats.forEach((value, k) => {
        const column = k % columns;
        if (column !== nonFinite) add(expected, column, value);
        else expected[column] = Math.max(at(expected, column), value);
      });
      return { tensors: { stats, totals }, expected: { totals: expected } };
    },
    call: (dispatcher, tensors, { lossRows }) => sumStats(dispatcher, tensors, { lossRows }),
  }),
];
