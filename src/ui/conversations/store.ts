/** The conversations that the present run keeps, and which of them are shown. */

import { create } from 'zustand';
import type { KeptConversation } from '../../runs/conversation.ts';
import { listConversations } from '../lab/questions.ts';
import { useLab } from '../lab/store.ts';
import type { Flip, VerdictTruth } from './reading.ts';

/** Which conversations are listed; null lists all. */
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
  /** As they were when the run was last asked, newest first. */
  readonly kept: readonly KeptConversation[];
  /** The run that was asked; null when none was. */
  readonly runId: string | null;
  /** Its newest iteration then. */
  readonly asOf: number;
  readonly filter: ConversationFilter;
  /** The one that is read, by its number; null reads the first that is listed. */
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

/** Asks the run which conversations it keeps. */
export async function updateConversations(): Promise<void> {
  const { runId, rows } = useLab.getState();
  const asOf = rows.at(-1)?.iteration ?? 0;
  const kept = await listConversations();
  // Another run may have begun in the meantime.
  if (useLab.getState().runId !== runId) return;
  const { runId: before } = useConversations.getState();
  useConversations.setState({
    kept: newestFirst(kept),
    runId,
    asOf,
    ...(before === runId ? {} : { chosen: null, filter: everything }),
  });
}

/** Iterations from the newest on; within one, as they were said. */
function newestFirst(kept: readonly KeptConversation[]): readonly KeptConversation[] {
  return kept.toSorted((a, b) => b.iteration - a.iteration || a.number - b.number);
}

export function showView(view: View): void {
  useConversations.setState({ view });
}
