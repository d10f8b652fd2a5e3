/** Every served path, one line per folder of environments. */

import type { Dialect } from '../dialect.ts';
import { babyai } from './babyai.ts';
import { bird } from './bird.ts';
import { alfworld, sciworld } from './household.ts';
import { maze } from './maze.ts';
import { webarena, webshop } from './pages.ts';
import { reasoning } from './reasoning.ts';
import { searchqa } from './searchqa.ts';
import { textcraft } from './textcraft.ts';
import { tools } from './tools.ts';
import { wordle } from './wordle.ts';

export const dialects: readonly Dialect[] = [
  maze,
  wordle,
  babyai,
  textcraft,
  searchqa,
  ...[alfworld, sciworld],
  ...[webshop, webarena],
  ...tools,
  bird,
  ...reasoning,
];
