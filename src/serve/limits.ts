/** Limits of the service. docs/SERVING.md has the same numbers. */

import type { JsonLimits } from '../files/limits.ts';

/** Maximum bytes of a request's body. An action with all its thoughts has a few thousand. */
export const MOST_BODY_BYTES = 2 ** 18;

/**
 * Excess bytes are read and dropped, up to this limit, because most clients only read the reply once they
 * have sent everything.
 */
export const MOST_DROPPED_BYTES = 2 ** 24;

/** Bodies are flat: a few fields, some of them unused. */
export const bodyLimits: JsonLimits = {
  bytes: MOST_BODY_BYTES,
  objects: 64,
  values: 1000,
  depth: 8,
};

/** Maximum number of open environments over all paths, by default. */
export const DEFAULT_OPEN = 8192;
export const MOST_OPEN = 1_000_000;

/** Minutes after which an idle environment is closed, by default. */
export const DEFAULT_IDLE_MINUTES = 120;
/** A week. */
export const MOST_IDLE_MINUTES = 7 * 24 * 60;

/**
 * At capacity, an environment that has been idle for this many milliseconds makes room for a new one. A
 * training step may take minutes between two requests for the same environment, and some clients never close
 * one.
 */
export const SPARED_MS = 10 * 60_000;

/**
 * Maximum number of connections, without those of OpenEnv sessions. Clients open one per request,
 * AgentGym-RL up to 256 at a time.
 */
export const MOST_CONNECTIONS = 1024;

/** Milliseconds within which a request's head, and the whole request, must arrive. */
export const HEAD_MS = 10_000;
export const REQUEST_MS = 30_000;

/** Milliseconds after which a stopping server closes the connections of pending requests. */
export const STOP_MS = 5000;
