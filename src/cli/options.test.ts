import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseCommand } from './options.ts';
import { testFolder } from './testing/commands.ts';

const folder = testFolder();

it('lets --config and --set override the defaults of --model', () => {
  const file = join(folder, 'config.json');
  const given = { agent: { format: 'bare' }, algorithm: { clip_high: 1.5 } };
  writeFileSync(file, JSON.stringify(given));
  const args = ['--model', 'DIR', '--config', file, '--set', 'imitation.epochs=2'];
  expect(parseCommand(args)).toMatchObject({
    config: {
      agent: { format: 'bare', max_action_tokens: 64 },
      algorithm: { clip_high: 1.5, advantage: 'grpo' },
      imitation: { epochs: 2 },
    },
  });
});
