/** How much the service takes from outside, and how much it keeps. docs/SERVING.md has the same numbers. */

import type { JsonLimits } from '../files/limits.ts';

/** Bytes of a request's body. An action with all that an agent thought before it has a few thousand. */
export const MOST_BODY_BYTES = 2 ** 18;

/** What is beyond is read and dropped, up to here, because most clients read a reply only once they have sent everything. */
export const MOST_DROPPED_BYTES = 2 ** 24;

/** Bodies are flat: a few fields, some of which are not read. */
export const bodyLimits: JsonLimits = {
  bytes: MOST_BODY_BYTES,
  objects: 64,
  values: 1000,
  depth: 8,
};

/** Environments that are open at once, of all paths together, where nothing else is asked for. */
export const DEFAULT_OPEN = 8192;
export const MOST_OPEN = 1_000_000;

/** Minutes after which an environment that nobody used is closed, where nothing else is asked for. */
export const DEFAULT_IDLE_MINUTES = 120;
/** A week. */
export const MOST_IDLE_MINUTES = 7 * 24 * 60;

/**
 * Where all places are taken, an environment that was not used for so many milliseconds makes room for a new one.
 * A step of training may take minutes between two requests for the same environment, and some clients never close one.
 */
export const SPARED_MS = 10 * 60_000;

/** Connections at once. Clients open one for each request, AgentGym-RL up to 256 at the same time. */
export const MOST_CONNECTIONS = 1024;

/** Milliseconds in which the head of a request, and all of it, must have come. */
export const HEAD_MS = 10_000;
export const REQUEST_MS = 30_000;

/** Milliseconds that requests have to end in once the server is to stop. */
export const STOP_MS = 5000;
