import { readFile } from 'node:fs/promises';
import type { Download } from '@playwright/test';
import type { EvaluationReport } from '../src/runs/evaluation-report.ts';
import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, small, test } from './lab-page.ts';

const panel = (lab: LabPage) => lab.page.getByTestId('evaluation-panel');

/** Clicks a button and returns the downloaded file. */
async function saved(lab: LabPage, name: string): Promise<Download> {
  const [download] = await Promise.all([
    lab.page.waitForEvent('download'),
    panel(lab).getByRole('button', { name }).click(),
  ]);
  return download;
}

/** Evaluates on this many tasks and waits for the table. */
async function evaluate(lab: LabPage, tasks: number): Promise<void> {
  await panel(lab).getByLabel('Tasks, 0 for all').fill(String(tasks));
  const tries = panel(lab).getByLabel('Tries per task (k)');
  await tries.fill('');
  await expect(tries).toHaveValue('');
  await tries.pressSequentially('2');
  await expect(tries).toHaveValue('2');
  await panel(lab).getByRole('button', { name: 'Evaluate' }).click();
  await expect(panel(lab).getByRole('table')).toBeVisible();
}

test('an evaluation during training completes, and training continues', async ({ lab }) => {
  await lab.page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open(small);
  await lab.reach(2);
  await evaluate(lab, 5);
  const table = panel(lab).getByRole('table', { name: 'Evaluation' });
  for (const player of ['Agent, greedy', 'Agent, sampled', 'Expert', 'Random agent']) {
    await expect(table.getByRole('rowheader', { name: player, exact: true })).toBeVisible();
  }
  await expect(table.getByRole('rowheader', { name: 'maze/double-t-v1' })).toContainText(
    '5 tasks, at most 12 turns each. The double-T maze has one start for each of its 25 free cells, too few to hold any out: evaluation plays the same 25 tasks as training.',
  );
  await expect(table.getByRole('columnheader')).toHaveText([
    ...['Player', 'Success', 'Score', 'Turns', 'Episodes', 'pass@1', 'pass@2'],
  ]);
  const { iterations, runId } = await lab.state();
  expect((await lab.reach(iterations + 2)).runId).toBe(runId);
  await expect(lab.status).toHaveText('Training');

  await panel(lab).scrollIntoViewIfNeeded();
  await lab.photograph('wide');
  await expectAccessible(lab.page, 'evaluation', '[data-testid=evaluation-panel]');
  const json = await saved(lab, 'Export as JSON');
  expect(json.suggestedFilename()).toBe('palestra-evaluation.json');
  const report: EvaluationReport = JSON.parse(await readFile(await json.path(), 'utf8'));
  expect(report.trained.iteration).toBeGreaterThanOrEqual(2);
  expect(report.environments[0]?.results.map(({ player, passAtK }) => [player, passAtK.length]))
    // Deterministic play has no pass@k.
    .toEqual([
      ['greedy', 0],
      ['sampled', 2],
      ['expert', 0],
      ['random', 2],
    ]);
  const csv = await readFile(await (await saved(lab, 'Export as CSV')).path(), 'utf8');
  expect(csv.trimEnd().split('\n')).toHaveLength(5);
  const markdown = await readFile(await (await saved(lab, 'Export as Markdown')).path(), 'utf8');
  expect(markdown).toMatch(/^\| Environment \| Player \|/);
});

test('a finished run can be evaluated and saved', { tag: '@smoke' }, async ({ lab }) => {
  await lab.page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' });
  await lab.page.setViewportSize({ width: 420, height: 800 });
  await lab.open({ ...small, 'stopping.iterations': 2 });
  await lab.reach(2);
  await expect(lab.status).toHaveText('Finished');
  await evaluate(lab, 3);
  await expect(lab.status).toHaveText('Finished');

  const checkpoint = await saved(lab, 'Save checkpoint');
  expect(checkpoint.suggestedFilename()).toMatch(/^palestra-.+\.safetensors$/);
  const bytes = await readFile(await checkpoint.path());
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + Number(bytes.readBigUInt64LE())));
  expect(header.__metadata__.iteration).toBe('2');
  expect(header['agent/embedding'].dtype).toBe('F32');

  await panel(lab).scrollIntoViewIfNeeded();
  await lab.photograph('narrow-dark');
  // The table scrolls; the page does not.
  const overflow = await lab.page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBeLessThanOrEqual(0);

  // A new run has no evaluation, and cannot be evaluated before it starts.
  await lab.button(/^Reset/).click();
  await expect(lab.status).toHaveText('Paused');
  await expect(panel(lab).getByRole('table')).toHaveCount(0);
});
