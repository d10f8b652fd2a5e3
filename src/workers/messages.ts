/** Messages between a worker process and its parent. */
import type { Segment } from '../sweep/plan.ts';
import type { SegmentEnd } from './segment.node.ts';

export type ToChild =
  | { readonly type: 'play'; readonly segment: Segment }
  /** Save the run and end the segment. */
  | { readonly type: 'stop' };

export type FromChild =
  | { readonly type: 'ready'; readonly adapter: string }
  /** The process cannot compute the sweep. */
  | { readonly type: 'useless'; readonly message: string }
  | { readonly type: 'iteration'; readonly run: string; readonly iteration: number }
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'end'; readonly segment: Segment; readonly end: SegmentEnd };
