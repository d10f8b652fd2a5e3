/** A tool: a name, parameters with types, and what it does in a world. */

import { isList, type Json, type JsonObject, print, type Scalar } from './json.ts';
import { type Fillings, fill } from './pattern.ts';

/** One parameter of a tool. */
export interface Parameter<Value extends Json = Json> {
  /** As the instruction and failures name it. */
  readonly type: string;
  readonly description: string;
  /** Values that make sense, of which those that an agent has read are offered to it. */
  readonly domain: ReadonlySet<Scalar>;
  /** Whether the domain is offered before it has been read, as true and false are. */
  readonly open: boolean;
  /** Lists around each value that is offered: 1 for a list of values, 2 for rows of them. */
  readonly depth: number;
  /** Whether a call may leave it out; it is then not offered. */
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

/** A list of what another parameter takes. */
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

/** A parameter that a call may leave out. */
export interface OptionalParameter<Value extends Json = Json> extends Parameter<Value> {
  readonly optional: true;
}

export function optional<Value extends Json>(
  parameter: Parameter<Value>,
): OptionalParameter<Value> {
  return { ...parameter, optional: true };
}

/** What an agent answers at the end: a text, a number, or a list of both. */
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

/** What a tool gives back: a value, and another world only where it changed something; or an error. */
export type Result<World extends Json> =
  | { readonly reply: Json; readonly world?: World }
  | { readonly error: string };

/** A call with the arguments in the order of the parameters. */
export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/** Stands between a tool's name and its arguments. */
export const INPUT = ' with Action Input: ';

export function callText({ tool, args }: Call): string {
  return `${tool}${INPUT}${print(args)}`;
}

/** A call that the expert means to make, and why. */
export interface PlannedCall extends Call {
  /** As it is written. */
  readonly text: string;
  readonly thought: string;
}

export interface Tool<World extends Json> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  /** Whether the same call once more would change something else, as one that deletes the second row does. */
  readonly moves?: boolean;
  /** @param args checked against the parameters */
  run(world: World, args: JsonObject): Result<World>;
}

/** A tool that knows its arguments' types. */
export interface TypedTool<World extends Json, P extends Parameters> extends Tool<World> {
  /** The expert's call, with its reason: a sentence and what stands in its places. */
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
    // Whoever runs a tool has checked the arguments with its parameters (`checked` in call.ts).
    run: (world, args) => spec.run(world, args as Arguments<P>),
    plan(args, why, fillings = {}) {
      const call = { tool: spec.name, args: args as JsonObject };
      return { ...call, text: callText(call), thought: fill(why, fillings) };
    },
  };
}
