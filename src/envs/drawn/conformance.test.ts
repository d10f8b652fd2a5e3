import { testConformance } from '../testing/conformance.ts';
import { families } from './index.ts';

/** The double-T maze, drawn. */
const DOUBLE_T =
  '.....#...../##.#####.##/##.#####.##/##.#####.##/##.......##/#####.#####/#####.#####/#####G#####';
/** Prizes off the path, traps beside it, two starts. */
const HUNT = 'S.!.*/..#../*.!.G/..#../S...*';
/** The largest maze, without walls. */
const ROOM = `${`${'.'.repeat(15)}/`.repeat(14)}${'.'.repeat(14)}G`;

for (const family of families) {
  testConformance(family, {
    reward: 'shaped',
    fingerprints: {
      '{}': 'a17c07cb',
      '{"drawing":"S.G/.../..."}': '238fbe71',
      // Same as for the registered double-T maze.
      [`{"drawing":"${DOUBLE_T}","name":"Double-T"}`]: '9fdd0091',
      [`{"drawing":"${HUNT}"}`]: '38e523ed',
      [`{"drawing":"${ROOM}"}`]: '1cdc12dd',
    },
    optionSets: [
      { drawing: 'S.G/.../...' },
      { drawing: DOUBLE_T, name: 'Double-T' },
      { drawing: HUNT },
      { drawing: ROOM },
    ],
  });
}
