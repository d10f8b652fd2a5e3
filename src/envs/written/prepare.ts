/** Transforms code before the interpreter reads it. Line numbers do not change. */

import { parser } from '@lezer/javascript';
import { transform } from 'sucrase';
import { CodeError } from './interpreter.ts';
import { COUNT } from './prelude.ts';

const PLACE = /\s*\((\d+):\d+\)$/;

/** @throws {CodeError} for invalid syntax */
export const prepareCode = (code: string): string => withCounters(withoutTypes(code));

/** Removes TypeScript types. */
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
 * Adds a call to a counter to every loop. The counter ends an endless loop with an error that names
 * the line; the interpreter's own limit names only the function.
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
  // The interpreter reports the syntax error.
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
