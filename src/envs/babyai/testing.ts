/** Layouts drawn as text, for tests. */
import {
  CLOSED,
  type Clause,
  COLORS,
  type Color,
  type Door,
  type Kind,
  LOCKED,
  OPEN,
  type Thing,
  type World,
} from './world.ts';

const HEADINGS = '>v<^';
const KIND_LETTERS: Readonly<Record<string, Kind>> = { k: 'key', o: 'ball', x: 'box' };
const DOOR_LETTERS: Readonly<Record<string, number>> = { _: OPEN, '|': CLOSED, L: LOCKED };

const colorOf = (letter: string): Color => {
  const color = COLORS.find((color) => color.startsWith(letter.toLowerCase()));
  if (color === undefined) throw new Error(`no color starts with ${letter}`);
  return color;
};

/**
 * Parses a layout drawn as text, two characters per cell: `##` wall, ` .` floor, ` >` (v, <, ^) the agent,
 * `rk` a red key, `bo` a blue ball, `gx` a green box, `Y_` an open, `Y|` a closed and `YL` a locked yellow
 * door. A "g" is green; grey does not occur.
 * @param stages builds the mission's stages from a function that finds entities by name
 */
export function drawn(
  picture: string,
  stages: (find: (name: string) => number[]) => readonly (readonly Clause[])[] = () => [
    [{ kind: 'goto', targets: [] }],
  ],
): World {
  const lines = picture
    .trim()
    .split('\n')
    .map((line) => line.trimEnd());
  const side = lines.length;
  const things: Thing[] = [];
  const doors: Door[] = [];
  const walls = new Uint8Array(side * side);
  let start = { cell: -1, direction: 0 };
  for (const [row, line] of lines.entries()) {
    if (line.length !== 2 * side) throw new Error(`line ${row} has ${line.length} characters`);
    for (let column = 0; column < side; column++) {
      const cell = row * side + column;
      const [a = '', b = ''] = line.slice(2 * column, 2 * column + 2);
      const kind = KIND_LETTERS[b];
      const state = DOOR_LETTERS[b];
      if (a === '#') walls[cell] = 1;
      else if (HEADINGS.includes(b)) start = { cell, direction: HEADINGS.indexOf(b) };
      else if (kind !== undefined) things.push({ kind, color: colorOf(a), cell });
      else if (state !== undefined) doors.push({ color: colorOf(a), cell, state });
    }
  }
  const names = [
    ...things.map(({ color, kind }) => `${color} ${kind}`),
    ...doors.map(({ color }) => `${color} door`),
  ];
  const find = (name: string) => names.flatMap((other, k) => (other === name ? [k] : []));
  return {
    side,
    walls,
    roomSize: side,
    things,
    doors,
    start,
    mission: { text: 'do it', stages: stages(find) },
    maxSteps: side * side,
  };
}
