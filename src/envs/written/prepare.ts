/** What happens to code before the interpreter reads it. Lines stay where they are. */

import { parser } from '@lezer/javascript';
import { transform } from 'sucrase';
import { CodeError } from './interpreter.ts';
import { COUNT } from './prelude.ts';

const PLACE = /\s*\((\d+):\d+\)$/;

/** @throws {CodeError} for code that cannot be read */
export const prepareCode = (code: string): string => withCounters(withoutTypes(code));

/** Removes the types of TypeScript. */
export function withoutTypes(code: string): string {
  try {
    return transform(code, {
      transforms: ['typescript'],
      disableESTransforms: true,
      keepUnusedImports: true,
    }).code;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const line = PLACE.exec(message)?.[1];
    const problem = message.replace(PLACE, '').replace(/^Error transforming[^:]*: /, '');
    throw new CodeError(problem, line === undefined ? null : Number(line));
  }
}

/**
 * Calls a counter in every loop. It ends an endless loop with an error of its line; the interpreter's own limit only knows the
 * function.
 */
function withCounters(code: string): string {
  const added: { readonly at: number; readonly text: string }[] = [];
  let isBroken = false;
  parser.parse(code).iterate({
    enter: ({ type, node }) => {
      if (type.isError) isBroken = true;
      const isDo = type.name === 'DoStatement';
      if (!isDo && type.name !== 'ForStatement' && type.name !== 'WhileStatement') return;
      const body = isDo ? node.firstChild?.nextSibling : node.lastChild;
      if (body === null || body === undefined) return;
      if (body.name === 'Block') added.push({ at: body.from + 1, text: `${COUNT}();` });
      else added.push({ at: body.from, text: `{${COUNT}();` }, { at: body.to, text: '}' });
    },
  });
  // The interpreter says what is wrong.
  if (isBroken) return code;
  added.sort((a, b) => a.at - b.at);
  let counted = '';
  let from = 0;
  for (const { at, text } of added) {
    counted += code.slice(from, at) + text;
    from = at;
  }
  return counted + code.slice(from);
}
