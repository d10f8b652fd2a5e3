import { bapoSearch as bapoSearchReference } from '../algorithms/bapo.ts';
import {
  type BapoSettings,
  bapoOrders,
  bapoReadings,
  type LossRows,
} from '../algorithms/objective.ts';
import { bapoSearch } from './bapo.ts';
import { type Operation, operation, unset } from './operation.ts';
import { inputTable, scoreTable } from './reference/objective.ts';
import { bapo, drawRows, looking, updateCases } from './reference/objective-rows.ts';
import { at } from './reference/values.ts';

const f32 = Math.fround;

/** Test cases for BAPO's bound search. */
export const bapoOperations: readonly Operation[] = [
  ...bapoReadings.flatMap((reading) =>
    bapoOrders.map((order) =>
      operation({
        name: `bapo search by ${reading}, ${order}`,
        entries: ['bapo.search'],
        cases: [...updateCases, { updateRows: 0 }],
        refused: [{ updateRows: -1 }, { updateRows: 0.5 }],
        trial: ({ updateRows }, random) => {
          const { rows } = drawRows(updateRows, looking('bounds'), random);
          const result = bapoSearchReference(
            {
              ratios: rowRatios(rows),
              advantages: rows.advantages,
              behaviorLogps: rows.behaviorLogps,
            },
            bapoSettings({ reading, order }),
          );
          return {
            tensors: {
              inputs: inputTable(rows),
              scores: scoreTable(rows),
              bounds: unset(4),
            },
            expected: {
              bounds: [
                result.clipLow,
                result.clipHigh,
                Number.isNaN(result.rho) ? 0 : Math.min(result.rho, f32(3e38)),
                result.lowSteps + result.highSteps,
              ],
            },
          };
        },
        call: (dispatcher, tensors, { updateRows }) =>
          bapoSearch(dispatcher, tensors, { updateRows }, bapoSettings({ reading, order })),
      }),
    ),
  ),
];

/** Settings whose targets stop the search before the end of its ranges at some of the sizes. */
function bapoSettings(search: Pick<BapoSettings, 'reading' | 'order'>): BapoSettings {
  return { ...bapo, ...search, target: search.reading === 'pn_ratio' ? 1.1 : bapo.target };
}

function rowRatios({ logps, proximalLogps }: LossRows): number[] {
  return Array.from(logps, (logp, i) => Math.exp(logp - at(proximalLogps, i)));
}
