/** Requests and answers of the service, independent of the transport. */

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export interface Asked {
  readonly method: string;
  /** Path and query, unchanged from the request: `/maze//observation?id=3`. */
  readonly target: string;
  /** Empty if the request has none. */
  readonly body: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** Thrown if a request cannot be served; contains the answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly answer: Answer;
  constructor(status: number, body: Json) {
    super(JSON.stringify(body));
    this.answer = { status, body };
  }
}

/** An error in an environment; AgentGym's servers report it with status 200. */
export const fault = (text: string) => new Refusal(200, { error: text });

/** An HTTP error that concerns no environment. */
export const httpFault = (status: number, text: string) => new Refusal(status, { detail: text });

/** A missing field, or one of another type, in FastAPI's format. */
export const invalid = (place: 'body' | 'query', field: string, message: string) =>
  new Refusal(422, {
    detail: [{ type: 'value_error', loc: field === '' ? [place] : [place, field], msg: message }],
  });
