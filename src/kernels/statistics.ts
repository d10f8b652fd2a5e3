import shader from '../../shaders/statistics.wgsl';
import type { Dispatcher, Tensor } from '../device/index.ts';
import { expectLength, expectSize } from './guards.ts';
import { numbered, statColumns } from './tables.ts';

const code = /* @__PURE__ */ numbered(shader, { STAT: statColumns });

/** totals (24) (+)= Σ stats (lossRows, 24); `nonFinite` takes the maximum. */
export function sumStats(
  dispatcher: Dispatcher,
  tensors: { readonly stats: Tensor; readonly totals: Tensor },
  { lossRows }: { readonly lossRows: number },
): void {
  const name = 'statistics.sum';
  expectSize(name, 'lossRows', lossRows);
  expectLength(name, 'stats', tensors.stats, [lossRows, statColumns.length]);
  expectLength(name, 'totals', tensors.totals, [statColumns.length]);
  dispatcher.dispatch(
    { kernel: 'statistics', code, entry: 'sum' },
    { ...tensors },
    { loss_rows: lossRows },
    [statColumns.length],
  );
}
