import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { python } from '@codemirror/lang-python';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { Finding } from '../../../agents/check-code.ts';
import type { Language } from '../../../envs/written/card.ts';
import { shown } from '../../shell/language/current.ts';
import type { Draft } from './draft.ts';
import { draftOf, replacement, withOrigin } from './origin.ts';

/** The page's own colors, so that the editor fits both color schemes. */
const colors = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--p-soft)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--p-aegean)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--p-olive)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--p-terracotta)' },
  { tag: [tags.typeName, tags.className], color: 'var(--p-plum)' },
  { tag: tags.function(tags.definition(tags.variableName)), fontWeight: '600' },
]);

const setUp = [
  lineNumbers(),
  highlightActiveLineGutter(),
  lintGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  syntaxHighlighting(colors),
  // Tab is not bound, so the keyboard can leave the editor.
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
  EditorView.contentAttributes.of(() => ({
    'aria-label': shown('Code of the environment'),
    'data-testid': 'code',
    // Accessibility checkers do not count editable text as focusable.
    tabindex: '0',
  })),
];

export interface EditorHandle {
  /** Moves the cursor to a line; the first line is 1. */
  goTo(line: number): void;
}

const languages: Readonly<Record<Language, Extension>> = {
  javascript: javascript({ typescript: true }),
  python: [python(), indentUnit.of('    ')],
};

const syntax = new Compartment();

interface EditorProps {
  readonly draft: Draft;
  readonly findings: readonly Finding[];
  readonly onChange: (draft: Draft) => void;
  readonly ref: Ref<EditorHandle>;
}

/** A code editor that shows findings at the lines that they concern. */
export function CodeEditor({ draft, findings, onChange, ref }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ draft, onChange });
  latest.current = { draft, onChange };

  useEffect(() => {
    if (place.current === null) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: latest.current.draft.code,
        extensions: [
          setUp,
          syntax.of([]),
          withOrigin(latest.current.draft),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(draftOf(state));
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);

  // A template or a file replaces the text; undo brings it back.
  useEffect(() => {
    const made = view.current;
    const change = made === null ? null : replacement(made.state, draft);
    if (change !== null) made?.dispatch(change);
  }, [draft]);

  const { language } = draft;
  useEffect(() => {
    view.current?.dispatch({ effects: syntax.reconfigure(languages[language]) });
  }, [language]);

  useEffect(() => {
    const made = view.current;
    if (made === null) return;
    made.dispatch(setDiagnostics(made.state, diagnosticsOf(findings, made.state.doc)));
  }, [findings]);

  useImperativeHandle(ref, () => ({
    goTo: (line) => {
      const made = view.current;
      if (made === null) return;
      const { from } = made.state.doc.line(Math.min(line, made.state.doc.lines));
      made.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      made.focus();
    },
  }));

  return <div ref={place} className="code-editor-text" />;
}

function diagnosticsOf(findings: readonly Finding[], text: Text): Diagnostic[] {
  return findings.flatMap(({ line, problem, level }) => {
    if (line === null || line > text.lines) return [];
    const { from, to } = text.line(line);
    return { from, to, severity: level, message: shown(problem) };
  });
}
