/**
 * `node scripts/icons.mjs`: draws the icons of the installed page, `public/icons/`, from
 * `public/favicon.svg`. They are checked in; rerun this script when the SVG changes.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { ensureChromium } from './chromium.mjs';
import { root } from './install.mjs';

const svg = readFileSync(join(root, 'public', 'favicon.svg'), 'utf8');
const [, clay = ''] = /<rect[^>]*fill="([^"]+)"/.exec(svg) ?? [];
/** Without rounded corners: systems that mask icons use only about the central 80%. */
const square = svg.replace(/ rx="\d+"/, '');

const icons = [
  { name: 'icon-192', size: 192, drawing: svg, scale: 1 },
  { name: 'icon-512', size: 512, drawing: svg, scale: 1 },
  { name: 'maskable-512', size: 512, drawing: square, scale: 0.78 },
  { name: 'touch', size: 180, drawing: square, scale: 0.9 },
];

const browser = await chromium.launch({ executablePath: await ensureChromium() });
const folder = join(root, 'public', 'icons');
mkdirSync(folder, { recursive: true });
for (const { name, size, drawing, scale } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  const side = Math.round(scale * size);
  const image = `data:image/svg+xml,${encodeURIComponent(drawing)}`;
  const background = drawing === svg ? 'transparent' : clay;
  await page.setContent(
    `<body style="margin:0;height:100vh;display:grid;place-items:center;background:${background}"><img src="${image}" width="${side}" height="${side}">`,
  );
  await page.locator('img').evaluate((element) => /** @type {any} */ (element).decode());
  writeFileSync(join(folder, `${name}.png`), await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
