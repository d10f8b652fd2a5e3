import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../../', import.meta.url));
/** Style sheets whose text is part of a drawing or of a printed page. */
const drawings = [
  'envs/maze/view.css',
  'envs/textcraft/view.css',
  'envs/babyai/together.css',
  'ui/stage/episode/lapse.css',
  'ui/inside/step-through/step-through.css',
  'ui/learn/lessons/print.css',
];

describe('every style sheet', () => {
  it('takes font sizes and corner radii from the tokens', () => {
    const sheets = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.css') && !file.endsWith('tokens.css') && !drawings.includes(file),
    );
    const literal = sheets.flatMap((file) =>
      [
        ...readFileSync(`${src}${file}`, 'utf8').matchAll(
          /(?:font-size|border(?:-[a-z]+)*-radius):[^;]*\b[1-9][0-9.]*(?:px|rem)[^;]*;/g,
        ),
      ].map(([declaration]) => `${file}: ${declaration}`),
    );
    expect(literal).toEqual([]);
  });
});
