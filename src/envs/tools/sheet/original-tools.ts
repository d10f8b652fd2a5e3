/** Tools in the prompt of AgentGym's client that no goal here needs. */

import { text, tool } from '../core/tool.ts';
import { cellAt, type Place, placeOf, placesBetween } from './cells.ts';
import * as edits from './edits.ts';
import { changed, errors, looked, position } from './tools.ts';
import type { Sheet, SheetWorld } from './world.ts';

/** The coordinates of a cell in the sheet; undefined for any other name. */
function cellOf({ rows }: Sheet, name: string): Place | undefined {
  const place = placeOf(name);
  return place !== undefined && rows[place.row]?.cells[place.column] !== undefined
    ? place
    : undefined;
}

const getNote = tool({
  name: 'get_note',
  description: 'replies with the note of a cell, empty if it has none',
  parameters: { position: position('a cell') },
  run: (world: SheetWorld, { position: name }) =>
    looked(world, (sheet) => {
      const place = cellOf(sheet, name);
      if (place === undefined) return { error: errors.place };
      return { reply: sheet.rows[place.row]?.notes?.[place.column] ?? '' };
    }),
});

const updateNote = tool({
  name: 'update_note',
  description: 'writes the note of a cell and replies with it',
  parameters: { position: position('a cell'), content: text('the note', []) },
  run: (world: SheetWorld, { position: name, content }) =>
    looked(world, (sheet) => {
      const place = cellOf(sheet, name);
      if (place === undefined) return { error: errors.place };
      const after = edits.withNote(sheet, place, content);
      const sheets = world.sheets.map((one) => (one === sheet ? after : one));
      return { reply: content, world: { ...world, sheets } };
    }),
});

/** A merged range keeps the value of its top-left cell; the API returns empty values for its other cells. */
const mergeCells = tool({
  name: 'merge_cells',
  description: 'merges the cells between two corners; only the value of the top left cell is kept',
  parameters: {
    start_position: position('the top left cell'),
    end_position: position('the bottom right cell'),
  },
  run: (world: SheetWorld, { start_position, end_position }) =>
    changed(world, (sheet) => {
      const places = placesBetween(start_position, end_position);
      if (places === undefined) return errors.place;
      const cells = edits.cellsOf(sheet);
      const filled = places.slice(1).filter((place) => cellAt(cells, place) !== '');
      return edits.updated(
        sheet,
        filled.map((place) => ({ place, text: '' })),
      );
    }),
});

export const originalSheetTools = [getNote, updateNote, mergeCells];
