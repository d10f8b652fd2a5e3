import { expect, it, vi } from 'vitest';
import type { RolloutsMessage, RolloutsRequest } from '../../../exchange/rollouts/rollouts-work.ts';
import { closeEpisodes, openEpisodes, useEpisodes, viewEpisodes } from './store.ts';

it('ignores the answer to an older query', () => {
  const sent: RolloutsRequest[] = [];
  let answer = (_message: RolloutsMessage) => {};
  class RolloutsWorker {
    terminate = vi.fn();
    postMessage = (request: RolloutsRequest) => sent.push(request);
    set onmessage(take: (event: { readonly data: RolloutsMessage }) => void) {
      answer = (data) => take({ data });
    }
  }
  vi.stubGlobal('Worker', RolloutsWorker);
  openEpisodes([{ path: 'episodes.jsonl', file: new Blob(['']) }]);
  const summary = { tool: 'palestra', episodes: 9, steps: [], flags: {}, notes: [] };
  answer({ kind: 'opened', summary: summary as never });
  viewEpisodes({ search: 'slow' });
  viewEpisodes({ search: '' });
  const [, slow = 0, newest = 0] = sent.flatMap((request) =>
    request.kind === 'query' ? request.number : [],
  );
  answer({ kind: 'found', number: newest, entries: [], of: 9 });
  answer({ kind: 'found', number: slow, entries: [], of: 2 });
  expect(useEpisodes.getState().of).toBe(9);
  closeEpisodes();
});
