/** The conversations that the current run keeps, and the selected ones. */

import { create } from 'zustand';
import type { KeptConversation } from '../../../runs/conversation.ts';
import { askOrNull } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import type { Flip, VerdictTruth } from './reading.ts';

/** Filters of the list; null for none. */
export interface ConversationFilter {
  readonly iteration: number | null;
  readonly level: number | null;
  readonly flip: Flip | null;
  readonly verdict: VerdictTruth | null;
}

export const everything: ConversationFilter = {
  iteration: null,
  level: null,
  flip: null,
  verdict: null,
};

/** The parts of the panel. */
export const views = ['conversations', 'critic', 'data', 'test-time'] as const;
export type View = (typeof views)[number];

export interface ConversationsState {
  readonly view: View;
  /** As of the last request, newest first. */
  readonly kept: readonly KeptConversation[];
  /** The run of the last request; null if there was none. */
  readonly runId: string | null;
  /** Its newest iteration at that time. */
  readonly asOf: number;
  readonly filter: ConversationFilter;
  /** Number of the open conversation; null opens the first in the list. */
  readonly chosen: number | null;
}

export const useConversations = create<ConversationsState>()(() => ({
  view: 'conversations',
  kept: [],
  runId: null,
  asOf: 0,
  filter: everything,
  chosen: null,
}));

/** Requests the conversations that the run keeps. */
export async function updateConversations(): Promise<void> {
  const { runId, rows } = useLab.getState();
  const asOf = rows.at(-1)?.iteration ?? 0;
  const kept = (await askOrNull('list-conversations', {})) ?? [];
  // Another run may have started in the meantime.
  if (useLab.getState().runId !== runId) return;
  const { runId: before } = useConversations.getState();
  useConversations.setState({
    kept: newestFirst(kept),
    runId,
    asOf,
    ...(before === runId ? {} : { chosen: null, filter: everything }),
  });
}

/** Newest iterations first; within an iteration, by conversation number. */
function newestFirst(kept: readonly KeptConversation[]): readonly KeptConversation[] {
  return kept.toSorted((a, b) => b.iteration - a.iteration || a.number - b.number);
}

export function showView(view: View): void {
  useConversations.setState({ view });
}
