/** The episode that is being looked into. */

import { create } from 'zustand';
import type { Alternatives, Inspection } from '../../runs/inspection.ts';
import { AgentGoneError, inspectEpisode, readAlternatives } from '../lab/questions.ts';
import type { Measure } from './measures.ts';

export type InspectorView = 'episode' | 'group' | 'compare';

export interface InspectorState {
  /** Null: closed. */
  readonly inspection: Inspection | null;
  readonly view: InspectorView;
  readonly measure: Measure;
  /** Which token is looked at, counted over the whole episode; null at the end. */
  readonly token: number | null;
  /** The token under the mouse: it is told of for as long. */
  readonly hovered: number | null;
  /** Turns that have been played in the picture. */
  readonly turn: number;
  /** Of `inspection`; null until they have arrived. */
  readonly alternatives: Alternatives | null;
  /** Why there are none, in a sentence. */
  readonly withoutAlternatives: string | null;
  /** Other episodes of the group by their numbers, as far as they have arrived. */
  readonly others: ReadonlyMap<number, Inspection>;
  /** The one that is compared. */
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
  const inspection = await inspectEpisode(number);
  if (inspection === null) return false;
  const { view, inspection: before, others } = useInspector.getState();
  const sameGroup = before?.group?.members.some((member) => member.number === number) === true;
  useInspector.setState({
    ...nothing,
    inspection,
    // Who leafs through a group stays with it.
    view: sameGroup && view !== 'compare' ? view : 'episode',
    others: sameGroup ? new Map(others).set(before.number, before) : new Map(),
  });
  void loadAlternatives(number);
  return true;
}

async function loadAlternatives(number: number): Promise<void> {
  const present = () => useInspector.getState().inspection?.number === number;
  try {
    const alternatives = await readAlternatives(number);
    if (present()) useInspector.setState({ alternatives });
  } catch (error) {
    if (!(error instanceof AgentGoneError)) throw error;
    if (present()) useInspector.setState({ withoutAlternatives: error.message });
  }
}

/** Brings the other episodes of the group. */
export async function loadGroup(): Promise<void> {
  const { inspection, others } = useInspector.getState();
  const wanted = (inspection?.group?.members ?? []).flatMap(({ number }) =>
    number === null || number === inspection?.number || others.has(number) ? [] : number,
  );
  for (const other of await Promise.all(wanted.map(inspectEpisode))) {
    if (other === null) continue;
    useInspector.setState((state) => ({ others: new Map(state.others).set(other.number, other) }));
  }
}

export function showView(view: InspectorView): void {
  useInspector.setState({ view });
}

export function showMeasure(measure: Measure): void {
  useInspector.setState({ measure });
}

/** Looks at a token; the picture goes to its turn. */
export function showToken(token: number): void {
  const turn = useInspector.getState().inspection?.tokens[token]?.turn;
  if (turn !== undefined) useInspector.setState({ token, turn });
}

/** Shows the place after some turns; the token is the first one written there. */
export function showInspectedTurn(turn: number): void {
  const { inspection } = useInspector.getState();
  const token = inspection?.tokens.findIndex((candidate) => candidate.turn === turn) ?? -1;
  useInspector.setState({ turn, token: token === -1 ? null : token });
}

export function compareWith(other: number): void {
  useInspector.setState({ other, view: 'compare', turn: 0 });
}
