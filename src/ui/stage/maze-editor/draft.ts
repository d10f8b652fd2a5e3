import { create } from 'zustand';
import { drawnCard } from '../../../envs/drawn/card.ts';
import { type Rows, readDrawing } from '../../../envs/drawn/drawing.ts';
import { useLab } from '../../shell/lab/store.ts';
import { begin, type Edits } from './edit.ts';
import { templates } from './templates.ts';

/** The drawing in the editor; it stays when the editor is closed. */
export interface Draft {
  readonly edits: Edits;
  readonly name: string;
}

export function rowsOf(drawing: string): Rows {
  const rows = readDrawing(drawing);
  if (typeof rows === 'string') throw new Error(`the drawing ${rows}`);
  return rows;
}

const DOUBLE_T = 'Double-T';

/** The maze of the current run if it can be edited, else the first template. */
function initial(): Draft {
  const { id, options } = useLab.getState().config.env;
  if (id === drawnCard.id && typeof options.drawing === 'string') {
    const rows = readDrawing(options.drawing);
    if (typeof rows !== 'string') {
      return { edits: begin(rows), name: String(options.name ?? '') };
    }
  }
  const isDoubleT = id.startsWith('maze/double-t');
  const template = templates.find(({ name }) => name === DOUBLE_T && isDoubleT) ?? templates[0];
  return { edits: begin(rowsOf(template?.drawing ?? '')), name: '' };
}

export const useDraft = create<Draft>()(initial);
