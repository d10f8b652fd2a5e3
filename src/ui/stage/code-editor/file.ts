/** Code as a text file. */

import { type Language, MOST_CODE } from '../../../envs/written/card.ts';
import { EditorFileError } from '../editor-files/error.ts';

/** A character has at most four bytes in UTF-8. */
const MOST_BYTES = 4 * MOST_CODE;

/** @throws {EditorFileError} */
export async function readCodeFile(file: Blob): Promise<string> {
  const most = MOST_CODE.toLocaleString('en-US');
  if (file.size > MOST_BYTES) throw new EditorFileError(`It has more than ${most} characters.`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new EditorFileError('It is not a text file.');
  }
  if (text.includes('\u0000')) throw new EditorFileError('It is not a text file.');
  if (text.length > MOST_CODE) throw new EditorFileError(`It has more than ${most} characters.`);
  return text.replaceAll('\r\n', '\n');
}

/** The language of a file by its name. */
export const languageOfFile = (name: string): Language =>
  /\.py$/i.test(name) ? 'python' : 'javascript';

/** A file name from the name that the code declares, such as `guess-the-number.ts`. */
export const fileName = (name: string | null, language: Language): string =>
  `${
    (name ?? 'environment')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '') || 'environment'
  }.${language === 'python' ? 'py' : 'ts'}`;
