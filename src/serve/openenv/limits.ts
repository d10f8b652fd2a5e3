/** Limits of OpenEnv sessions. docs/SERVING.md lists the same numbers. */

import type { JsonLimits } from '../../files/limits.ts';
import { MOST_BODY_BYTES } from '../limits.ts';

/** A message is an envelope around a flat object. */
export const messageLimits: JsonLimits = {
  bytes: MOST_BODY_BYTES,
  objects: 64,
  values: 1000,
  depth: 8,
};

/** Maximum length of an episode id. */
export const MOST_EPISODE_ID = 255;

/** A client that does not read its socket is disconnected once this many bytes are waiting. */
export const MOST_BUFFERED_BYTES = 2 ** 22;
