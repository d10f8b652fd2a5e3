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

/** Modules that load on demand must not be part of the first load. */
test('the first load contains no play mode and no exchange code', async ({ lab }) => {
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
  const sizes = scriptsAmong(files).map((text) => gzipSync(text, { level: 9 }).length);
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  // Environments, views and shader parsing load later; with them it was 656 kB.
  expect(total).toBeLessThan(620_000);
  test.info().annotations.push({
    type: 'first load',
    description: `${sizes.length} scripts, ${total} bytes compressed`,
  });

  // Check the marker strings themselves: all appear once play mode is open.
  await lab.page.getByRole('navigation', { name: 'Groups' }).getByText('Evaluation').click();
  await lab.page.getByRole('button', { name: 'Play mode' }).click();
  await expect(lab.page.getByTestId('play-origin')).toBeVisible();
  await lab.page.waitForLoadState('networkidle');
  expect(found()).toEqual(Object.keys(marks));
  expect(playFiles()).toHaveLength(2);
});
