/** A tool: a name, typed parameters, and its effect on a database. */

import { isList, type Json, type JsonObject, print, type Scalar } from './json.ts';
import { type Fillings, fill } from './pattern.ts';

/** One parameter of a tool. */
export interface Parameter<Value extends Json = Json> {
  /** The type's name in the instruction and in failures. */
  readonly type: string;
  readonly description: string;
  /** Valid values; those that the agent has read are offered in calls. */
  readonly domain: ReadonlySet<Scalar>;
  /** Whether values are offered before the agent has read them, as for true and false. */
  readonly open: boolean;
  /** Nesting depth of offered values: 1 for a list of values, 2 for a list of lists. */
  readonly depth: number;
  /** Whether a call may omit it; it is then not offered. */
  readonly optional: boolean;
  accepts(value: Json): value is Value;
}

const plain = { depth: 0, optional: false } as const;

export function text(
  description: string,
  domain: readonly string[],
  open = false,
): Parameter<string> {
  return {
    type: 'a string',
    description,
    domain: new Set(domain),
    open,
    ...plain,
    accepts: (value): value is string => typeof value === 'string',
  };
}

export function number(
  description: string,
  domain: readonly number[],
  open = false,
): Parameter<number> {
  return {
    type: 'a number',
    description,
    domain: new Set(domain),
    open,
    ...plain,
    accepts: (value): value is number => typeof value === 'number',
  };
}

export function truth(description: string): Parameter<boolean> {
  return {
    type: 'true or false',
    description,
    domain: new Set([true, false]),
    open: true,
    ...plain,
    accepts: (value): value is boolean => typeof value === 'boolean',
  };
}

/** A list of values of another parameter. */
export function list<Value extends Json>(
  { domain, open, depth, accepts }: Parameter<Value>,
  type: string,
  description: string,
): Parameter<readonly Value[]> {
  return {
    type,
    description,
    domain,
    open,
    depth: depth + 1,
    optional: false,
    accepts: (value): value is readonly Value[] => isList(value) && value.every(accepts),
  };
}

/** A parameter that a call may omit. */
export interface OptionalParameter<Value extends Json = Json> extends Parameter<Value> {
  readonly optional: true;
}

export function optional<Value extends Json>(
  parameter: Parameter<Value>,
): OptionalParameter<Value> {
  return { ...parameter, optional: true };
}

/** The agent's final answer: a text, a number, or a list of both. */
export const answerParameter: Parameter<Answer> = {
  type: 'a string, a number or a list of them',
  description: 'what the goal asks for',
  domain: new Set(),
  open: false,
  ...plain,
  accepts: (value): value is Answer =>
    isList(value) ? value.every(isAnswerPart) : isAnswerPart(value),
};

export type Answer = string | number | readonly (string | number)[];

const isAnswerPart = (value: Json): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

export type Parameters = Readonly<Record<string, Parameter>>;

/** The arguments that parameters accept. */
export type Arguments<P extends Parameters> = {
  readonly [Name in RequiredOf<P>]: ValueOf<P[Name]>;
} & {
  readonly [Name in Exclude<keyof P, RequiredOf<P>>]?: ValueOf<P[Name]>;
};

type ValueOf<P extends Parameter> = P extends Parameter<infer Value> ? Value : never;
type RequiredOf<P extends Parameters> = {
  [Name in keyof P]: P[Name] extends OptionalParameter ? never : Name;
}[keyof P];

/** The result of a tool: a value, with a new database only if it changed; or an error. */
export type Result<World extends Json> =
  | { readonly reply: Json; readonly world?: World }
  | { readonly error: string };

/** A call with the arguments in the order of the parameters. */
export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Separates a tool's name from its arguments. */
export const INPUT = ' with Action Input: ';

export function callText({ tool, args }: Call): string {
  return `${tool}${INPUT}${print(args)}`;
}

/** A call in the expert's plan, and its reason. */
export interface PlannedCall extends Call {
  /** The text of the call. */
  readonly text: string;
  readonly thought: string;
}

export interface Tool<World extends Json> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  /** Whether repeating the call would change something else, as when it deletes the second row. */
  readonly moves?: boolean;
  /** @param args checked against the parameters */
  run(world: World, args: JsonObject): Result<World>;
}

/** A tool with typed arguments. */
export interface TypedTool<World extends Json, P extends Parameters> extends Tool<World> {
  /** The expert's call with its reason: a sentence and its values. */
  plan(args: Arguments<P>, why: string, fillings?: Fillings): PlannedCall;
}

export function tool<World extends Json, const P extends Parameters>(spec: {
  readonly name: string;
  readonly description: string;
  readonly parameters: P;
  readonly moves?: boolean;
  run(world: World, args: Arguments<P>): Result<World>;
}): TypedTool<World, P> {
  return {
    ...spec,
    // The caller has checked the arguments (`checked` in call.ts).
    run: (world, args) => spec.run(world, args as Arguments<P>),
    plan(args, why, fillings = {}) {
      const call = { tool: spec.name, args: args as JsonObject };
      return { ...call, text: callText(call), thought: fill(why, fillings) };
    },
  };
}
