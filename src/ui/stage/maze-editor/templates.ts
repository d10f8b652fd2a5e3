/** Drawings to start from. */

import { DEFAULT_DRAWING } from '../../../envs/drawn/drawing.ts';

export interface Template {
  readonly name: string;
  readonly drawing: string;
}

export const templates: readonly Template[] = [
  { name: 'Around the corner', drawing: DEFAULT_DRAWING },
  {
    name: 'Double-T',
    drawing:
      '.....#...../##.#####.##/##.#####.##/##.#####.##/##.......##/#####.#####/#####.#####/#####G#####',
  },
  {
    name: 'Four rooms',
    drawing:
      '....#..../....#..../........./....#..../##.###.##/....#..../........./....#..../....#...G',
  },
  {
    name: 'Treasure hunt',
    drawing:
      '*...!...*/.##.#.##./...S#..../.##...##./!#..!..#!/.##...##./....#..../.##.#.##./*...#...G',
  },
  {
    name: 'Bridge of traps',
    drawing: '.......!!/.!!!!!.!!/.!...!.../.!.!.!!!./...!...../!!!!!!!!./G........',
  },
  {
    name: 'Spiral',
    drawing:
      'S......../########./.......#./.#####.#./.#G..#.#./.###.#.#./.....#.#./######.#./.........',
  },
  { name: 'Empty room', drawing: '...../...../...../...../....G' },
];
