import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exportAgent, zipAgent } from '../../../exchange/agent-files.ts';
import { randomAgent } from '../../../exchange/testing/agents.ts';
import { FileWorkerInProcess } from '../../../exchange/testing/worker.ts';
import {
  FileRefusedError,
  MOST_SECONDS,
  readAgent,
  readCritiqueFile,
  readRun,
  readTrajectories,
} from './file-reader.ts';

const policy = { layers: 1, width: 8, heads: 1, kv_heads: 1, ffn_width: 8 };
const checkpoint = randomAgent({ policy }, 1);
const zip = zipAgent(exportAgent(checkpoint, { report: null, license: 'MIT' }));

/** A worker that never answers. */
class Hanging {
  static ended = 0;
  postMessage(): void {}
  terminate(): void {
    Hanging.ended++;
  }
}

beforeEach(() => void vi.stubGlobal('Worker', FileWorkerInProcess));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('reads an agent', async () => {
  const { run, vocabulary, weights } = await readAgent(new Blob([zip]));
  expect(run?.config).toEqual(checkpoint.config);
  expect(vocabulary).toEqual(checkpoint.vocabulary);
  expect([...weights.keys()]).toEqual([...checkpoint.weights.keys()]);
});

it('says in one sentence why a file is refused', async () => {
  const nothing = new Blob([new Uint8Array(100)]);
  for (const [reading, reason] of [
    [readAgent(nothing), /^This agent cannot be read: .*\.$/],
    [readRun(nothing), /^This run file cannot be used: it is not a zip file, or is cut off\.$/],
    [readCritiqueFile(nothing, []), /^Line 1 is not JSON: .*\.$/],
    [readTrajectories(nothing, []), /^The file is not JSON: .*\.$/],
  ] as const) {
    const error = await reading.catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(FileRefusedError);
    expect(String(error)).toMatch(new RegExp(reason.source.replace('^', '^FileRefusedError: ')));
  }
});

it('rejects a file that takes too long, and terminates its worker', async () => {
  vi.stubGlobal('Worker', Hanging);
  vi.useFakeTimers();
  const reading = readAgent(new Blob([zip])).catch((fault: unknown) => fault);
  await vi.advanceTimersByTimeAsync(1000 * MOST_SECONDS - 1);
  expect(Hanging.ended).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(await reading).toBeInstanceOf(FileRefusedError);
  expect(String(await reading)).toContain('took longer than 2 minutes');
  expect(Hanging.ended).toBe(1);
});
