/** The grammar of calls, `NAME with Action Input: {"parameter": value}`, and possible errors in them. */

import { type JsonObject, readObject } from './json.ts';
import { type Call, INPUT, type Tool } from './tool.ts';

/** Maximum length of an action; longer ones are not parsed. */
export const MAX_ACTION_LENGTH = 1000;

/** Why a text is not a call, as stated in observations. `{parameter}` is replaced by the name in quotes. */
export const failures = {
  long: 'Invalid action: it is too long.',
  format: 'Invalid action: write the name of a tool, with Action Input: and an object of JSON.',
  tool: 'Invalid action: there is no such tool.',
  json: 'Invalid action: what follows Action Input: is no object of JSON.',
  missing: 'Invalid action: it lacks the parameter {parameter}.',
  unknown: 'Invalid action: the tool has no such parameter.',
  type: 'Invalid action: another type is expected of {parameter}.',
} as const;

/** A text that is not a call. */
export interface Failure {
  readonly failure: keyof typeof failures;
  /** The parameter with the error, if any. */
  readonly parameter?: string;
}

/**
 * The start of a tool's call, up to the value of the first parameter; the whole call if there are no
 * parameters.
 */
export function callHead({ name }: Pick<AnyTool, 'name'>, first: string | undefined): string {
  return `${name}${INPUT}${first === undefined ? '{}' : `{"${first}":`}`;
}

/** Parameters that can come first in a call: optional ones, and the one after them. */
export function firstParameters({ parameters }: AnyTool): readonly (string | undefined)[] {
  const all = Object.entries(parameters);
  const required = all.findIndex(([, { optional }]) => !optional);
  const names = all.map(([name]) => name);
  return required === -1 ? [...names, undefined] : names.slice(0, required + 1);
}

/** Parses a call of one of the tools; its arguments are checked and in the order of the parameters. */
export function readCall(text: string, tools: ReadonlyMap<string, AnyTool>): Call | Failure {
  if (text.length > MAX_ACTION_LENGTH) return { failure: 'long' };
  const at = text.indexOf(INPUT);
  const name = text.slice(0, Math.max(0, at));
  if (!/^\w+$/.test(name)) return { failure: 'format' };
  const found = tools.get(name);
  if (found === undefined) return { failure: 'tool' };
  const input = text.slice(at + INPUT.length);
  // `JSON.parse` accepts spaces around the object, but an action must not have any.
  const given = input.startsWith('{') && input.endsWith('}') ? readObject(input) : null;
  return given === null ? { failure: 'json' } : checked(found, given);
}

type AnyTool = Pick<Tool<never>, 'name' | 'parameters'>;

function checked({ name, parameters }: AnyTool, given: JsonObject): Call | Failure {
  const args: Record<string, JsonObject[string]> = {};
  for (const [parameter, { accepts, optional }] of Object.entries(parameters)) {
    const value = Object.hasOwn(given, parameter) ? given[parameter] : undefined;
    if (value === undefined && optional) continue;
    if (value === undefined) return { failure: 'missing', parameter };
    if (!accepts(value)) return { failure: 'type', parameter };
    args[parameter] = value;
  }
  if (Object.keys(given).length > Object.keys(args).length) return { failure: 'unknown' };
  return { tool: name, args };
}
