import { test as base, expect, type Locator, type Page } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';
import type { LabSnapshot, LabState } from '../src/ui/app/test-api.ts';

/** Query parameters for these settings. */
export const queryOf = (settings: Readonly<Record<string, string | number>>): URLSearchParams =>
  new URLSearchParams(Object.entries(settings).map(([key, value]) => [key, String(value)]));

/** Page object of the lab. Reads the run through `window.palestra`. */
export class LabPage {
  readonly page: Page;
  readonly status: Locator;
  readonly iteration: Locator;
  readonly settings: Locator;
  readonly stage: Locator;

  constructor(page: Page) {
    this.page = page;
    this.status = page.getByTestId('status');
    this.iteration = page.getByTestId('iteration');
    this.settings = page.getByTestId('settings');
    this.stage = page.getByTestId('stage');
  }

  /**
   * Opens the page at full depth with every group unfolded; the run starts automatically. For a first-time visitor's view use
   * `page.goto('/')`.
   */
  async open(settings: Readonly<Record<string, string | number>> = {}): Promise<void> {
    const query = queryOf(settings);
    await this.page.addInitScript(() => {
      try {
        localStorage.setItem('palestra-folded', '');
      } catch {
        // Without stored preferences, groups are folded as on a first visit.
      }
    });
    if ([...query.keys()].every((key) => key === 'device')) query.set('depth', 'everything');
    await this.page.goto(`/?${query}`);
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  async state(): Promise<LabState> {
    return this.page.evaluate(() => {
      if (window.palestra === undefined) throw new Error('the page offers no window.palestra');
      return window.palestra.state();
    });
  }

  /** The state with all rows. Passing it as text is ten times faster for a long run. */
  async snapshot(): Promise<LabSnapshot> {
    const text = await this.page.evaluate(() => {
      if (window.palestra === undefined) throw new Error('the page offers no window.palestra');
      // JSON cannot represent these numbers.
      const isOdd = (value: unknown) =>
        typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0));
      return JSON.stringify(window.palestra.snapshot(), (_, value) =>
        isOdd(value) ? { odd: Object.is(value, -0) ? '-0' : String(value) } : value,
      );
    });
    return JSON.parse(text, (_, value) =>
      typeof value?.odd === 'string' ? Number(value.odd) : value,
    );
  }

  /** Waits until at least this many iterations have finished; throws the run's error if it fails. */
  async reach(iterations: number): Promise<LabState> {
    await this.page.waitForFunction(
      (least) => {
        const state = window.palestra?.state();
        return state !== undefined && (state.error !== null || state.iterations >= least);
      },
      iterations,
      { polling: 50 },
    );
    const last = await this.state();
    if (last.error !== null) throw new Error(`${last.error.name}: ${last.error.message}`);
    return last;
  }

  /** Pauses after the current iteration. */
  async pause(): Promise<LabState> {
    await this.button('Pause').click();
    await expect(this.status).toHaveText('Paused');
    return this.state();
  }

  /** Opens a section of the settings. */
  async openSettings(section: RegExp): Promise<void> {
    await this.button(/^Settings/).click();
    await this.settings.getByRole('button', { name: section }).click();
  }

  /** A settings field by config path. */
  field(path: string): Locator {
    return this.settings.locator(`[data-path="${path}"]`);
  }

  async chooseOption(path: string, option: string): Promise<void> {
    await this.field(path).getByRole('combobox').click();
    await this.page.getByRole('option', { name: option }).click();
  }

  /** Selects a method in the settings. */
  async chooseMethod(title: string): Promise<void> {
    await this.page.getByTestId('method').getByRole('combobox').click();
    await this.page.getByRole('option', { name: new RegExp(`^${title}`) }).click();
  }

  /** Copies the link from the open menu. The page watches for the confirmation, which soon disappears. */
  async copyLink(): Promise<void> {
    const confirmed = this.page.waitForFunction(() =>
      [...document.querySelectorAll('[role=menuitem]')].some(
        (item) => item.textContent === 'Link copied' && item.checkVisibility(),
      ),
    );
    await this.page.getByRole('menuitem', { name: 'Copy a link to this run' }).click();
    await confirmed;
  }

  /** Attaches a screenshot to the test results, with `--thorough` or PALESTRA_PICTURES=yes. */
  async photograph(name: string): Promise<void> {
    if (!thorough && process.env.PALESTRA_PICTURES !== 'yes') return;
    const path = test.info().outputPath(`${name}.png`);
    await this.page.screenshot({ path });
    await test.info().attach(name, { path, contentType: 'image/png' });
  }
}

/** The default run on its first screen, except that it outlasts any test. */
export const endless = '/?depth=watch&stopping.success=0&stopping.iterations=10000';

/** A small run that learns quickly on a software GPU. */
export const small = {
  'policy.layers': 1,
  'policy.width': 16,
  'policy.ffn_width': 32,
  'rollout.tasks_per_iteration': 4,
  'rollout.group_size': 4,
  'horizon.schedule': 'fixed',
  'horizon.turns': 10,
  'evaluation.interval': 2,
  'evaluation.tasks': 3,
  'evaluation.horizon': 12,
  'stopping.success': 0,
  // The run outlasts the test.
  'stopping.iterations': 10_000,
} as const;

/**
 * Every test fails on a console, page or GPU error. `expected` matches console errors that the test provokes.
 */
export const test = base.extend<{ lab: LabPage; expected: RegExp | null }>({
  expected: [null, { option: true }],
  lab: async ({ page, expected }, use) => {
    const faults: string[] = [];
    page.on('console', (message) => {
      const text = message.text();
      if (expected?.test(text) === true) return;
      // Chromium reports uncaptured GPU errors as warnings.
      const gpu = /\b(WebGPU|GPU|WGSL|Dawn|Tint)\b.*(error|invalid|lost)/i.test(text);
      if (message.type() === 'error' || (message.type() === 'warning' && gpu)) faults.push(text);
    });
    page.on('pageerror', (error) => faults.push(`${error.name}: ${error.message}`));
    const lab = new LabPage(page);
    await use(lab);
    const { error } = await lab.state();
    expect(faults, 'console and page errors').toEqual([]);
    expect(error, 'run error').toBeNull();
  },
});

export { expect };
