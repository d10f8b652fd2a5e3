import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RolloutsMessage, RolloutsRequest } from '../../../exchange/rollouts/rollouts-work.ts';
import {
  closeEpisodes,
  episodeFiles,
  openEpisodes,
  toggleEpisode,
  useEpisodes,
  viewEpisodes,
} from './store.ts';

let sent: RolloutsRequest[] = [];
let answer = (_message: RolloutsMessage) => {};
const terminate = vi.fn();

class RolloutsWorker {
  terminate = terminate;
  postMessage = (request: RolloutsRequest) => sent.push(request);
  set onmessage(take: (event: { readonly data: RolloutsMessage }) => void) {
    answer = (data) => take({ data });
  }
}

beforeEach(() => {
  sent = [];
  vi.stubGlobal('Worker', RolloutsWorker);
});
afterEach(() => {
  vi.useRealTimers();
  closeEpisodes();
});

function open() {
  openEpisodes([{ path: 'episodes.jsonl', file: new Blob(['']) }]);
  const summary = { tool: 'palestra', episodes: 9, steps: [], flags: {}, notes: [] };
  answer({ kind: 'opened', summary: summary as never });
}

it('ignores the answer to an older query', () => {
  open();
  viewEpisodes({ search: 'slow' });
  viewEpisodes({ search: '' });
  const [, slow = 0, newest = 0] = sent.flatMap((request) =>
    request.kind === 'query' ? request.number : [],
  );
  answer({ kind: 'found', number: newest, entries: [], of: 9 });
  answer({ kind: 'found', number: slow, entries: [], of: 2 });
  expect(useEpisodes.getState().of).toBe(9);
});

it('closes an episode that cannot be read, and clears the problem after the next answer', () => {
  open();
  for (const id of [1, 2]) toggleEpisode({ id } as never);
  const [first = 0, second = 0] = sent.flatMap((request) =>
    request.kind === 'read' ? request.number : [],
  );
  const shown = () => useEpisodes.getState().shown.map(({ entry }) => entry.id);
  answer({ kind: 'problem', message: 'The file has changed.', number: first });
  expect(shown()).toEqual([2]);
  expect(useEpisodes.getState().problem).toBe('The file has changed.');
  answer({ kind: 'episode', number: second, episode: {} as never });
  expect(useEpisodes.getState()).toMatchObject({ problem: null, shown: [{ episode: {} }] });
  toggleEpisode({ id: 3 } as never);
  answer({ kind: 'problem', message: 'out of memory', number: null });
  expect(shown()).toEqual([2]);
});

it('recognizes files of episodes in a worker, and stops it if it takes too long', async () => {
  vi.useFakeTimers();
  const files = ['a.jsonl', 'b.parquet', 'c.pt'].map((path) => ({ path, file: new Blob(['']) }));
  const held = episodeFiles(files);
  await vi.advanceTimersByTimeAsync(0);
  answer({ kind: 'held', held: true });
  await vi.advanceTimersByTimeAsync(0);
  answer({ kind: 'problem', message: 'The file is damaged.', number: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent.map((request) => request.kind === 'holds' && request.file)).toEqual(files);
  terminate.mockClear();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(terminate).toHaveBeenCalledOnce();
  expect(await held).toEqual(files.slice(0, 1));
});
