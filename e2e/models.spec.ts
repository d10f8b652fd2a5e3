import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testModel } from '../src/exchange/testing/pretrained.ts';
import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, queryOf, test } from './lab-page.ts';
import { timeless } from './tiny-run.ts';

/** Few and short episodes: the processor computes. */
const short = {
  device: 'processor',
  'policy.layers': 1,
  'policy.width': 16,
  'policy.ffn_width': 32,
  'rollout.tasks_per_iteration': 1,
  'rollout.group_size': 3,
  'horizon.schedule': 'fixed',
  'horizon.turns': 2,
  'evaluation.interval': 0,
  'algorithm.mini_batches': 1,
  'stopping.success': 0,
  'stopping.iterations': 4,
} as const;

/** The folder of a small model with random weights. */
function writeModel(name: string, change: (files: ReturnType<typeof testModel>) => void): string {
  const folder = test.info().outputPath(name);
  mkdirSync(folder, { recursive: true });
  const files = testModel('llama');
  change(files);
  for (const [file, bytes] of files) writeFileSync(join(folder, file), bytes);
  return folder;
}

async function openModels({ page }: LabPage): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Pretrained models' }).click();
  await expect(page.getByTestId('models')).toBeVisible();
}

test('stores a model, trains an adapter, continues after a reload and says that a model is missing', async ({
  lab,
}) => {
  const { page } = lab;
  await page.goto(`/?${queryOf(short)}`);
  await lab.reach(4);
  const first = await lab.state();

  await openModels(lab);
  await expect(page.getByText('No model is stored.')).toBeVisible();
  await page.getByTestId('model-folder').setInputFiles(writeModel('Tiny', () => {}));
  const stored = page.getByTestId('model');
  await expect(stored).toContainText('Tiny');
  await expect(stored).toContainText(/llama, 2 layers, width 32/);
  await expect(stored).toContainText('context of 4,096 tokens');
  const memory = page.getByTestId('model-memory');
  await expect(memory.getByText(/\d [kM]B/)).toHaveCount(3);
  await expectAccessible(page, 'models', '[data-testid="models"]');
  await lab.photograph('models');

  const plan = await memory.textContent();
  await page.getByLabel('Preset').selectOption('SmolLM2: Wordle');
  await expect(memory.getByText(/\d [kM]B/)).toHaveCount(3);
  await expect(memory).not.toHaveText(plan ?? '');
  await page.getByLabel('Preset').selectOption('Current settings');
  await page.getByLabel('LoRA rank').selectOption('8');
  await page.getByLabel('Frozen weights').selectOption('int4');
  await expect(memory.getByText(/\d [kM]B/)).toHaveCount(3);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(first.runId);
  await lab.reach(1);
  await lab.pause();
  const before = await lab.snapshot();
  expect(page.url()).toContain('model=');
  await expect(page.getByTestId('stage')).toBeVisible();
  await lab.photograph('run');

  await page.reload();
  await expect(lab.status).toHaveText('Paused');
  const after = await lab.snapshot();
  expect(after.runId).toBe(before.runId);
  expect(timeless(after.rows)).toEqual(timeless(before.rows));
  await lab.button('Continue').click();
  await lab.reach(4);
  await expect(lab.status).toHaveText('Finished');

  await openModels(lab);
  await page.getByRole('button', { name: 'Delete Tiny' }).click();
  await expect(page.getByText('No model is stored.')).toBeVisible();
  await page.reload();
  await expect(page.getByTestId('error')).toContainText(
    'trains an adapter of the pretrained model “Tiny”',
  );
  await expect(page.getByTestId('error')).toContainText('Open the folder of this model');
  await lab.photograph('missing');

  // Storing it again brings the run back.
  await openModels(lab);
  await page.getByTestId('model-folder').setInputFiles(writeModel('Tiny', () => {}));
  await expect(stored).toContainText('Tiny');
  await page.reload();
  await expect(lab.status).toHaveText('Finished');
});

test('refuses a wrong file with one sentence', async ({ lab }) => {
  const { page } = lab;
  await page.goto(`/?${queryOf(short)}`);
  await lab.reach(1);
  await openModels(lab);
  const problem = page.getByTestId('models').getByRole('alert');
  await page.getByTestId('model-files').setInputFiles({
    ...{ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no model') },
  });
  await expect(problem).toHaveText(/config\.json is missing\.$/);
  const cut = writeModel('Cut', (files) => {
    files.set(
      'model.safetensors',
      files.get('model.safetensors')?.slice(0, -10) ?? new Uint8Array(),
    );
  });
  await page.getByTestId('model-folder').setInputFiles(cut);
  await expect(problem).toHaveText(
    /model\.safetensors is invalid: it is cut off within the tensor .*\.$/,
  );
  await expect(page.getByText('No model is stored.')).toBeVisible();
});
