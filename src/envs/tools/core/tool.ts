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
  accepts(value: Json): value is Value;
}

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
    accepts: (value): value is number => typeof value === 'number',
  };
}

export function truth(description: string): Parameter<boolean> {
  return {
    type: 'true or false',
    description,
    domain: new Set([true, false]),
    open: true,
    accepts: (value): value is boolean => typeof value === 'boolean',
  };
}

/** What an agent answers at the end: a text, a number, or a list of both. */
export const answerParameter: Parameter<Answer> = {
  type: 'a string, a number or a list of them',
  description: 'what the goal asks for',
  domain: new Set(),
  open: false,
  accepts: (value): value is Answer =>
    isList(value) ? value.every(isAnswerPart) : isAnswerPart(value),
};

export type Answer = string | number | readonly (string | number)[];

const isAnswerPart = (value: Json): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

export type Parameters = Readonly<Record<string, Parameter>>;

/** The arguments that parameters accept. */
export type Arguments<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

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
