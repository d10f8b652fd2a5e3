import type { Browser, Page } from '@playwright/test';

/** What the page's main thread did in each frame, milliseconds. */
export interface FrameWork {
  readonly frames: number;
  /** Time the thread was given, by percentile over frames. */
  readonly cpu: Percentiles;
  /** Time that passed, which also counts what else the machine did meanwhile. */
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

/** Frames that a window must have so that its percentiles mean something. */
export const MIN_FRAMES = 20;

/**
 * Traces the page for a while and adds up the tasks of its main thread frame by frame: scripts, style,
 * layout and painting, whoever asked for them. The page draws frames all the while.
 */
export async function frameWork(browser: Browser, page: Page, ms: number): Promise<FrameWork> {
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
  });
  await page.evaluate(
    (span) =>
      new Promise<void>((resolve) => {
        const end = performance.now() + span;
        const frame = () => {
          if (performance.now() < end) requestAnimationFrame(frame);
          else resolve();
        };
        requestAnimationFrame(frame);
      }),
    ms,
  );
  const trace = await browser.stopTracing();
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  return workByFrame(traceEvents);
}

/**
 * Measures up to four windows and keeps the best one: whatever else the machine does only ever adds time
 * to a frame, so the least is nearest to the page's own work. A window of few frames says nothing.
 *
 * @param enough ms; a 95th percentile below it ends the search
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

function workByFrame(events: readonly TraceEvent[]): FrameWork {
  const fires = events.filter(({ name }) => name === 'FireAnimationFrame');
  // The thread that draws the frames is the page's main thread.
  const { pid, tid } = fires[0] ?? { pid: -1, tid: -1 };
  const starts = fires
    .filter((event) => event.pid === pid && event.tid === tid)
    .map(({ ts }) => ts)
    .sort((a, b) => a - b)
    // Several callbacks of one frame.
    .filter((ts, index, all) => index === 0 || ts - (all[index - 1] ?? 0) > 4000);
  const cpu = new Array<number>(Math.max(0, starts.length - 1)).fill(0);
  const wall = [...cpu];
  for (const event of events) {
    if (event.name !== 'RunTask' || event.pid !== pid || event.tid !== tid) continue;
    // A task belongs to the frame it ends in.
    const end = event.ts + (event.dur ?? 0);
    const frame = starts.findLastIndex((start) => start <= end);
    if (frame < 0 || frame >= cpu.length) continue;
    cpu[frame] = (cpu[frame] ?? 0) + (event.tdur ?? event.dur ?? 0) / 1000;
    wall[frame] = (wall[frame] ?? 0) + (event.dur ?? 0) / 1000;
  }
  return { frames: cpu.length, cpu: percentiles(cpu), wall: percentiles(wall) };
}

function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), most: at(1) };
}
