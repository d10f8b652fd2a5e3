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

/** Environment, code and state of drawings that failed, which would take as long again. */
const failed = new Set<string>();
const MOST_FAILED = 100;

/** Null if there is nothing to draw besides the text. */
function drawingOf(
  id: string,
  options: EnvironmentViewProps['options'],
  state: WrittenState,
): readonly string[] | null {
  const key = JSON.stringify([id, options, state.data]);
  if (failed.has(key)) return null;
  try {
    const create = languageOf(id) === 'python' ? createPython : createWritten;
    return create(options).draw(state);
  } catch (error) {
    // Other errors are temporary: an interpreter restarts after a limit is exceeded.
    if (error instanceof CodeError) {
      if (failed.size === MOST_FAILED) failed.clear();
      failed.add(key);
    }
    return null;
  }
}

export const view: EnvironmentView = { Component: WrittenView, keys: {} };
