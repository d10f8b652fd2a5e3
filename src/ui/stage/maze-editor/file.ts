/** A drawing as a text file: an optional line `name: …`, then the rows. */

import { drawnOptions } from '../../../envs/drawn/card.ts';
import { type Rows, readDrawing } from '../../../envs/drawn/drawing.ts';
import { EditorFileError } from '../editor-files/error.ts';

export const MOST_BYTES = 10_000;

export interface MazeFile {
  readonly name: string;
  readonly rows: Rows;
}

const NAME = /^name:(.*)(?:\r?\n|$)/;

export const writeMazeFile = (name: string, drawing: string): string =>
  `${name === '' ? '' : `name: ${name}\n`}${drawing.replaceAll('/', '\n')}\n`;

/** @throws {EditorFileError} */
export function readMazeFile(text: string): MazeFile {
  const title = NAME.exec(text);
  const name = (title?.[1] ?? '').trim().slice(0, drawnOptions.name.most);
  if (drawnOptions.name.fault(name) !== null)
    throw new EditorFileError('The name has more than one line.');
  const rows = readDrawing(text.slice(title?.[0].length ?? 0));
  if (typeof rows === 'string') throw new EditorFileError(`The drawing ${rows}.`);
  return { name, rows };
}
