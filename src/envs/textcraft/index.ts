import type { EnvironmentFamily } from '../types.ts';
import { textCraft } from './environment.ts';

export { textCraft };

export const families: readonly EnvironmentFamily[] = [textCraft];
