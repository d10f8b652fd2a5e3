import type { Tokenizer } from '../policy/tokenizer.ts';
import { type FormatName, readTurn, type Written } from './format.ts';

/**
 * Thought and action of a turn: the generated tokens up to an end token, or all if there is none,
 * decoded and parsed according to the format. Special tokens keep their names (`<act>`), which no
 * environment accepts.
 */
export function parseTurn(
  written: readonly number[],
  tokenizer: Tokenizer,
  format: FormatName,
): Written {
  const { ends } = tokenizer.frame;
  const end = written.findIndex((token) => ends.includes(token));
  return readTurn(tokenizer.decode(end === -1 ? written : written.slice(0, end)), format);
}
