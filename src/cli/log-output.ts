import { EventWriter, eventFileName } from '../exchange/logs/event-writer.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { OutputFolder } from './files.ts';

/** The file with the rows of a run, as `--json` prints them. */
const ROWS = 'rows.jsonl';

/** Whether `--log` writes a file of this name. */
export const isLogFile = (name: string) => name === ROWS || name.startsWith('events.out.tfevents.');

/** Whether Palestra wrote a file of this name; event files of other programs have other names. */
export const isOwnLogFile = (name: string) =>
  name === ROWS || /^events\.out\.tfevents\.\d+\.palestra\./.test(name);

/** Writes the log of a run during training. The log is complete after every iteration. */
export class LogOutput {
  readonly #folder: OutputFolder;
  readonly #events: string;
  readonly #writer = new EventWriter();
  readonly #now: () => number;
  /** The newest iteration and the keys written for it. */
  #newest: { readonly iteration: number; readonly keys: ReadonlySet<string> } = {
    iteration: -1,
    keys: new Set(),
  };

  /**
   * @param done number of iterations before the first logged one
   * @param now seconds since 1970
   */
  constructor(folder: OutputFolder, done: number, now = () => Date.now() / 1000) {
    this.#folder = folder;
    this.#now = now;
    const began = now();
    this.#events = eventFileName(began, done);
    folder.append(this.#events, this.#writer.head(began));
  }

  /**
   * @param line the row as one line of JSON
   * @param row its numbers; keys already written for the same iteration are skipped
   */
  add(line: string, row: MetricRow): void {
    const { iteration = 0, ...measured } = row;
    this.#folder.append(ROWS, `${line}\n`);
    const before = this.#newest.iteration === iteration ? this.#newest.keys : new Set<string>();
    const numbers = Object.entries(measured).filter(
      ([key, value]) => value !== undefined && !before.has(key),
    );
    this.#newest = { iteration, keys: new Set([...before, ...numbers.map(([key]) => key)]) };
    if (numbers.length === 0) return;
    this.#folder.append(this.#events, this.#writer.row(iteration, numbers, this.#now()));
  }
}
