import { expect, it } from 'vitest';
import { LogError } from './error.ts';
import { GrowingUrl } from './growing.ts';

it.each([
  ['with range requests', () => new Response(null, { status: 416 })],
  ['without range requests', () => new Response('')],
])('reports an emptied file as restarted, %s', async (_, answerRange) => {
  let text = 'one\ntwo\n';
  const log = new GrowingUrl('http://host/train.log', async (_url, { headers }) =>
    new Headers(headers).has('Range') ? answerRange() : new Response(text),
  );
  expect(await log.poll()).toBe('grown');
  text = '';
  expect(await log.poll()).toBe('restarted');
  expect(log.files()).toEqual([]);
  expect(await log.poll()).toBe('same');
  text = 'one\n';
  expect(await log.poll()).toBe('grown');
});

it('throws a LogError if the connection is lost during the answer', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('one\n'));
    },
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
  const poll = new GrowingUrl('http://host/train.log', async () => new Response(body)).poll();
  await expect(poll).rejects.toThrow(LogError);
  await expect(poll).rejects.toThrow('cannot be fetched: terminated');
});
