/** State of the episode inspector. */

import { create } from 'zustand';
import type { Alternatives, Inspection } from '../../../runs/inspection.ts';
import { ask, askOrNull, QuestionRefusedError } from '../lab/questions.ts';

/** The measure that colors tokens. */
export const measures = ['probability', 'entropy', 'advantage', 'ratio', 'clipped'] as const;
export type Measure = (typeof measures)[number];

export type InspectorView = 'episode' | 'group' | 'compare';

interface InspectorState {
  /** Null if closed. */
  readonly inspection: Inspection | null;
  readonly view: InspectorView;
  readonly measure: Measure;
  /** Index of the selected token in the episode; null at the end. */
  readonly token: number | null;
  /** The token under the mouse; its details replace those of the selected token. */
  readonly hovered: number | null;
  /** Number of completed turns in the state that the picture shows. */
  readonly turn: number;
  /** Alternatives to the tokens of `inspection`; null until loaded. */
  readonly alternatives: Alternatives | null;
  /** Why there are no alternatives, in one sentence. */
  readonly withoutAlternatives: string | null;
  /** Other loaded episodes of the group, by number. */
  readonly others: ReadonlyMap<number, Inspection>;
  /** The compared episode. */
  readonly other: number | null;
}

const nothing = {
  inspection: null,
  view: 'episode',
  token: 0,
  hovered: null,
  turn: 0,
  alternatives: null,
  withoutAlternatives: null,
  others: new Map(),
  other: null,
} as const;

export const useInspector = create<InspectorState>()(() => ({
  ...nothing,
  measure: 'probability',
}));

export function closeInspector(): void {
  useInspector.setState(nothing);
}

/**
 * Opens an episode of the run.
 *
 * @returns whether it is still kept
 */
export async function openInspector(number: number): Promise<boolean> {
  const inspection =
    (await askOrNull('inspect-episode', { number })) ??
    // The group view may hold an episode that has been dropped.
    useInspector.getState().others.get(number) ??
    null;
  if (inspection === null) return false;
  const { view, inspection: before, others } = useInspector.getState();
  const sameGroup = before?.group?.members.some((member) => member.number === number) === true;
  useInspector.setState({
    ...nothing,
    inspection,
    // The view stays the same when moving within a group.
    view: sameGroup && view !== 'compare' ? view : 'episode',
    others: sameGroup ? new Map(others).set(before.number, before) : new Map(),
  });
  void loadAlternatives(number);
  return true;
}

async function loadAlternatives(number: number): Promise<void> {
  const present = () => useInspector.getState().inspection?.number === number;
  try {
    const alternatives = await ask('read-alternatives', { number });
    if (present()) useInspector.setState({ alternatives });
  } catch (error) {
    if (!(error instanceof QuestionRefusedError)) throw error;
    if (present()) useInspector.setState({ withoutAlternatives: error.message });
  }
}

/** Shows the state after some turns and selects the first token of the next turn. */
export function showInspectedTurn(turn: number): void {
  const { inspection } = useInspector.getState();
  const token = inspection?.tokens.findIndex((candidate) => candidate.turn === turn) ?? -1;
  useInspector.setState({ turn, token: token === -1 ? null : token });
}
