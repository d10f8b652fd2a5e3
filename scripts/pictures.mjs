/**
 * `node scripts/pictures.mjs [NAME…]`: takes screenshots of the lab for `docs/`, and of the environments for
 * `docs/environments/`, each as the lab's stage shows it during an expert's episode. The images are checked
 * in; rerun this script when a view changes.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { ensureChromium } from './chromium.mjs';
import { root } from './install.mjs';

/** Width in CSS pixels; images have twice as many pixels. */
const SIZE = { width: 720, height: 460 };
const SCALE = 2;
const MARGIN = 22;
/** WebP quality, from 0 to 100. */
const QUALITY = 82;

/**
 * A screenshot: the environment's id with its options, the task, and the number of expert turns (by default,
 * the whole episode).
 * @typedef {{ id: string, options?: Readonly<Record<string, string | number>>, task: string, turn?: number }} Moment
 */

/** @type {Readonly<Record<string, Moment>>} */
const moments = {
  maze: { id: 'maze/generated-v2', task: 'maze_100008' },
  wordle: {
    id: 'wordle/wordle-v1',
    options: { list: 'medium' },
    task: 'wordle_100052',
  },
  babyai: { id: 'babyai/synth-v1', options: { room_size: 5 }, task: 'babyai_100011', turn: 16 },
  textcraft: {
    id: 'textcraft/textcraft-v1',
    options: { depth: 4 },
    task: 'textcraft_100000',
    turn: 6,
  },
  searchqa: {
    id: 'searchqa/searchqa-v1',
    options: { hops: 'two' },
    task: 'searchqa_100000',
  },
  alfworld: {
    id: 'household/alfworld-v1',
    options: { rung: 'three' },
    task: 'alfworld_100001',
    turn: 6,
  },
  sciworld: {
    id: 'household/sciworld-v1',
    options: { rung: 'two' },
    task: 'sciworld_100000',
    turn: 4,
  },
  webshop: {
    id: 'pages/webshop-v1',
    options: { rung: 'three' },
    task: 'webshop_100000',
    turn: 6,
  },
  webarena: {
    id: 'pages/webarena-v1',
    options: { rung: 'three' },
    task: 'webarena_100000',
    turn: 3,
  },
  weather: { id: 'tools/weather-v1', options: { rung: 'three' }, task: 'weather_100000' },
  movie: { id: 'tools/movie-v1', options: { rung: 'three' }, task: 'movie_100000' },
  academia: { id: 'tools/academia-v1', options: { rung: 'two' }, task: 'academia_100000' },
  sheet: { id: 'tools/sheet-v1', options: { rung: 'three' }, task: 'sheet_100000', turn: 3 },
  todo: { id: 'tools/todo-v1', options: { rung: 'four' }, task: 'todo_100002' },
  bird: { id: 'bird/bird-v1', options: { rung: 'three' }, task: 'bird_100000' },
};

/** Screen sizes in CSS pixels. */
const screens = {
  laptop: { width: 1366, height: 768 },
  desktop: { width: 1920, height: 1080 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 390, height: 844 },
};

/** Seconds after which `first-seconds` shows the page. */
const FIRST_SECONDS = 10;

/**
 * Screenshots of the lab.
 * @type {Readonly<Record<string, (browser: import('playwright').Browser, address: string) => Promise<Buffer>>>}
 */
const views = {
  lab: (browser, address) =>
    onPage(browser, { viewport: screens.laptop }, (page) => finishedRun(page, address)),
  narrow: (browser, address) =>
    onPage(browser, { viewport: screens.phone, colorScheme: 'dark' }, (page) =>
      finishedRun(page, address),
    ),
  'step-through': (browser, address) =>
    onPage(browser, { viewport: { width: 1280, height: 720 } }, async (page) => {
      await page.goto(address);
      await page.waitForFunction(() => (window.palestra?.state().iterations ?? 0) >= 8);
      await page.getByRole('button', { name: /^Walk/ }).click();
      // The phases of an iteration, up to the first update.
      for (let phase = 0; phase < 5; phase++) {
        await page.getByTestId('step-next').click();
        await page.locator('.step-shown').nth(0).waitFor();
        await page.locator('.step-phase').nth(phase).and(page.locator('.step-newest')).waitFor();
      }
      return webp(page);
    }),
  /** Four screen sizes, light and dark. */
  async 'first-seconds'(browser, address) {
    /** @type {string[]} */
    const images = [];
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      for (const viewport of Object.values(screens)) {
        const shot = await onPage(browser, { viewport, colorScheme }, async (page) => {
          await page.goto(address);
          await page.waitForTimeout(1000 * FIRST_SECONDS);
          return webp(page);
        });
        images.push(`<img alt="" src="data:image/webp;base64,${shot.toString('base64')}">`);
      }
    }
    const style =
      'body{margin:0;display:grid;grid-template-columns:repeat(4,max-content);gap:12px;align-items:start;width:max-content;padding:12px;background:#888}img{height:400px}';
    return onPage(browser, { viewport: { width: 2200, height: 860 } }, async (page) => {
      await page.setContent(`<style>${style}</style>${images.join('')}`);
      const { width, height } = await page.evaluate(() => {
        const { width, height } = document.body.getBoundingClientRect();
        return { width: Math.ceil(width), height: Math.ceil(height) };
      });
      await page.setViewportSize({ width, height });
      return webp(page);
    });
  },
};

/**
 * @template Result
 * @param {import('playwright').Browser} browser
 * @param {import('playwright').BrowserContextOptions} options
 * @param {(page: import('playwright').Page) => Promise<Result>} take
 * @returns {Promise<Result>}
 */
async function onPage(browser, options, take) {
  const context = await browser.newContext({
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...options,
  });
  try {
    return await take(await context.newPage());
  } finally {
    await context.close();
  }
}

/**
 * The first screen after the default run.
 * @param {import('playwright').Page} page
 * @param {string} address
 */
async function finishedRun(page, address) {
  await page.goto(address);
  await page
    .getByTestId('stage')
    .getByText(/^Iteration/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Understand it' }).waitFor({ timeout: 300_000 });
  // The stage shows the last iteration shortly after the run has ended.
  await page.waitForTimeout(3000);
  return webp(page);
}

/** @param {import('playwright').Page} page */
async function webp(page) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
  });
  return Buffer.from(data, 'base64');
}

/** A style sheet that hides everything but the stage's picture, which fills the page. */
const ALONE = `
  .stage-picture {
    position: fixed;
    inset: 0;
    z-index: 9999;
    justify-content: center;
    padding: ${MARGIN}px;
    background: var(--p-card);
  }
  .stage-picture > :is(.where, .transport) { display: none; }
`;

/**
 * Serves the built page.
 * @returns {Promise<{ address: string, stop: () => void }>}
 */
async function servePage() {
  const server = spawn(
    process.execPath,
    [join(root, 'scripts/start.mjs'), '--no-open', '--host', '127.0.0.1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let said = '';
  for await (const piece of server.stdout) {
    said += piece;
    const [, address] = /Palestra is at (\S+)/.exec(said) ?? [];
    if (address !== undefined) return { address, stop: () => server.kill() };
  }
  throw new Error(`The page could not be served: ${said}`);
}

/**
 * @param {import('playwright').Locator} stage
 * @param {number} turn
 */
async function leafTo(stage, turn) {
  await stage.getByRole('button', { name: 'Back to the start' }).click();
  for (let taken = 0; taken < turn; taken++) {
    await stage.getByRole('button', { name: 'Next turn' }).click();
  }
  await stage.locator('.transport-turn', { hasText: new RegExp(`^${turn}/`) }).waitFor();
}

/**
 * @param {import('playwright').Page} page
 * @param {string} address
 * @param {Moment} moment
 * @returns {Promise<Buffer>} a WebP image
 */
async function photograph(page, address, { id, options = {}, task, turn }) {
  const query = new URLSearchParams({ device: 'webgpu', 'env.id': id });
  for (const [name, value] of Object.entries(options)) {
    query.set(`env.options.${name}`, String(value));
  }
  await page.goto(`${address}?${query}`);
  const stage = page.getByTestId('stage');
  // The page shows another environment until the one in the address has loaded.
  await stage.locator('.stage-foot', { hasText: task.replace(/\d\d$/, '') }).waitFor();
  await stage.getByRole('combobox', { name: 'Task' }).fill(task);
  await page.getByRole('option', { name: task, exact: true }).click();
  await stage.locator('.stage-foot', { hasText: task }).waitFor();
  if (turn !== undefined) await leafTo(stage, turn);
  await page.addStyleTag({ content: ALONE });
  await page.evaluate(
    (most) => {
      const view = document.querySelector('.stage-picture > :not(.where, .transport)');
      if (!(view instanceof HTMLElement || view instanceof SVGElement))
        throw new Error('the stage shows no environment');
      view.style.zoom = String(Math.min(1, most / view.getBoundingClientRect().height));
    },
    SIZE.height - 2 * MARGIN,
  );
  return webp(page);
}

const wanted = process.argv.slice(2);
const names = [...Object.keys(views), ...Object.keys(moments)];
const unknown = wanted.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`There is no screenshot called ${unknown}; choose from ${names.join(', ')}.`);
  process.exit(2);
}
const folder = join(root, 'docs', 'environments');
mkdirSync(folder, { recursive: true });
const { address, stop } = await servePage();
const browser = await chromium.launch({ executablePath: await ensureChromium() });
const isWanted = (/** @type {string} */ name) => wanted.length === 0 || wanted.includes(name);
/** @param {string} path @param {Buffer} picture */
function save(path, picture) {
  writeFileSync(path, picture);
  console.log(`${path}: ${Math.round(picture.length / 1000)} kB`);
}
try {
  for (const [name, take] of Object.entries(views)) {
    if (isWanted(name)) save(join(root, 'docs', `${name}.webp`), await take(browser, address));
  }
  for (const [name, moment] of Object.entries(moments)) {
    if (!isWanted(name)) continue;
    const options = { viewport: SIZE, deviceScaleFactor: SCALE };
    const picture = await onPage(browser, options, async (page) => {
      // No training in the background; only the expert is shown.
      await page.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
      );
      return photograph(page, address, moment);
    });
    save(join(folder, `${name}.webp`), picture);
  }
} finally {
  await browser.close();
  stop();
}
