import type { Tokenizer } from '../policy/tokenizer.ts';
import { type FormatName, readTurn, type Written } from './format.ts';

/**
 * Thought and action of a turn: the written tokens before `<end>`, decoded and read by the format.
 * Without an `<end>` all of them count. Special tokens keep their names (`<act>`), which no
 * environment understands.
 */
export function parseTurn(
  written: readonly number[],
  tokenizer: Tokenizer,
  format: FormatName,
): Written {
  const end = written.indexOf(tokenizer.end);
  return readTurn(tokenizer.decode(end === -1 ? written : written.slice(0, end)), format);
}
