import type { EnvironmentFamily } from '../types.ts';
import { mazeFamily } from './environment.ts';
import { mazeKinds } from './variants.ts';

export const families: readonly EnvironmentFamily[] = mazeKinds.map(mazeFamily);
