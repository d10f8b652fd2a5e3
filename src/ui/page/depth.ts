/**
 * How much of the lab is shown. It is no part of a run's settings. An address may name it; else what
 * was chosen here before counts; else a bare address shows the least, and one that names a run all.
 */
import { create } from 'zustand';
import { namesRun, rewriteAddress, withParameter } from '../address/address.ts';
import { readKept, writeKept } from '../browser/kept.ts';

export const depths = ['watch', 'understand', 'everything'] as const;
export type Depth = (typeof depths)[number];

const NAME = 'depth';

export const useDepth = create<{
  readonly depth: Depth;
  /** The address names it. */
  readonly addressed: boolean;
}>()(() => ({ depth: 'everything', addressed: false }));

const depthOf = (text: string | null) => depths.find((depth) => depth === text);

/** Takes the depth that the page opens with; to be called before anything is shown. */
export function takeDepth(search: string): void {
  const addressed = depthOf(new URLSearchParams(search).get(NAME));
  const usual = namesRun(search) ? 'everything' : 'watch';
  const depth = addressed ?? depthOf(readKept(NAME)) ?? usual;
  useDepth.setState({ depth, addressed: addressed !== undefined });
  // A newcomer who chooses another run comes back to as much as before.
  if (depth === 'watch' && addressed === undefined) writeKept(NAME, depth);
}

/** An address as `writeAddress` gives it, with the depth where the page's own address named it. */
export function withDepth(address: string): string {
  const { depth, addressed } = useDepth.getState();
  return addressed ? withParameter(address, NAME, depth) : address;
}

/** Keeps the choice for this visit and the next ones. */
export function chooseDepth(depth: Depth): void {
  writeKept(NAME, depth);
  if (useDepth.getState().addressed) rewriteAddress((address) => withParameter(address, NAME));
  useDepth.setState({ depth, addressed: false });
}
