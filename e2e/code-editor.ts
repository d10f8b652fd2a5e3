/** Helpers for end-to-end tests of the code editor. */

import type { Page } from '@playwright/test';
import { expect, queryOf } from './lab-page.ts';

/** The CPU trains faster than a software GPU; the run that opens with the page ends after one iteration. */
export const QUICK = {
  device: 'processor',
  'evaluation.interval': 5,
  'stopping.iterations': 1,
} as const;

export const verdict = (page: Page) => page.getByTestId('code-verdict');
export const train = (page: Page) => page.getByRole('button', { name: 'Train', exact: true });

export const ready = (page: Page) => expect(verdict(page)).toHaveAttribute('data-state', 'ready');
export const failed = (page: Page) => expect(verdict(page)).toHaveAttribute('data-state', 'error');

/** Opens the editor on the current page. */
export async function showEditor(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Write an environment' }).click();
  await expect(page.getByTestId('code')).toBeVisible();
}

export async function openEditor(page: Page): Promise<void> {
  await page.goto(`/?${queryOf(QUICK)}`);
  await showEditor(page);
}

export async function chooseTemplate(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Templates' }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
}

/** Replaces the code, as pasting does. */
export async function write(page: Page, code: string): Promise<void> {
  await page.getByTestId('code').fill(code);
}
