import './view.css';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import { createWritten, isWrittenState } from './environment.ts';
import { CodeError } from './interpreter.ts';
import { Rows } from './rows.tsx';

function WrittenView({ options, state }: EnvironmentViewProps) {
  if (!isWrittenState(state)) return null;
  const rows = drawingOf(options, state);
  return (
    <div className="written" data-success={state.success || undefined}>
      {rows === null ? null : <Rows rows={rows} />}
      <p className="written-text">{state.text}</p>
    </div>
  );
}

function drawingOf(
  options: EnvironmentViewProps['options'],
  state: Parameters<ReturnType<typeof createWritten>['draw']>[0],
): readonly string[] | null {
  try {
    return createWritten(options).draw(state);
  } catch (error) {
    // There is nothing to draw besides the text.
    if (error instanceof CodeError) return null;
    throw error;
  }
}

export const view: EnvironmentView = { Component: WrittenView, keys: {} };
