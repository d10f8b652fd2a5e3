import { expect, it, vi } from 'vitest';
import { startNetworkWorker } from './opened.ts';

/** A worker that never answers. */
class SilentWorker {
  postMessage = vi.fn();
  terminate = vi.fn();
}

it('rejects questions before and after it is closed', async () => {
  vi.stubGlobal('Worker', SilentWorker);
  const worker = startNetworkWorker();
  const before = worker.embeddings({ iteration: null });
  worker.close();
  await expect(before).rejects.toThrow('The network has been closed.');
  await expect(worker.embeddings({ iteration: null })).rejects.toThrow(
    'The network has been closed.',
  );
});
