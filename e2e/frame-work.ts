import type { Browser, Page } from '@playwright/test';
import { thorough } from '../scripts/tier.mjs';

/** Main-thread work per frame, in milliseconds, scaled to the speed of the reference machine. */
export interface FrameWork {
  readonly frames: number;
  /** CPU time, by percentile over frames. */
  readonly cpu: Percentiles;
  /** Wall time, which includes other load on the machine. */
  readonly wall: Percentiles;
}

export interface Percentiles {
  readonly median: number;
  readonly p95: number;
  readonly most: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Minimum frames per window for meaningful percentiles. */
export const MIN_FRAMES = 20;

/**
 * The limit that a test applies, in milliseconds. With --thorough, on an idle machine, it is the documented
 * limit, otherwise three times as much, which still reveals work that belongs in a worker.
 */
export const allowed = (documented: number): number => (thorough ? 1 : 3) * documented;

/** Time that the fixed amount of work in `slowness` takes on the reference machine, in milliseconds. */
const REFERENCE_MS = 2.4;

/** How many times slower than the reference machine this one is; 1 for a faster one. */
async function slowness(page: Page): Promise<number> {
  const best = await page.evaluate(() => {
    const times = Array.from({ length: 30 }, () => {
      const start = performance.now();
      const names = new Map(
        Array.from({ length: 5000 }, (_, i) => [`key ${(i * 7919) % 5000}`, i]),
      );
      [...names.keys()]
        .sort()
        .map((name) => name.toUpperCase())
        .join(' ');
      return performance.now() - start;
    });
    return Math.min(...times);
  });
  return Math.max(1, best / REFERENCE_MS);
}

/**
 * Traces the page and sums the tasks of its main thread per frame: scripts, style,
 * layout and painting. The page draws frames throughout.
 */
export async function frameWork(browser: Browser, page: Page, ms: number): Promise<FrameWork> {
  const slower = await slowness(page);
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  await page.evaluate(
    ({ ms, least }) =>
      new Promise<void>((resolve) => {
        let frames = 0;
        const end = performance.now() + ms;
        const frame = () => {
          frames += 1;
          if (performance.now() < end || frames < least) requestAnimationFrame(frame);
          else resolve();
        };
        requestAnimationFrame(frame);
      }),
    { ms, least: MIN_FRAMES + 10 },
  );
  const trace = await browser.stopTracing();
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  return workByFrame(traceEvents, slower);
}

/**
 * Measures up to four windows and keeps the best one: other load only ever adds time
 * to a frame, so the minimum is closest to the page's own work. Windows with few frames are skipped.
 *
 * @param enough stop early at a 95th percentile below this, in ms
 */
export async function leastFrameWork(
  enough: number,
  measure: () => Promise<FrameWork>,
): Promise<FrameWork> {
  let least = await measure();
  for (let window = 1; window < 4; window++) {
    if (least.frames > MIN_FRAMES && least.cpu.p95 < enough) break;
    const next = await measure();
    const better = least.frames <= MIN_FRAMES || next.cpu.p95 < least.cpu.p95;
    if (next.frames > MIN_FRAMES && better) least = next;
  }
  return least;
}

function workByFrame(events: readonly TraceEvent[], slower: number): FrameWork {
  const fires = events.filter(({ name }) => name === 'FireAnimationFrame');
  // The thread that draws frames is the main thread.
  const { pid, tid } = fires[0] ?? { pid: -1, tid: -1 };
  const starts = fires
    .filter((event) => event.pid === pid && event.tid === tid)
    .map(({ ts }) => ts)
    .sort((a, b) => a - b)
    // Several callbacks belong to one frame.
    .filter((ts, index, all) => index === 0 || ts - (all[index - 1] ?? 0) > 4000);
  const cpu = new Array<number>(Math.max(0, starts.length - 1)).fill(0);
  const wall = [...cpu];
  for (const event of events) {
    if (event.name !== 'RunTask' || event.pid !== pid || event.tid !== tid) continue;
    // A task counts for the frame in which it ends.
    const end = event.ts + (event.dur ?? 0);
    const frame = starts.findLastIndex((start) => start <= end);
    if (frame < 0 || frame >= cpu.length) continue;
    cpu[frame] = (cpu[frame] ?? 0) + (event.tdur ?? event.dur ?? 0) / 1000 / slower;
    wall[frame] = (wall[frame] ?? 0) + (event.dur ?? 0) / 1000 / slower;
  }
  return { frames: cpu.length, cpu: percentiles(cpu), wall: percentiles(wall) };
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), most: at(1) };
}
