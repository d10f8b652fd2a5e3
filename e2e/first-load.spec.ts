import { gzipSync } from 'node:zlib';
import { expect, queryOf, small, test } from './lab-page.ts';
import { noteFiles, scriptsAmong } from './loaded-files.ts';

/** Strings that survive bundling, and the module each identifies. */
const marks = {
  'the exported graph': 'past_key_values.',
  'the Llama layout': 'LlamaForCausalLM',
  'ONNX’s messages': 'tensors in other files',
  'onnxruntime-web': 'executionProviders',
  'play mode': 'playmode-title',
} as const;

/** Number of loaded scripts, and their compressed size in bytes. */
function loadOf(files: ReturnType<typeof noteFiles>) {
  const sizes = scriptsAmong(files).map((text) => gzipSync(text, { level: 9 }).length);
  return { scripts: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}

test('a first visit loads less than 600 kB of scripts', { tag: '@smoke' }, async ({ lab }) => {
  const files = noteFiles(lab.page);
  await lab.page.goto('/');
  await lab.reach(1);
  await lab.page.waitForLoadState('networkidle');
  const { scripts, bytes } = loadOf(files);
  test.info().annotations.push({
    type: 'first visit',
    description: `${scripts} scripts, ${bytes} bytes compressed`,
  });
  expect(bytes).toBeLessThan(600_000);
});

/** Modules that load on demand must not be part of the first load. */
test('the page at full depth loads no play mode and no exchange code', async ({ lab }) => {
  const files = noteFiles(lab.page);
  const found = () => {
    const all = scriptsAmong(files).join('\n');
    return Object.entries(marks).flatMap(([what, mark]) => (all.includes(mark) ? [what] : []));
  };
  const playFiles = () => [...files].filter((name) => /\.wasm$|\/agents\//.test(name));

  // As on a first visit: evaluation and episodes are folded.
  await lab.page.goto(`/?${queryOf({ ...small, 'stopping.iterations': 1 })}`);
  await lab.reach(1);
  await expect(lab.page.getByTestId('chart-entropy')).toBeVisible();
  await lab.page.waitForLoadState('networkidle');
  expect(found()).toEqual([]);
  expect(playFiles()).toEqual([]);
  // Environments, views and shader parsing load later; with them, the first load would be 656 kB.
  expect(loadOf(files).bytes).toBeLessThan(640_000);

  // Check the marker strings themselves: all appear once play mode is open.
  await lab.page.getByRole('navigation', { name: 'Groups' }).getByText('Evaluation').click();
  await lab.page.getByRole('button', { name: 'Play mode' }).click();
  await expect(lab.page.getByTestId('play-origin')).toBeVisible();
  await expect.poll(found).toEqual(Object.keys(marks));
  await expect.poll(playFiles).toHaveLength(2);
});
