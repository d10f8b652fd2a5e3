import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { type FakeHub, startFakeHub } from '../src/exchange/testing/fake-hub.ts';
import { testModel } from '../src/exchange/testing/pretrained.ts';
import { expectAccessible } from './accessible.ts';
import { test as base, expect, type LabPage, queryOf } from './lab-page.ts';
import { keptTo, timeless } from './tiny-run.ts';

const test = base.extend<{ hub: FakeHub }>({
  /** A server that stands in for the Hugging Face Hub. */
  hub: async ({ context }, use) => {
    const hub = await startFakeHub('tiny-org/Tiny-Instruct', testModel('llama'));
    await context.route('https://huggingface.co/**', (route) => {
      const { pathname, search } = new URL(route.request().url());
      const location = `${hub.address}${pathname}${search}`;
      return route.fulfill({
        ...{ status: 307, headers: { location, 'access-control-allow-origin': '*' } },
      });
    });
    await use(hub);
    await hub.close();
  },
});

/** Few, short episodes, because training runs on the CPU. */
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

async function openModels({ page }: Pick<LabPage, 'page'>): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Pretrained models' }).click();
  await expect(page.getByTestId('models')).toBeVisible();
}

test('stores a model, trains an adapter, resumes after a reload and reports a missing model', async ({
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
  await expect(page.getByTestId('models')).toContainText(
    /Estimate: .* minutes per iteration on a laptop/,
  );
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
  // The run may finish before a click on Pause; a reset run waits before its first iteration.
  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  await lab.button(/^Step/).click();
  await lab.reach(1);
  await expect(lab.status).toHaveText('Paused');
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
  // A finished run is saved after its status has changed.
  await expect.poll(async () => keptTo(await lab.state())).toBe(4);

  await openModels(lab);
  let asked = '';
  page.once('dialog', (dialog) => {
    asked = dialog.message();
    void dialog.accept();
  });
  await page.getByRole('button', { name: 'Delete the model Tiny' }).click();
  await expect(page.getByText('No model is stored.')).toBeVisible();
  expect(asked).toMatch(/^Delete the model Tiny \([\d.]+ [kM]B\)\?$/);
  await page.reload();
  await expect(page.getByTestId('error')).toContainText(
    'trains an adapter of the pretrained model “Tiny”',
  );
  await expect(page.getByTestId('error')).toContainText('open the folder of this model');
  await lab.photograph('missing');

  // Storing it again brings the run back.
  await openModels(lab);
  await page.getByTestId('model-folder').setInputFiles(writeModel('Tiny', () => {}));
  await expect(stored).toContainText('Tiny');
  await page.reload();
  await expect(lab.status).toHaveText('Finished');
  // It is the same run, not a new one with its settings.
  expect((await lab.state()).runId).toBe(before.runId);
});

test('an adapter can be inspected, evaluated and exported', async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({ ...short, 'stopping.iterations': 2, 'evaluation.horizon': 1 });
  await lab.reach(2);
  const first = await lab.state();
  await openModels(lab);
  await page.getByTestId('model-folder').setInputFiles(writeModel('Tiny', () => {}));
  await expect(page.getByTestId('model')).toContainText('Tiny');
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await expect.poll(async () => (await lab.state()).runId).not.toBe(first.runId);
  await lab.reach(2);
  await expect(lab.status).toHaveText('Finished');

  const episodes = page.getByTestId('trajectories');
  await episodes.scrollIntoViewIfNeeded();
  await episodes.getByRole('radiogroup').getByText('Training', { exact: true }).click();
  await episodes
    .getByRole('button', { name: /^Inspect/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByTestId('inspected-turns')).toBeVisible();
  await expect(dialog.getByTestId('token-details')).toContainText(/%/);
  await lab.photograph('inspected');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  const panel = page.getByTestId('evaluation-panel');
  await panel.getByLabel('Tasks, 0 for all').fill('2');
  await panel.getByLabel('Tries per task (k)').fill('1');
  await panel.getByRole('button', { name: 'Evaluate' }).click();
  await expect(panel.getByRole('rowheader', { name: 'Agent, greedy' })).toBeVisible();
  const wanted = {
    'Adapter for PEFT': 'adapter_config.json',
    'Merged model, safetensors': 'model.safetensors',
    'GGUF, q8_0': 'model.gguf',
  };
  for (const [format, file] of Object.entries(wanted)) {
    await panel.getByRole('button', { name: 'Export', exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: format }).click(),
    ]);
    const files = unzipSync(await readFile(await download.path()));
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['README.md', file]));
  }
});

test('rejects an invalid file with a one-sentence message', { tag: '@smoke' }, async ({ lab }) => {
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

test.describe('downloads', () => {
  // Chromium reports every refused or interrupted request.
  test.use({ expected: /Failed to load resource/ });

  test('downloads a model from the Hub, resumes after a reload and a lost connection, and trains it', async ({
    lab,
    hub,
  }) => {
    const { page } = lab;
    await page.goto(`/?${queryOf(short)}`);
    const first = await lab.reach(4);
    await openModels(lab);
    const panel = page.getByTestId('models-hub');
    await panel.getByLabel('Model', { exact: true }).fill(hub.name);
    await panel.getByRole('button', { name: 'Check' }).click();
    const found = panel.getByTestId('hub-found');
    await expect(found).toContainText(/llama, 2 layers, width 32, .* parameters; commit c0ffee00/);
    await expect(found).toContainText(/\d kB in 5 files/);
    await expect(found.getByText(/^[\d.]+ [kMG]B$/)).toHaveCount(3);
    await expectAccessible(page, 'found', '[data-testid="models"]');
    await lab.photograph('found');

    hub.faults.holdAfter = 6000;
    await found.getByRole('button', { name: /^Download/ }).click();
    const running = panel.getByTestId('hub-running');
    await expect(running).toContainText(/kB of .* kB/);
    await expect.poll(() => rangesOf(hub)).toEqual([0]);
    await expectAccessible(page, 'running', '[data-testid="models"]');
    await lab.photograph('running');
    await page.reload();

    await openModels(lab);
    const unfinished = panel.getByTestId('hub-unfinished');
    await expect(unfinished).toContainText(/Unfinished: .* kB of .* kB downloaded/);
    await expectAccessible(page, 'unfinished', '[data-testid="models"]');
    await lab.photograph('unfinished');
    // The connection breaks until the page has reported it, and twice more.
    const cuts = [5000, ...new Array<number>(1000).fill(1)];
    Object.assign(hub.faults, { holdAfter: null, cuts });
    await unfinished.getByRole('button', { name: /^Resume/ }).click();
    await expect(running).toContainText(/connection lost, next attempt in \d s/);
    cuts.length = 2;
    await lab.photograph('connecting');
    const stored = page.getByTestId('model');
    await expect(stored).toContainText(hub.name);
    await expect(panel.getByTestId('hub-unfinished')).toHaveCount(0);
    await expect(page.getByTestId('models').getByRole('alert')).toHaveCount(0);
    const [begin, resumed = 0, again = 0] = rangesOf(hub);
    expect(begin).toBe(0);
    expect(resumed).toBeGreaterThan(0);
    // Chromium may drop received bytes when a connection ends.
    expect(again).toBeGreaterThanOrEqual(resumed);
    await lab.photograph('stored');
    await panel.getByLabel('Model', { exact: true }).fill(hub.name);
    await panel.getByRole('button', { name: 'Check' }).click();
    await expect(found).toContainText('already stores a model with this name');
    await lab.photograph('found-stored');
    await found.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('button', { name: 'Train', exact: true }).click();
    await expect.poll(async () => (await lab.state()).runId).not.toBe(first.runId);
    await lab.reach(1);
  });

  test('reports why a model cannot be downloaded', async ({ lab, hub }) => {
    const { page } = lab;
    await page.goto(`/?${queryOf(short)}`);
    await lab.reach(1);
    await openModels(lab);
    const panel = page.getByTestId('models-hub');
    const problem = page.getByTestId('models').getByRole('alert');
    const check = async (name: string) => {
      await panel.getByLabel('Model', { exact: true }).fill(name);
      await panel.getByRole('button', { name: 'Check' }).click();
    };
    await check('tiny-org/none');
    await expect(problem).toContainText('The Hub has no public model tiny-org/none.');
    hub.faults.gated = true;
    await check(hub.name);
    await expect(problem).toContainText(
      'Accept it on https://huggingface.co/tiny-org/Tiny-Instruct',
    );
    await lab.photograph('gated');
    hub.faults.gated = false;
    hub.faults.damaged = 'model.safetensors';
    await check(hub.name);
    await panel.getByRole('button', { name: /^Download/ }).click();
    await expect(problem).toContainText(
      'model.safetensors of tiny-org/Tiny-Instruct was corrupted',
    );
    await lab.photograph('damaged');

    // Only one tab downloads at a time.
    hub.faults.damaged = null;
    hub.faults.holdAfter = 6000;
    await panel.getByRole('button', { name: /^Resume/ }).click();
    await expect.poll(() => rangesOf(hub).length).toBe(2);
    const other = await page.context().newPage();
    await other.goto(`/?${queryOf(short)}`);
    await openModels({ page: other });
    await other.getByRole('button', { name: /^Resume/ }).click();
    await expect(other.getByTestId('models').getByRole('alert')).toContainText(
      'Another tab is downloading a model.',
    );
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await expect(panel.getByTestId('hub-unfinished')).toBeVisible();
    hub.faults.holdAfter = null;
    await other.getByRole('button', { name: /^Resume/ }).click();
    await expect(other.getByTestId('model')).toContainText(hub.name);
    expect(rangesOf(hub).at(-1)).toBeGreaterThan(0);
    await other.close();
  });
});

/** First bytes of the requests for the weights. */
const rangesOf = ({ received }: FakeHub) =>
  received.filter(({ path }) => path === '/lfs/model.safetensors').map(({ first }) => first);
