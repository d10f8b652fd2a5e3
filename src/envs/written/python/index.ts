import type { EnvironmentFamily } from '../../types.ts';
import { pythonCard } from '../card.ts';
import { createPython } from '../environment.ts';

export { startPython as prepare } from './program.ts';

export const families: readonly EnvironmentFamily[] = [{ ...pythonCard, create: createPython }];
