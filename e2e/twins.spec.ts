import { expect, small, test } from './lab-page.ts';

declare global {
  interface Window {
    /** Milliseconds until both agents and their curves are visible. */
    besideEachOther?: number;
  }
}

/** Runs in the page from the start. */
function watch(): void {
  const look = () => {
    const curves = [...document.querySelectorAll('[data-testid="chart-success"] path.curve')];
    const colors = curves
      .filter((curve) => curve.getAttribute('d'))
      .map((curve) => curve.getAttribute('stroke'));
    const both = colors.includes('var(--p-run-2)') && new Set(colors).size > 1;
    const films = document.querySelectorAll('[data-testid="twins"] .twins-picture svg');
    if (both && films.length === 2) window.besideEachOther = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

test('a comparison link trains two agents on the same tasks and says where they diverge', async ({
  lab,
}) => {
  await lab.page.addInitScript(watch);
  await lab.page.goto('/?compare=bapo,grpo');
  const twins = lab.page.getByTestId('twins');
  await expect(twins.getByRole('heading')).toHaveText('BAPO and GRPO');
  await lab.page.waitForFunction(() => window.besideEachOther !== undefined);
  const seconds = (await lab.page.evaluate(() => window.besideEachOther ?? Number.NaN)) / 1000;
  const description = `side by side after ${seconds.toFixed(1)} s`;
  test.info().annotations.push({ type: 'twins', description });
  console.log(`?compare=bapo,grpo: ${description}`);
  // Each agent has a curve in the charts and a replay of the same task.
  const runs = lab.page.getByTestId('chart-toolbar').getByRole('list', { name: 'Runs' });
  await expect(runs.getByRole('button')).toHaveText([/BAPO/, /GRPO/]);
  await expect(twins.getByText(/^Both at the same task, after \d+ iterations?:/)).toBeVisible();
  await expect(twins.getByTestId('twins-words')).toHaveText(/iteration \d+/);
  expect(new URL(lab.page.url()).searchParams.get('compare')).toBe('bapo,grpo');
  const { adapter, ...shown } = await lab.state();
  expect(shown.iterations).toBeGreaterThan(0);
  expect(adapter).not.toBeNull();
  await twins.getByRole('button', { name: 'Only BAPO' }).click();
  await expect(twins).toBeHidden();
  await expect(runs).toBeHidden();
});

test('a predicted curve can be drawn before the run', { tag: '@smoke' }, async ({ lab }) => {
  await lab.open({ ...small, 'evaluation.interval': 0, 'stopping.iterations': 40 });
  await lab.reach(1);
  await lab.button('More').click();
  await lab.page.getByRole('menuitem', { name: 'Predict the curve first' }).click();
  const card = lab.page.getByTestId('predict');
  await card.getByRole('button', { name: 'Restart' }).click();
  const end = card.getByRole('slider', { name: 'Iteration 40' });
  await end.focus();
  await end.press('End');
  await end.press('ArrowDown');
  await expect(end).toHaveAttribute('aria-valuenow', '95');
  await end.press('ArrowLeft');
  await expect(card.getByRole('slider', { name: 'Iteration 36' })).toBeFocused();
  await card.getByRole('button', { name: 'Start the run' }).click();
  await expect(lab.page.getByTestId('predict-words')).toHaveText(
    /^For iteration \d+ you drew \d+%; the run solves \d+%\./,
  );
  const runs = lab.page.getByTestId('chart-toolbar').getByRole('list', { name: 'Runs' });
  await expect(runs.getByRole('button', { name: 'Your prediction' })).toBeVisible();
});
