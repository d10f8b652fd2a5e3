/** Every world is there before a test begins. */

import { loadEnvironments } from '../registry.ts';

await loadEnvironments();
