import './view.css';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import { languageOf } from './card.ts';
import { createPython, createWritten, isWrittenState, type WrittenState } from './environment.ts';
import { CodeError } from './interpreter.ts';
import { Rows } from './rows.tsx';

function WrittenView({ environmentId, options, state }: EnvironmentViewProps) {
  if (!isWrittenState(state)) return null;
  const rows = drawingOf(environmentId, options, state);
  return (
    <div className="written" data-success={state.success || undefined}>
      {rows === null ? null : <Rows rows={rows} />}
      <p className="written-text">{state.text}</p>
    </div>
  );
}

function drawingOf(
  id: string,
  options: EnvironmentViewProps['options'],
  state: WrittenState,
): readonly string[] | null {
  try {
    const create = languageOf(id) === 'python' ? createPython : createWritten;
    return create(options).draw(state);
  } catch (error) {
    // There is nothing to draw besides the text.
    if (error instanceof CodeError) return null;
    throw error;
  }
}

export const view: EnvironmentView = { Component: WrittenView, keys: {} };
