/**
 * How much of the lab is shown; not a setting of the run. An address may set it; otherwise the stored
 * choice applies; otherwise an address without a run shows the least, and one with a run everything.
 */
import { create } from 'zustand';
import { namesRun, rewriteAddress, withParameter } from '../address/address.ts';
import { readKept, writeKept } from '../browser/kept.ts';

export const depths = ['watch', 'understand', 'everything'] as const;
export type Depth = (typeof depths)[number];

const NAME = 'depth';

export const useDepth = create<{
  readonly depth: Depth;
  /** Set by the address. */
  readonly addressed: boolean;
}>()(() => ({ depth: 'everything', addressed: false }));

const depthOf = (text: string | null) => depths.find((depth) => depth === text);

/** Sets the initial depth; call before rendering. */
export function takeDepth(search: string): void {
  const addressed = depthOf(new URLSearchParams(search).get(NAME));
  const usual = namesRun(search) ? 'everything' : 'watch';
  const depth = addressed ?? depthOf(readKept(NAME)) ?? usual;
  useDepth.setState({ depth, addressed: addressed !== undefined });
  // Remember the depth of a first visit for later ones.
  if (depth === 'watch' && addressed === undefined) writeKept(NAME, depth);
}

/** Adds the depth to an address if the page's own address had set it. */
export function withDepth(address: string): string {
  const { depth, addressed } = useDepth.getState();
  return addressed ? withParameter(address, NAME, depth) : address;
}

/** Stores the choice. */
export function chooseDepth(depth: Depth): void {
  writeKept(NAME, depth);
  if (useDepth.getState().addressed) rewriteAddress((address) => withParameter(address, NAME));
  useDepth.setState({ depth, addressed: false });
}
