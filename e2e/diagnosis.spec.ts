import { readFileSync } from 'node:fs';
import { expect, test } from './lab-page.ts';
import { opening, type StagedMessage, stage, stagedEpisode } from './staged-run.ts';

interface Recorded {
  readonly columns: readonly string[];
  readonly values: readonly (readonly (number | null)[])[];
}

/** A run that was made to fail, as its worker would report it. */
function recorded(name: string): readonly StagedMessage[] {
  const file = new URL(`../src/diagnosis/testing/runs/${name}.json`, import.meta.url);
  const { columns, values }: Recorded = JSON.parse(readFileSync(file, 'utf8'));
  const iterations = values.map((row, index): StagedMessage => {
    const entries = columns.flatMap((key, place) => {
      const value = row[place];
      return value === null || value === undefined ? [] : [[key, value] as const];
    });
    return {
      type: 'iteration',
      iteration: index + 1,
      metrics: Object.fromEntries(entries),
      details: { updates: [], staleness: [] },
      episodes: [stagedEpisode],
      milliseconds: 500,
    };
  });
  return [...opening, ...iterations];
}

test('a run that fails is told its first cause, since when and what to try', async ({ lab }) => {
  await stage(lab.page, recorded('gamma-1.1'));
  await lab.open({ preset: 'maze', 'algorithm.gamma': 1 });
  await lab.reach(55);
  const { page } = lab;
  await expect(page.getByTestId('headline')).toHaveText('Bootstrapping at the horizon with γ = 1.');
  const findings = page.getByTestId('findings');
  await expect(findings).toContainText('Began in iteration 26, between 26 and 27');
  const why = page.getByTestId('chart-success').locator('.chart-why');
  await expect(why).toContainText('putting the goal off costs nothing');
  await expect(page.locator('.finding-span').first()).toBeVisible();

  // Evidence lights up in the chart that it is in, wherever that is.
  const evidence = findings.getByRole('list', { name: 'Evidence' }).getByRole('button');
  await evidence.filter({ hasText: 'Success rate' }).focus();
  const lit = page.locator('figure[data-lit]');
  await expect(lit).toHaveAttribute('data-testid', 'chart-success');
  await expect(lit.locator('.evidence-span')).toBeAttached();

  // Under the crosshair a chart says what could be known then, and the stage shows what was played.
  const plot = page.getByTestId('chart-success').locator('.plot');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  if (box === null) throw new Error('the chart is not in sight');
  await page.mouse.move(box.x + 0.3 * box.width, box.y + box.height / 2);
  await expect(why).toContainText(/rises|movement|Greedy/);
  await expect(lab.stage).toContainText('As it played where the crosshair');
  await expect(lab.stage).toContainText(/Iteration 1\d,/);
  await page.mouse.move(0, 0);
  await expect(lab.stage).toContainText('Iteration 55,');
  await expect(why).toContainText('putting the goal off costs nothing');

  await findings.getByRole('button', { name: /γ = 0.95/ }).click();
  await expect(lab.settings).toBeVisible();
  await expect(lab.field('algorithm.gamma').getByRole('textbox')).toHaveValue('0.95');
});

test('a sound run has nothing to be told of', async ({ lab }) => {
  await stage(lab.page, recorded('untouched.1'));
  await lab.open({ preset: 'maze' });
  await lab.reach(30);
  await expect(lab.page.getByTestId('headline')).toHaveText('It knows its way.');
  await expect(lab.page.getByTestId('findings')).toHaveCount(0);
});
