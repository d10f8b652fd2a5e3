import type { Tokenizer } from '../policy/tokenizer.ts';

/**
 * The action's text: the written tokens before `<end>`, decoded. Without an `<end>` all of them
 * count. Special tokens keep their names (`<act>`), which no environment understands.
 */
export function parseAction(written: readonly number[], tokenizer: Tokenizer): string {
  const end = written.indexOf(tokenizer.end);
  return tokenizer.decode(end === -1 ? written : written.slice(0, end));
}
