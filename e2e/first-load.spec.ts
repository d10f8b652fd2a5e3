import { gzipSync } from 'node:zlib';
import { expect, small, test } from './lab-page.ts';

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
  const scripts = new Map<string, string>();
  const others: string[] = [];
  const arriving: Promise<void>[] = [];
  lab.page.on('response', (response) => {
    const name = new URL(response.url()).pathname;
    if (!name.endsWith('.js')) others.push(name);
    else arriving.push(response.text().then((text) => void scripts.set(name, text)));
  });
  const found = async () => {
    await Promise.all(arriving);
    const all = [...scripts.values()].join('\n');
    return Object.entries(marks).flatMap(([what, mark]) => (all.includes(mark) ? [what] : []));
  };
  const playFiles = () => others.filter((name) => /\.wasm$|\/agents\//.test(name));

  await lab.open(small);
  await lab.reach(1);
  await expect(lab.page.getByTestId('evaluation-panel')).toBeVisible();
  await lab.page.waitForLoadState('networkidle');
  expect(await found()).toEqual([]);
  expect(playFiles()).toEqual([]);
  const sizes = [...scripts.values()].map((text) => gzipSync(text, { level: 9 }).length);
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  // Worlds, views and the reading of shaders are not among them; with them it was 656 kB.
  expect(total).toBeLessThan(620_000);
  test.info().annotations.push({
    type: 'first load',
    description: `${scripts.size} scripts, ${total} bytes compressed`,
  });

  // The marks are true ones: they are all there once play mode is open.
  await lab.page.getByRole('button', { name: 'Play mode' }).click();
  await expect(lab.page.getByTestId('play-origin')).toBeVisible({ timeout: 60_000 });
  await lab.page.waitForLoadState('networkidle');
  expect(await found()).toEqual(Object.keys(marks));
  expect(playFiles()).toHaveLength(2);
});
