import { gzipSync } from 'node:zlib';
import { expect, small, test } from './lab-page.ts';
import { noteFiles, scriptsAmong } from './loaded-files.ts';

/** Texts that stay in a file whatever a bundler renames, and what they give away. */
const marks = {
  'the exported graph': 'past_key_values.',
  'the Llama layout': 'LlamaForCausalLM',
  'ONNX’s messages': 'tensors in other files',
  'onnxruntime-web': 'executionProviders',
  'play mode': 'playmode-title',
} as const;

/** What is loaded only when somebody asks for it must not be in what everybody loads. */
test('the lab loads nothing of play mode and the exchange before it is asked for', async ({
  lab,
}) => {
  const files = noteFiles(lab.page);
  const found = () => {
    const all = scriptsAmong(files).join('\n');
    return Object.entries(marks).flatMap(([what, mark]) => (all.includes(mark) ? [what] : []));
  };
  const playFiles = () => [...files].filter((name) => /\.wasm$|\/agents\//.test(name));

  await lab.open({ ...small, 'stopping.iterations': 1 });
  await lab.reach(1);
  await expect(lab.page.getByTestId('evaluation-panel')).toBeVisible();
  await lab.page.waitForLoadState('networkidle');
  expect(found()).toEqual([]);
  expect(playFiles()).toEqual([]);
  const sizes = scriptsAmong(files).map((text) => gzipSync(text, { level: 9 }).length);
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  // Worlds, views and the reading of shaders are not among them; with them it was 656 kB.
  expect(total).toBeLessThan(620_000);
  test.info().annotations.push({
    type: 'first load',
    description: `${sizes.length} scripts, ${total} bytes compressed`,
  });

  // The marks are true ones: they are all there once play mode is open.
  await lab.page.getByRole('button', { name: 'Play mode' }).click();
  await expect(lab.page.getByTestId('play-origin')).toBeVisible({ timeout: 60_000 });
  await lab.page.waitForLoadState('networkidle');
  expect(found()).toEqual(Object.keys(marks));
  expect(playFiles()).toHaveLength(2);
});
