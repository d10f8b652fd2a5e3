/** What the inspector shows of the open episode and its group. */

import { type InspectorView, type Measure, useInspector } from '../../shell/episode/inspection.ts';
import { askOrNull } from '../../shell/lab/questions.ts';

/** Loads the other episodes of the group. */
export async function loadGroup(): Promise<void> {
  const { inspection, others } = useInspector.getState();
  const wanted = (inspection?.group?.members ?? []).flatMap(({ number }) =>
    number === null || number === inspection?.number || others.has(number) ? [] : number,
  );
  const found = wanted.map((number) => askOrNull('inspect-episode', { number }));
  for (const other of await Promise.all(found)) {
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

/** Selects a token; the picture moves to its turn. */
export function showToken(token: number): void {
  const turn = useInspector.getState().inspection?.tokens[token]?.turn;
  if (turn !== undefined) useInspector.setState({ token, turn });
}

export function compareWith(other: number): void {
  useInspector.setState({ other, view: 'compare', turn: 0 });
}
