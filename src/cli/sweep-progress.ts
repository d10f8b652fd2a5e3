/** Progress of a sweep, one line at a time. */
import { ConfigError } from '../config/error.ts';
import { trialConfig } from '../sweep/settings.ts';
import type { SweepProgress } from '../workers/coordinator.node.ts';
import type { Queue } from '../workers/queue.ts';

/** Seconds between lines while no run ends. */
const QUIET = 15;

export class ProgressLines {
  readonly #queue: Queue;
  readonly #log: (line: string) => void;
  readonly #began = performance.now();
  /** Iterations of runs that had ended before this process began. */
  #before: number | null = null;
  #progress: SweepProgress | null = null;
  #shown = 0;
  #ended = -1;

  constructor(queue: Queue, log: (line: string) => void) {
    this.#queue = queue;
    this.#log = log;
  }

  /** Logs a line if runs have ended since the last one. */
  show(progress: SweepProgress): void {
    this.#before ??= progress.iterations;
    this.#progress = progress;
    if (progress.runs.ended === this.#ended) return;
    if (this.#ended >= 0) this.#write(progress);
    this.#ended = progress.runs.ended;
  }

  /** Logs a line if there was none for a while. */
  tick(): void {
    const quiet = performance.now() - this.#shown > QUIET * 1000;
    if (quiet && this.#progress !== null) this.#write(this.#progress);
  }

  #write(progress: SweepProgress): void {
    this.#shown = performance.now();
    const { all, ended, stopped, failed } = progress.runs;
    const atWork = this.#queue.atWork();
    const left = this.#secondsLeft(progress);
    const parts = [
      `${ended} of ${all} runs`,
      ...(stopped > 0 ? [`${stopped} stopped early`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(atWork === null || ended === all ? [] : [`${atWork} running`]),
      ...(left === null || ended === all ? [] : [`about ${inWords(left)} left`]),
    ];
    this.#log(parts.join(', '));
  }

  /** Estimated from the iterations since this process started; null before the first. */
  #secondsLeft({ plan, runs, ended, iterations }: SweepProgress): number | null {
    const unfinished = this.#queue.iterations();
    const underWay = [...unfinished].reduce((sum, [run, n]) => sum + (ended.has(run) ? 0 : n), 0);
    const played = iterations - (this.#before ?? 0) + underWay;
    const seconds = (performance.now() - this.#began) / 1000;
    if (played <= 0) return null;
    const each = runs.ended > 0 ? iterations / runs.ended : iterationsOf(plan.trials[0]?.values);
    if (each === null) return null;
    const left = Math.max(0, (runs.all - runs.ended) * each - underWay);
    return (left * seconds) / played;
  }
}

/** Maximum number of iterations of a trial. */
function iterationsOf(values: Parameters<typeof trialConfig>[0] = {}): number | null {
  try {
    return trialConfig(values, 1).stopping.iterations;
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
