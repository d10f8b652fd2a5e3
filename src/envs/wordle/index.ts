import type { EnvironmentFamily } from '../types.ts';
import { wordleFamily } from './environment.ts';

export { wordleFamily };

export const families: readonly EnvironmentFamily[] = [wordleFamily];
