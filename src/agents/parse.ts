import type { Tokenizer } from '../policy/tokenizer.ts';
import { type FormatName, readTurn, type Written } from './format.ts';

/**
 * Thought and action of a turn: the generated tokens before an end token, decoded and parsed by
 * format. Without one all tokens count. Special tokens keep their names (`<act>`), which no
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
