import type { EnvironmentFamily } from '../types.ts';
import { writtenCard } from './card.ts';
import { createWritten } from './environment.ts';

export { startInterpreter as prepare } from './interpreter.ts';

export const families: readonly EnvironmentFamily[] = [{ ...writtenCard, create: createWritten }];
