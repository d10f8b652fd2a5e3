import type { IterationDetails } from '../../runs/details.ts';

/** One bar of the staleness histogram. */
export interface AgeBin {
  /** `0`, `1`, `2`, `3–4`, `5–8` … */
  readonly name: string;
  readonly tokens: number;
}

/** Ages in bins that double in width: 0, 1, 2, 3–4, 5–8 and so on, up to the oldest token. */
export function ageBins(staleness: IterationDetails['staleness']): readonly AgeBin[] {
  const bins: { from: number; to: number; tokens: number }[] = [];
  const oldest = staleness.reduce((most, [versions]) => Math.max(most, versions), -1);
  for (let from = 0, to = 0; from <= oldest; ) {
    bins.push({ from, to, tokens: 0 });
    from = to + 1;
    to = to < 2 ? to + 1 : 2 * to;
  }
  for (const [versions, tokens] of staleness) {
    const bin = bins.find(({ from, to }) => versions >= from && versions <= to);
    if (bin !== undefined) bin.tokens += tokens;
  }
  return bins.map(({ from, to, tokens }) => ({
    name: from === to ? String(from) : `${from}–${to}`,
    tokens,
  }));
}
