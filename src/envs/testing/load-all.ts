/** Loads every environment before the tests of a file start. */

import { loadEnvironments } from '../registry.ts';

await loadEnvironments();
