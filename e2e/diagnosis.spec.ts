import { readFileSync } from 'node:fs';
import type { Row } from '../src/runs/row.ts';
import { expect, test } from './lab-page.ts';
import { opening, type StagedMessage, stage, stagedEpisode, stagedRow } from './staged-run.ts';

interface Recorded {
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | null)[])[];
}

/** A run that was made to fail, as the worker reports it. */
function recorded(name: string): readonly StagedMessage[] {
  const file = new URL(`../src/diagnosis/testing/runs/${name}.json`, import.meta.url);
  const { columns, values }: Recorded = JSON.parse(readFileSync(file, 'utf8'));
  const iterations = values.map((cells, index): StagedMessage => {
    const entries = columns.flatMap((key, place) => {
      const value = cells[place];
      return value === null || value === undefined ? [] : [[key, value] as const];
    });
    const row: Row = {
      iteration: index + 1,
      metrics: Object.fromEntries(entries),
      details: { updates: [], staleness: [] },
      milliseconds: 500,
    };
    return stagedRow(row, [stagedEpisode]);
  });
  return [...opening, ...iterations];
}

test('a failing run shows its first cause, its onset and a remedy', { tag: '@smoke' }, async ({
  lab,
}) => {
  await stage(lab.page, recorded('gamma-1.1'));
  await lab.open({ preset: 'maze', 'algorithm.gamma': 1 });
  await lab.reach(55);
  const { page } = lab;
  await expect(page.getByTestId('headline')).toHaveText('Bootstrapping at the horizon with γ = 1.');
  const findings = page.getByTestId('findings');
  await expect(findings).toContainText('Began in iteration 26, between 26 and 27');
  const why = page.getByTestId('chart-success').locator('.chart-why');
  await expect(why).toContainText('delaying the goal costs nothing');
  await expect(page.locator('.finding-span').first()).toBeVisible();

  // Hovering evidence highlights its chart.
  const evidence = findings.getByRole('list', { name: 'Evidence' }).getByRole('button');
  await evidence.filter({ hasText: 'Success rate' }).focus();
  const lit = page.locator('figure[data-lit]');
  await expect(lit).toHaveAttribute('data-testid', 'chart-success');
  await expect(lit.locator('.evidence-span')).toBeAttached();

  // This part of the card loads later and moves the charts away from the mouse.
  await expect(findings.getByTestId('autopsy').first()).toBeAttached();
  // At the crosshair, the chart's sentence and the stage show that iteration.
  const plot = page.getByTestId('chart-success').locator('.plot');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (box === null) throw new Error('the chart is not visible');
  await page.mouse.move(box.x + 0.3 * box.width, box.y + box.height / 2);
  await expect(why).toContainText(/rises|trend|Greedy/);
  await expect(lab.stage).toContainText('The episode at the crosshair');
  await expect(lab.stage).toContainText(/Iteration 1\d,/);
  await page.mouse.move(0, 0);
  await expect(lab.stage).toContainText('Iteration 55,');
  await expect(why).toContainText('delaying the goal costs nothing');

  await findings.getByRole('button', { name: /γ = 0.95/ }).click();
  await expect(lab.settings).toBeVisible();
  await expect(lab.field('algorithm.gamma').getByRole('textbox')).toHaveValue('0.95');
  await expect(lab.field('algorithm.gamma')).toBeInViewport();
});

test('a healthy run shows no finding', async ({ lab }) => {
  await stage(lab.page, recorded('untouched.1'));
  await lab.open({ preset: 'maze' });
  await lab.reach(30);
  await expect(lab.page.getByTestId('headline')).toHaveText(/^Solved: /);
  await expect(lab.page.getByTestId('findings')).toHaveCount(0);
});
