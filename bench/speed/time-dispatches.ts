/** Times the contents of a submission, without the cost of the submission. */
import type { Device, Recorder } from '../../src/device/index.ts';
import { interleaved, type Rounds, type Spread, spreadOf } from '../measure.ts';

/** Maximum number of repetitions in a submission, with room for several dispatches per repetition. */
const MOST_REPEATS = 1000;

/** Work to time; recording it twice must be equivalent to recording it once. */
export interface Recorded {
  readonly name: string;
  record(recorder: Recorder): void;
}

async function once(
  device: Device,
  record: (d: Recorder) => void,
  repeats: number,
): Promise<number> {
  const started = performance.now();
  await device.submit('timed', (d) => {
    for (let i = 0; i < repeats; i++) record(d);
  });
  await device.idle();
  return performance.now() - started;
}

/** Number of repetitions that keep the device busy for about this many milliseconds. */
export async function repeatsFor(
  device: Device,
  record: (d: Recorder) => void,
  milliseconds: number,
): Promise<number> {
  await once(device, record, 1); // compiles
  let repeats = 1;
  for (;;) {
    const elapsed = await once(device, record, repeats);
    if (elapsed >= milliseconds / 4 || repeats === MOST_REPEATS) {
      return Math.max(1, Math.min(MOST_REPEATS, Math.round((repeats * milliseconds) / elapsed)));
    }
    repeats = Math.min(MOST_REPEATS, repeats * 4);
  }
}

/** Milliseconds of each piece of work, measured in turn, minus the time of an empty submission. */
export async function timeRecorded(
  device: Device,
  recorded: readonly Recorded[],
  rounds: Rounds,
): Promise<Map<string, Spread>> {
  const EMPTY = 'empty submission';
  const repeats = new Map<string, number>();
  const subjects = new Map<string, () => Promise<void>>();
  const run = (record: (d: Recorder) => void, count: number) => async () => {
    await once(device, record, count);
  };
  subjects.set(
    EMPTY,
    run(() => {}, 1),
  );
  for (const { name, record } of recorded) {
    const count = await repeatsFor(device, record, rounds.milliseconds);
    repeats.set(name, count);
    subjects.set(name, run(record, count));
  }
  const samples = await interleaved(subjects, rounds);
  const empty = spreadOf(samples.get(EMPTY) ?? []).median;
  return new Map(
    recorded.map(({ name }) => {
      const count = repeats.get(name) ?? Number.NaN;
      const net = (samples.get(name) ?? []).map((ms) => Math.max(0, ms - empty) / count);
      return [name, spreadOf(net)];
    }),
  );
}
