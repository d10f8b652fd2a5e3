/** What is asked of the service and what it answers, apart from how that travels. */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export interface Asked {
  readonly method: string;
  /** Path and query as they stand in the request: `/maze//observation?id=3`. */
  readonly target: string;
  /** Empty where none came. */
  readonly body: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** Thrown where something cannot be done; holds what the client is answered. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;
  constructor(status: number, body: Json) {
    super(JSON.stringify(body));
    this.answer = { status, body };
  }
}

/** An environment's fault. AgentGym's servers answer it with status 200. */
export const fault = (text: string) => new Refusal(200, { error: text });

/** A request that no environment is behind. */
export const httpFault = (status: number, text: string) => new Refusal(status, { detail: text });

/** A field of a body or a query that is missing or of another type, as FastAPI tells of one. */
export const invalid = (place: 'body' | 'query', field: string, message: string) =>
  new Refusal(422, {
    detail: [{ type: 'value_error', loc: field === '' ? [place] : [place, field], msg: message }],
  });
