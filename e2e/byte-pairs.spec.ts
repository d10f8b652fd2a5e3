import { readFile } from 'node:fs/promises';
import { expect } from '@playwright/test';
import { small, test } from './lab-page.ts';
import { noteFiles, scriptsAmong } from './loaded-files.ts';

/** Created with Hugging Face's libraries (`src/exchange/testing/elsewhere.py`). */
const checkpoint = 'src/exchange/testing/elsewhere/byte-level.zip';

test('an imported Llama checkpoint with a byte-pair tokenizer can be trained, exported and played', async ({
  lab,
}) => {
  await lab.page.emulateMedia({ reducedMotion: 'reduce' });
  const files = noteFiles(lab.page);
  const library = () =>
    scriptsAmong(files).some((text) => text.includes('token_ids must be a non-empty'));
  await lab.open({ ...small, 'stopping.iterations': 2 });
  await lab.reach(1);
  expect(library()).toBe(false);

  await lab.page.getByRole('button', { name: 'Play mode' }).click();
  const play = lab.page.getByTestId('play-mode');
  const origin = play.getByTestId('play-origin');
  await expect(origin).toContainText('WebGPU');
  await play.locator('input[type=file]').setInputFiles({
    name: 'elsewhere.zip',
    mimeType: 'application/zip',
    buffer: await readFile(checkpoint),
  });
  const beginner = play.getByTestId('beginner');
  await expect(beginner).toContainText('A run can start from the agent elsewhere.zip');
  await expect(beginner).toContainText(
    '<pad>, <unk>, <obs> and <act> were added to its vocabulary',
  );
  await beginner.scrollIntoViewIfNeeded();
  await lab.photograph('beginner');

  const before = await lab.state();
  await beginner.getByRole('button', { name: /^Train it in / }).click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(before.runId);
  await lab.reach(1);
  const settings = new URL(lab.page.url()).searchParams;
  expect(settings.get('policy.width')).toBe('8');
  expect(settings.get('policy.kv_heads')).toBe('1');
  expect(Number(settings.get('agent.max_action_tokens'))).toBeGreaterThan(1);
  expect(library()).toBe(true);

  // Play mode opens the trained agent like any other.
  await lab.reach(2);
  await play.getByRole('button', { name: 'This run’s agent' }).click();
  await expect(origin).toContainText('This run’s agent');
  await expect(play.getByTestId('prospect').getByRole('listitem').first()).toContainText('%');
  await play.getByRole('button', { name: 'One turn' }).click();
  await expect(origin).toContainText('1 turn played');
  await lab.photograph('byte-pairs-at-play');
});
