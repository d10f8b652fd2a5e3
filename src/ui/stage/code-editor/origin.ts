/** The language of the code and whether it may run, which undo restores together with the text. */

import { invertedEffects, isolateHistory } from '@codemirror/commands';
import {
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
  Transaction,
  type TransactionSpec,
} from '@codemirror/state';
import type { Draft } from './draft.ts';

type Origin = Omit<Draft, 'code'>;

const setOrigin = StateEffect.define<Origin>();

const field = StateField.define<Origin>({
  create: () => ({ language: 'javascript', mayRun: false }),
  update: (origin, { effects }) => effects.findLast((one) => one.is(setOrigin))?.value ?? origin,
});

const inverted = invertedEffects.of(({ effects, startState }) =>
  effects.some((one) => one.is(setOrigin)) ? [setOrigin.of(startState.field(field))] : [],
);

export const withOrigin = ({ language, mayRun }: Origin): Extension => [
  field.init(() => ({ language, mayRun })),
  inverted,
];

export const draftOf = (state: EditorState): Draft => ({
  code: state.doc.toString(),
  ...state.field(field),
});

/** Shows another draft, such as a template; undo brings back the last one. Null if nothing changes. */
export function replacement(state: EditorState, draft: Draft): TransactionSpec | null {
  const { code, language, mayRun } = draft;
  const before = draftOf(state);
  const effects = setOrigin.of({ language, mayRun });
  if (before.code !== code) {
    return {
      changes: { from: 0, to: state.doc.length, insert: code },
      effects,
      selection: { anchor: 0 },
      scrollIntoView: true,
      annotations: isolateHistory.of('full'),
    };
  }
  if (before.language === language && before.mayRun === mayRun) return null;
  return { effects, annotations: Transaction.addToHistory.of(false) };
}
