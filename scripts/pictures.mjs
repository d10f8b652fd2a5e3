/**
 * `node scripts/pictures.mjs [NAME…]`: takes screenshots of the environments for
 * `docs/environments/`, each at a moment of an expert's episode as drawn by the lab's stage. The
 * pictures are checked in; run this when a view changes.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { ensureChromium } from './chromium.mjs';
import { root } from './install.mjs';

/** Width in CSS pixels; a picture has twice as many. */
const SIZE = { width: 720, height: 460 };
const SCALE = 2;
const MARGIN = 22;
/** WebP quality, from 0 to 100. */
const QUALITY = 82;

/**
 * A screenshot: the environment's id with its options, the task, and the number of expert turns;
 * without it, the end.
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

/** Shows only the picture, filling the page. */
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
  throw new Error(`The page is not served: ${said}`);
}

/**
 * @param {import('playwright').Locator} stage
 * @param {number} turn
 */
async function leafTo(stage, turn) {
  await stage.getByRole('button', { name: 'Back to the start' }).click();
  for (let taken = 0; taken < turn; taken++) {
    await stage.getByRole('button', { name: 'One turn on' }).click();
  }
  await stage.locator('.transport-turn', { hasText: new RegExp(`^${turn}/`) }).waitFor();
}

/**
 * @param {import('playwright').Page} page
 * @param {string} address
 * @param {Moment} moment
 * @returns {Promise<Buffer>} a WebP picture
 */
async function photograph(page, address, { id, options = {}, task, turn }) {
  const query = new URLSearchParams({ device: 'webgpu', 'env.id': id });
  for (const [name, value] of Object.entries(options)) {
    query.set(`env.options.${name}`, String(value));
  }
  await page.goto(`${address}?${query}`);
  const stage = page.getByTestId('stage');
  // The page shows another environment until that of the address has been loaded.
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
        throw new Error('the stage has no picture');
      view.style.zoom = String(Math.min(1, most / view.getBoundingClientRect().height));
    },
    SIZE.height - 2 * MARGIN,
  );
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
  });
  return Buffer.from(data, 'base64');
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => moments[name] === undefined);
if (unknown !== undefined) {
  console.error(`There is no picture of ${unknown}; there are ${Object.keys(moments).join(', ')}.`);
  process.exit(2);
}
const folder = join(root, 'docs', 'environments');
mkdirSync(folder, { recursive: true });
const { address, stop } = await servePage();
const browser = await chromium.launch({ executablePath: await ensureChromium() });
try {
  for (const [name, moment] of Object.entries(moments)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const context = await browser.newContext({
      viewport: SIZE,
      deviceScaleFactor: SCALE,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    // No training in the background; only the expert is shown.
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }),
    );
    const picture = await photograph(page, address, moment);
    writeFileSync(join(folder, `${name}.webp`), picture);
    console.log(`${name}.webp: ${Math.round(picture.length / 1000)} kB`);
    await context.close();
  }
} finally {
  await browser.close();
  stop();
}
