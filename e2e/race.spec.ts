import { endless, expect, test } from './lab-page.ts';

// A viewport so short that the page can scroll.
test.use({ viewport: { width: 1280, height: 620 } });

test('a race shows the agent as an opponent, and its keys do not scroll the page', async ({
  lab,
}) => {
  const { page, stage } = lab;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(endless);
  await lab.reach(2);
  await page.keyboard.press('p');
  const race = stage.getByTestId('race');
  await expect(race).toContainText(/Agent.*iteration \d+/);
  await expect(stage.locator('.maze-rival')).toHaveCount(1);
  // Each iteration may change the height of the headline, and a scrolled page then scrolls along.
  // The click leaves the focus on the board.
  await lab.button('Pause').dispatchEvent('click');
  await expect(lab.status).toHaveText('Paused');
  const maze = stage.getByRole('img', { name: /^Maze of/ });
  const place = async () =>
    `${await maze.getAttribute('data-row')},${await maze.getAttribute('data-column')}`;

  // At least one of four moves hits a wall.
  const top = await page.evaluate(() => scrollY);
  const remark = stage.getByTestId('remark');
  const remarked: string[] = [];
  for (const [turn, key] of ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].entries()) {
    const before = await place();
    await page.keyboard.press(key);
    await expect(race.locator('.race-you b')).toHaveText(String(turn + 1));
    if ((await place()) !== before) continue;
    await expect(remark).toHaveText(/wall/);
    remarked.push(key);
  }
  expect(remarked.length).toBeGreaterThan(0);
  expect(await page.evaluate(() => scrollY)).toBe(top);

  // The expert's advice leads to the end of the race.
  for (let turns = 0; turns < 60; turns++) {
    if (await stage.getByRole('button', { name: 'Same task again' }).isVisible()) break;
    await stage.getByRole('button', { name: 'Ask the expert' }).click();
    const advice = stage.getByRole('button', { name: /^Take the expert’s action/ });
    await expect(advice).toBeFocused();
    await advice.click();
  }
  await expect(stage.getByRole('application')).toBeFocused();
  await expect(stage.getByTestId('play-hint')).toHaveText(
    /^You took \d+ turns; the agent .+; the expert took \d+\.$/,
  );
  await expect(race.getByTestId('tally')).toHaveText(/^Won: you \d, agent \d/);
  // The key press must not scroll the page.
  const now = await page.evaluate(() => scrollY);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(await page.evaluate(() => scrollY)).toBe(now);
  await lab.photograph('race');
  await stage.getByRole('button', { name: 'Show the agent’s episode' }).click();
  await expect(stage.getByTestId('dialogue')).toBeVisible();
  await expect(stage.getByText('Chosen', { exact: true })).toBeVisible();
});
