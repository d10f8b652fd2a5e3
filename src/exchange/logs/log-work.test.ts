import 'fake-indexeddb/auto';
import { expect, it } from 'vitest';
import { LogStore } from './log-store.ts';
import { answerLogRequest, type LogMessage, type LogRequest, transferredOf } from './log-work.ts';
import { eventFile, type Scalar } from './testing/files.ts';

async function answers(request: LogRequest): Promise<LogMessage[]> {
  const messages: LogMessage[] = [];
  await answerLogRequest(request, (message) => messages.push(message));
  return messages;
}

const of = <Kind extends LogMessage['kind']>(messages: readonly LogMessage[], kind: Kind) =>
  messages.filter((one): one is Extract<LogMessage, { kind: Kind }> => one.kind === kind);

const place = 'somewhere';
const events = new Blob([
  Uint8Array.from(
    eventFile(
      [1, 2, 3].flatMap((update): Scalar[] => [
        { tag: 'losses/approx_kl', step: 2048 * update, value: update === 1 ? 0.01 : 0.25 },
        { tag: 'losses/clipfrac', step: 2048 * update, value: update === 1 ? 0.01 : 0.5 },
      ]),
    ),
  ),
]);

it('reads, diagnoses and stores logs, and reports files that are not logs', async () => {
  const files = [
    { path: 'run/events.out.tfevents.1.a', file: events },
    { path: 'run/notes.txt', file: new Blob(['hello']) },
    { path: 'bad.jsonl', file: new Blob(['{"a": 1}\noops\n{"a": 2}\n']) },
  ];
  const messages = await answers({ kind: 'read', files, place });
  expect(messages[0]).toEqual({
    kind: 'passed',
    path: 'run/notes.txt',
    why: 'is not a log of a known format',
  });
  expect(of(messages, 'passed').map(({ path }) => path)).toEqual(['run/notes.txt', 'bad.jsonl']);
  expect(messages.at(-1)).toEqual({ kind: 'done' });
  const [message, ...others] = of(messages, 'log');
  expect(others).toEqual([]);
  expect(message).toMatchObject({
    kept: true,
    table: false,
    paths: ['run/events.out.tfevents.1.a'],
  });
  const { entry, series } = message?.log ?? {};
  expect(entry).toMatchObject({ name: 'run', tool: 'cleanrl', rows: 3, count: 'step', end: 6144 });
  expect(entry?.findings.findings[0]).toMatchObject({
    mode: 'learning_rate_too_high',
    onset: 4096,
  });
  expect(entry?.spans[0]?.at).toBe(4096);
  if (message !== undefined) expect(transferredOf(message)).toHaveLength(4);

  const store = await LogStore.open(place);
  const [kept] = await store.list();
  expect(kept).toEqual(entry);
  expect((await store.read(kept?.id ?? ''))?.series).toEqual(series);
  await store.remove(kept?.id ?? '');
  expect([await store.list(), await store.read(kept?.id ?? '')]).toEqual([[], null]);
  store.close();
});

it('reads a table again with assigned columns', async () => {
  const files = [{ path: 'a.csv', file: new Blob(['when,e\n10,0.5\n20,0.25\n']) }];
  const [first] = of(await answers({ kind: 'read', files, place }), 'log');
  expect(first).toMatchObject({ table: true });
  expect(first?.log.entry).toMatchObject({ tool: 'unknown', rows: 0 });
  const choice = { x: 'when', metrics: { e: 'policy/entropy' as const } };
  const { id = '' } = first?.log.entry ?? {};
  const [again] = of(await answers({ kind: 'read', files, place, choice, id }), 'log');
  expect(again?.log.entry).toMatchObject({ id, rows: 2, end: 20, axis: { key: 'when' } });
  const store = await LogStore.open(place);
  expect(await store.list()).toEqual([again?.log.entry]);
  store.close();
});

it('reports progress for a large file', async () => {
  const row = `{"step": 1, "a": ${'1'.repeat(100)}}\n`;
  const files = [{ path: 'a.jsonl', file: new Blob([row.repeat(100_000)]) }];
  const progress = of(await answers({ kind: 'read', files, place }), 'progress');
  const total = row.length * 100_000;
  expect(progress.length).toBeGreaterThan(2);
  expect(progress.every((one) => one.total === total)).toBe(true);
  expect(progress.at(-1)?.read).toBe(total);
});
