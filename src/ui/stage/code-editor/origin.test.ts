import { history, redo, undo } from '@codemirror/commands';
import { EditorState } from '@codemirror/state';
import { expect, it } from 'vitest';
import type { Draft } from './draft.ts';
import { draftOf, replacement, withOrigin } from './origin.ts';

it('restores text, language and permission when a file or template is undone', () => {
  const own: Draft = { code: 'own', language: 'javascript', mayRun: true };
  const file: Draft = { code: 'file', language: 'python', mayRun: false };
  const template: Draft = { code: 'template', language: 'javascript', mayRun: true };
  let state = EditorState.create({ doc: own.code, extensions: [history(), withOrigin(own)] });
  const dispatch = (transaction: { readonly state: EditorState }) => {
    ({ state } = transaction);
  };
  const show = (draft: Draft) => {
    const change = replacement(state, draft);
    if (change !== null) dispatch(state.update(change));
  };
  show(file);
  show(template);
  expect(draftOf(state)).toEqual(template);
  undo({ state, dispatch });
  expect(draftOf(state)).toEqual(file);
  expect(replacement(state, file)).toBeNull();
  // The user reads the file and lets it run.
  show({ ...file, mayRun: true });
  undo({ state, dispatch });
  expect(draftOf(state)).toEqual(own);
  redo({ state, dispatch });
  expect(draftOf(state).code).toBe('file');
});
