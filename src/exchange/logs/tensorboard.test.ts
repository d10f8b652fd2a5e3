import { describe, expect, it } from 'vitest';
import { maskedCrc } from './crc.ts';
import {
  event,
  eventFile,
  fileVersion,
  hparamsEvent,
  record,
  type Scalar,
  sessionStart,
  textEvent,
} from './testing/files.ts';
import { column, pairs, readOnly } from './testing/read.ts';

const at = (step: number, value: number, tag = 'actor/entropy'): Scalar => ({ tag, step, value });
const file = (...parts: readonly number[][]) => Uint8Array.from([...fileVersion, ...parts.flat()]);
const name = 'run/events.out.tfevents.1700000000.host.1.0';

describe('a TensorBoard event file', () => {
  it('starts with a length and its masked checksum, as TensorFlow writes them', () => {
    // The length of a first record of 24 bytes, as TensorFlow writes it, followed by its checksum.
    const head = Uint8Array.from([0x18, 0, 0, 0, 0, 0, 0, 0]);
    expect(maskedCrc(head)).toBe(0x224b7fa3);
    expect([...fileVersion.slice(0, 12)]).toEqual([...head, 0xa3, 0x7f, 0x4b, 0x22]);
  });

  it.each(['simple', 'content', 'packed'] as const)(
    'contains scalars written as %s',
    async (as) => {
      const values = [1.5, -0.25, Number.NaN, Number.POSITIVE_INFINITY];
      const run = await readOnly({
        [name]: eventFile(values.map((value, i) => ({ tag: 'a', step: 10 * i, value, as }))),
      });
      expect(pairs(run, 'a')).toEqual(values.map((value, i) => [10 * i, value]));
      expect([run.name, run.format]).toEqual(['run', 'TensorBoard event files']);
    },
  );

  it('keeps its intact records when truncated at any byte', async () => {
    const scalars = [1, 2, 3].map((step) => at(step, step));
    const whole = eventFile(scalars);
    const size = record(event(at(1, 1))).length;
    for (let end = fileVersion.length; end < whole.length; end++) {
      const full = Math.floor((end - fileVersion.length) / size);
      const reading = readOnly({ [name]: whole.subarray(0, end) });
      if (full === 0) await expect(reading).rejects.toThrow(/has no measurement/);
      else expect(pairs(await reading, 'actor/entropy')).toHaveLength(full);
    }
    for (let end = 1; end < fileVersion.length; end++) {
      await expect(readOnly({ [name]: whole.subarray(0, end) })).rejects.toThrow(
        /truncated within its first record/,
      );
    }
  });

  it('is read without a record whose data is damaged, and only up to a damaged length', async () => {
    const whole = eventFile([at(1, 1), at(2, 2), at(3, 3)]);
    const size = record(event(at(1, 1))).length;
    const second = fileVersion.length + size;
    const damaged = whole.slice();
    damaged[second + 20] = 0xff;
    const run = await readOnly({ [name]: damaged });
    expect(pairs(run, 'actor/entropy')).toEqual([
      [1, 1],
      [3, 3],
    ]);
    expect(run.notes.join()).toMatch(
      `records with a wrong checksum are left out (1, the first at byte ${second})`,
    );
    const broken = whole.slice();
    broken[second] = 0xff;
    const cut = await readOnly({ [name]: broken });
    expect(pairs(cut, 'actor/entropy')).toEqual([[1, 1]]);
    expect(cut.notes.join()).toMatch(`a record at byte ${second} whose length is damaged`);
  });

  it('may contain images and histograms of any size, which are skipped', async () => {
    const large = record(event({ tag: 'x'.repeat(2 ** 20), step: 2, value: 0 }));
    const bytes = file(record(event(at(1, 1))), large, record(event(at(3, 3))));
    const before = process.cpuUsage();
    const run = await readOnly({ [name]: bytes });
    // CPU time in microseconds; parsing in quadratic time would take twenty seconds.
    expect(process.cpuUsage(before).user).toBeLessThan(15_000_000);
    expect(run.series.map(({ key }) => key)).toEqual(['actor/entropy']);
    expect(pairs(run, 'actor/entropy')).toHaveLength(2);
    expect(run.notes.join()).toMatch('records of images or histograms are skipped (1)');
  });

  it('may continue in a later file, which replaces repeated steps', async () => {
    const run = await readOnly({
      'run/events.out.tfevents.1.a': eventFile([at(1, 1), at(2, 2), at(3, 3), at(3, 9, 'b')]),
      'run/events.out.tfevents.2.a': eventFile([at(2, 20), at(3, 30)]),
    });
    expect(pairs(run, 'actor/entropy')).toEqual([
      [1, 1],
      [2, 20],
      [3, 30],
    ]);
    expect(pairs(run, 'b')).toEqual([[3, 9]]);
  });

  it('is read without earlier measurements beyond the step at which a session restarts', async () => {
    const run = await readOnly({
      [name]: file(
        ...[at(1, 1), at(2, 2), at(3, 3)].map((one) => record(event(one))),
        sessionStart(1),
        record(event(at(2, 20))),
      ),
    });
    expect(pairs(run, 'actor/entropy')).toEqual([
      [1, 1],
      [2, 20],
    ]);
  });

  it('may contain settings in HParams or in CleanRL’s table', async () => {
    const hparams = await readOnly({
      [name]: file(hparamsEvent({ gamma: 0.9, env: 'x' }), record(event(at(1, 1)))),
    });
    expect(Object.fromEntries(hparams.settings)).toEqual({ gamma: 0.9, env: 'x' });
    const table = '|param|value|\n|-|-|\n|gamma|0.99|\n|update_epochs|4|';
    const run = await readOnly({
      [name]: file(
        textEvent('hyperparameters/text_summary', table),
        ...[at(100, 5, 'charts/episodic_return'), at(100, 7, 'charts/episodic_return')].map((one) =>
          record(event(one)),
        ),
        record(event(at(128, 0.5, 'losses/entropy'))),
        record(event(at(200, 9, 'charts/episodic_return'))),
        record(event(at(256, 0.25, 'losses/entropy'))),
      ),
    });
    expect(run.tool).toBe('cleanrl');
    expect(run.evidence.facts.algorithm).toEqual({ gamma: 0.99, epochs: 4, advantage: 'gae' });
    // A row covers the episodes since the previous update; its steps are environment steps.
    expect(column(run, 'rollout/score')).toEqual([6, 9]);
    expect(column(run, 'policy/entropy')).toEqual([0.5, 0.25]);
    expect(column(run, 'progress/turns')).toEqual([128, 256]);
    expect(run.evidence.rows.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(run.axis).toEqual({ key: null, unit: 'environment steps', iterations: false });
  });

  it('is converted from Stable-Baselines3’s signs and scales to the registry’s', async () => {
    const scalars: readonly [string, number][] = [
      ['rollout/ep_rew_mean', 20],
      ['train/entropy_loss', -0.5],
      ['train/value_loss', 3],
      ['train/approx_kl', 0.01],
      ['train/clip_range', 0.25],
      ['train/loss', 4],
    ];
    const run = await readOnly({
      [name]: eventFile(scalars.map(([tag, value]) => at(2048, value, tag))),
    });
    expect(run.evidence.rows).toEqual([
      {
        iteration: 1,
        metrics: {
          iteration: 1,
          'progress/turns': 2048,
          'rollout/score': 20,
          'policy/entropy': 0.5,
          'value/loss': 1.5,
          'policy/approx_kl': Math.fround(0.01),
          'policy/clip_low': 0.75,
          'policy/clip_high': 1.25,
        },
      },
    ]);
    expect(run.series.filter(({ metric }) => metric === null).map(({ key }) => key)).toEqual([
      'train/loss',
    ]);
  });
});
