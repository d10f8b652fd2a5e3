import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, small, test } from './lab-page.ts';

const projector = { width: 1280, height: 720 };

/** Parses a number as the page formats it. */
const numberIn = (text: string): number => Number(text.replaceAll('−', '-').replaceAll(',', ''));

/** Opens the dialog that steps through an iteration, after the first one. */
async function openSteps(lab: LabPage) {
  await lab.reach(1);
  await lab.button('Walk: step through an iteration, phase by phase').click();
  const dialog = lab.page.getByRole('dialog');
  const facts = dialog.getByTestId('step-facts');
  const value = (name: string) =>
    facts.locator('.step-numbers > div', { hasText: name }).locator('dd');
  return { dialog, facts, next: dialog.getByTestId('step-next'), value };
}

test('stepping through an iteration shows consistent numbers in every phase', async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({ ...small, 'algorithm.epochs': 1, 'algorithm.mini_batches': 2 });
  const { dialog, facts, next, value } = await openSteps(lab);
  await expect(next).toHaveText(/^Start iteration \d+$/);
  await expect(next).toBeEnabled();
  const before = (await lab.state()).iterations;
  await page.setViewportSize(projector);
  const worked = facts.getByTestId('worked');
  /** The worked total fits on the screen without scrolling, and a chart is visible. */
  const expectInSight = async () => {
    const bottom = async () => {
      const box = await worked.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? Number.NaN);
    };
    await expect.poll(bottom).toBeLessThanOrEqual(projector.height);
    await expect(facts.getByRole('img').first()).toBeVisible();
  };

  await next.click();
  await expect(facts.getByRole('heading', { name: 'Roll out' })).toBeVisible();
  await expect(value('Episodes')).toHaveText('16');
  const tokens = numberIn(await value('Tokens generated').innerText());
  await expect(facts.locator('.step-member')).toHaveCount(4);
  // One token is followed from its sampling to its update.
  const life = facts.getByTestId('token-life');
  const stage = (name: string) => life.getByRole('listitem').filter({ hasText: name });
  const sampled = await stage('Sampled at').innerText();
  const followed = await life.locator('.itoken-plain').innerText();
  await expect(stage('Reward R')).toContainText('–');

  await expect(next).toBeEnabled();
  await next.press('Enter');
  await expect(facts.getByRole('heading', { name: 'Score' })).toBeVisible();
  await expect(dialog.getByRole('status')).toHaveText('Score');
  // The button is disabled while a phase is computed, but keeps the focus.
  await expect(next).toBeFocused();
  await expect(stage('Reward R')).not.toContainText('–');
  const mean = numberIn(await value('Mean reward').innerText());
  expect(mean).toBeGreaterThanOrEqual(0);
  await expectInSight();

  await next.click();
  await expect(facts.getByRole('heading', { name: 'Advantages' })).toBeVisible();
  const signs = ['with positive advantage', 'With zero advantage', 'With negative advantage'];
  const counts = await Promise.all(signs.map((sign) => value(sign).innerText()));
  expect(counts.map(numberIn).reduce((a, b) => a + b, 0)).toBe(tokens);
  await expectInSight();
  await page.setViewportSize({ width: 390, height: 844 });
  const tooWide = () =>
    dialog.evaluate((element) =>
      [...element.querySelectorAll('.step-nav, .step-facts, .step-facts > *, .step-phase')]
        .filter((part) => part.getBoundingClientRect().right > innerWidth)
        .map((part) => part.className),
    );
  await expect.poll(tooWide).toEqual([]);
  await lab.photograph('advantages-narrow');
  await page.setViewportSize(projector);
  // Special tokens are not used as examples.
  const example = facts.locator('.itoken[aria-pressed=true]');
  await expect(example).not.toContainText('<');
  await expect(facts.locator('.step-tokens .itoken[tabindex="-1"]')).toHaveCount(
    (await facts.locator('.step-tokens .itoken').count()) - 1,
  );

  await next.click();
  // The first update that contains the followed token.
  await expect(facts.getByRole('heading', { name: /^Loss of update [12] of 2$/ })).toBeVisible();
  const [number] = (await stage('Ratio r').innerText()).match(/[12](?= of 2)/) ?? [];
  await expect(facts.getByRole('heading')).toHaveText(`Loss of update ${number} of 2`);
  await expect(facts.locator('.itoken[aria-pressed=true] .itoken-text')).toHaveText(followed);
  // In the first update, the policy has not changed since sampling.
  if (number === '1') await expect(stage('Ratio r')).toContainText('×1.000');
  const loss = await value('Loss').last().innerText();
  await expectInSight();
  await expect(example).not.toContainText('<');
  await expectAccessible(page, 'step-through', '[role=dialog]');
  await lab.photograph('loss');

  await next.click();
  await expect(facts.getByRole('heading', { name: `Update ${number} of 2` })).toBeVisible();
  await expect(stage('After update')).toContainText(/%\s*from /);
  await expect(stage('Sampled at')).toHaveText(sampled, { useInnerText: true });
  const norm = numberIn(await value('Gradient norm').innerText());
  expect(norm).toBeGreaterThan(0);
  await expectInSight();
  await lab.photograph('update');
  // Earlier phases can be revisited.
  await dialog.getByRole('button', { name: `Loss ${number} of 2` }).click();
  await expect(value('Loss').last()).toHaveText(loss);

  if (number === '1') {
    await dialog.getByRole('button', { name: 'To the last update' }).click();
    await expect(facts.getByRole('heading', { name: 'Loss of update 2 of 2' })).toBeVisible();
    await next.click();
    await expect(facts.getByRole('heading', { name: 'Update 2 of 2' })).toBeVisible();
    await expect(life.locator('.itoken-plain')).toHaveText(followed);
  }
  await expect(next).toHaveText('Finish the iteration');
  await next.click();
  await expect(next).toHaveText(/^Start iteration/);
  await expect(facts.getByRole('heading', { name: /^Iteration \d+ is finished/ })).toBeVisible();
  await expect(facts.getByRole('button', { name: /^Play against the agent/ })).toBeVisible();
  // Text is larger on a larger screen.
  const size = () =>
    facts.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
  const near = await size();
  await page.setViewportSize({ width: 1920, height: 1080 });
  await expect.poll(size).toBeGreaterThan(1.3 * near);
  const after = await lab.snapshot();
  expect(after.iterations).toBe(before + 1);
  // The displayed numbers equal the record's.
  const own = after.updates.at(-1)?.[Number(number) - 1];
  expect(numberIn(loss)).toBeCloseTo(own?.loss ?? Number.NaN, 4);
  expect(own?.gradNorm).toBeCloseTo(norm, 3);

  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await lab.button('Continue').click();
  await lab.reach(after.iterations + 1);
});

test('stepping through an AgentEvol round shows each phase by environment', async ({ lab }) => {
  const { page } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({
    preset: 'agentevol',
    'policy.layers': 1,
    'policy.width': 16,
    'policy.heads': 2,
    'policy.kv_heads': 2,
    'policy.ffn_width': 32,
    'imitation.most_tasks': 4,
    'imitation.epochs': 1,
    'evolution.tasks': 16,
    'evolution.epochs': 1,
    // Rewards are rare this early; this threshold also keeps episodes with reward 0.
    'evolution.weights': 'threshold',
    'evolution.threshold': -1,
    'horizon.turns': 2,
    'evaluation.tasks': 4,
    'stopping.iterations': 10_000,
  });
  const { facts, next, value } = await openSteps(lab);
  await expect(next).toBeEnabled();
  const before = (await lab.state()).iterations;

  await next.click();
  await expect(facts.getByRole('heading', { name: /^Explore, round/ })).toBeVisible();
  await expect(value('Episodes')).toHaveText('16');
  await next.click();
  await expect(facts.getByRole('heading', { name: 'Keep or drop' })).toBeVisible();
  await expect(value('Kept')).toHaveText(/^16 /);
  await expect(facts.locator('.step-member')).toHaveCount(8);
  await expectAccessible(page, 'round', '[role=dialog]');
  await lab.photograph('sift');
  await next.click();
  await expect(facts.getByRole('heading', { name: 'Learn' })).toBeVisible();
  await expect(value('From the expert')).toHaveText('4');
  await lab.photograph('learn');
  await expect(next).toHaveText('Finish the iteration');
  await next.click();
  await expect(next).toHaveText(/^Start iteration/);
  expect((await lab.state()).iterations).toBe(before + 1);
  await page.keyboard.press('Escape');
  const rounds = page.getByTestId('rounds');
  await rounds.scrollIntoViewIfNeeded();
  await expect(rounds.locator('tbody tr')).toHaveCount(2 * Math.min(8, before + 1));
  await expectAccessible(page, 'rounds', '[data-testid=rounds]');
  await lab.photograph('rounds');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await rounds.scrollIntoViewIfNeeded();
  await lab.photograph('rounds-narrow');
});
