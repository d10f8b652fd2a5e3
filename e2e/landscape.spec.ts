/** Policy maps of environments whose tasks do not share one layout. */

import type { EpisodeRecord } from '../src/runs/episode.ts';
import type { Row } from '../src/runs/row.ts';
import { expectAccessible } from './accessible.ts';
import { expect, type LabPage, test } from './lab-page.ts';
import { opening, type StagedMessage, stage, stagedRow } from './staged-run.ts';

/** An episode with these actions. */
const episode = (
  environment: EpisodeRecord['environment'],
  taskId: string,
  actions: readonly string[],
  success: boolean,
): EpisodeRecord => ({
  environment,
  taskId,
  turns: actions.map((action) => ({
    observation: '',
    thought: '',
    tokens: [],
    action,
    understood: true,
    reward: 0,
  })),
  finalObservation: '',
  success,
  truncated: !success,
  score: success ? 1 : 0,
});

/** Stages a run of two iterations and opens its policy map by keyboard. */
async function openMap(
  lab: LabPage,
  preset: string,
  episodes: readonly (readonly EpisodeRecord[])[],
): Promise<void> {
  const iterations = episodes.map((records, i): StagedMessage => {
    const row: Row = {
      iteration: i + 1,
      metrics: { iteration: i + 1, 'rollout/success_rate': i },
      details: { updates: [], staleness: [[0, 1]] },
      milliseconds: 100,
    };
    return stagedRow(row, records.slice(0, 1));
  });
  await stage(lab.page, [...opening, ...iterations], undefined, episodes);
  await lab.page.emulateMedia({ reducedMotion: 'reduce' });
  await lab.open({ preset, depth: 'watch' });
  await expect(lab.stage).toContainText('Iteration 2');
  await lab.stage.getByRole('radio', { name: 'Latest' }).press('ArrowLeft');
  await expect(lab.stage.getByTestId('lapse')).toContainText('Iteration 2');
}

/** Moves the crosshair to an iteration by keyboard. */
async function point(lab: LabPage, key: 'Home' | 'End', iteration: number): Promise<void> {
  const crosshair = lab.page.getByRole('slider', { name: /^Crosshair of/ }).first();
  // A chart that redraws while it receives focus misses the key press.
  await expect(async () => {
    await crosshair.press(key);
    await expect(lab.stage.getByTestId('lapse')).toContainText(`Iteration ${iteration}`, {
      timeout: 5000,
    });
  }).toPass();
}

test('Wordle’s map shows letters by position and how feedback is used', { tag: '@smoke' }, async ({
  lab,
}) => {
  // The hidden word is river; the opening guess is apple.
  const river = (actions: readonly string[], success: boolean) =>
    episode({ id: 'wordle/wordle-v1', options: {} }, 'wordle_0', actions, success);
  await openMap(lab, 'wordle', [
    [river(['t a b l e', 'no word'], false), river(['x x x x x'], false)],
    [river(['g r e e n', 'r i v e r'], true), river(['g r e e n', 'r i v e r'], true)],
  ]);
  const skill = (name: string) => lab.stage.locator(`[data-skill=${name}]`);
  await expect(skill('green')).toContainText('100%keep letters that are in place (n = 2)');
  await expect(skill('yellow')).toContainText('100%move letters that are elsewhere (n = 4)');
  await expect(lab.stage.getByTitle('G in position 1: 2 of 2 guesses (100%)')).toHaveCount(1);
  await expect(lab.stage.getByTestId('lapse')).toContainText('Based on 2 training episodes.');
  await point(lab, 'Home', 1);
  // One of three guesses was in the word list; it repeated a, l and e in positions that apple had ruled out.
  await expect(skill('word')).toContainText('33%are in the word list (n = 3)');
  await expect(skill('green')).toContainText('–');
  await expect(skill('yellow')).toContainText('0%move letters that are elsewhere (n = 1)');
  await expect(skill('grey')).toContainText('0%leave out letters that are not in the word (n = 1)');
  await point(lab, 'End', 2);
  await lab.stage.getByText('As text').press('Enter');
  await expect(
    lab.stage.getByText('First guess, position 1: G 100% (100% of the games won)'),
  ).toBeVisible();
  await expectAccessible(lab.page, 'letters', '[data-testid=stage]');
});

test('BabyAI’s map shows actions by the target’s relative position', async ({ lab }) => {
  // The episodes arrive before the code that replays them.
  await lab.page.route(/babyai-[^/]*\.js$/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await route.continue();
  });
  // The red ball lies two steps to the right.
  const options = { goal: 'always', actions: 'hidden' };
  const ball = (actions: readonly string[], success: boolean) =>
    episode({ id: 'babyai/goto-red-ball-v1', options }, 'babyai_0', actions, success);
  await openMap(lab, 'babyai-goto-red-ball', [
    [ball(['turn left', 'go to red ball 1'], false)],
    [ball(['go to red ball 1'], true)],
  ]);
  const places = lab.stage.locator('.babyai-bearings .babyai-place title');
  await expect(places).toHaveText(['acts on the target in 100% of 1 turn; success rate 100%']);
  // Open the text first: the crosshair would be hidden when it loses the focus.
  await lab.stage.getByText('As text').press('Enter');
  await expect(lab.stage.getByText(/^2 right: acts on the target in 100%/)).toBeVisible();
  await point(lab, 'Home', 1);
  await expect(places).toHaveText([
    'turns left in 100% of 1 turn; success rate 0%',
    'fails to act on the target in 100% of 1 turn; success rate 0%',
  ]);
  await expect(lab.stage.getByText(/^2 behind: fails to act on the target in 100%/)).toBeVisible();
  await expectAccessible(lab.page, 'bearings', '[data-testid=stage]');
});
