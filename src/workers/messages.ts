/** What a process that computes and the one that started it tell each other. */
import type { Segment } from '../sweep/plan.ts';
import type { SegmentEnd } from './segment.node.ts';

export type ToChild =
  | { readonly type: 'play'; readonly segment: Segment }
  /** Keep the run and leave it. */
  | { readonly type: 'stop' };

export type FromChild =
  | { readonly type: 'ready'; readonly adapter: string }
  /** It cannot compute at all. */
  | { readonly type: 'useless'; readonly message: string }
  | { readonly type: 'iteration'; readonly run: string; readonly iteration: number }
  | { readonly type: 'log'; readonly line: string }
  | { readonly type: 'end'; readonly segment: Segment; readonly end: SegmentEnd };
