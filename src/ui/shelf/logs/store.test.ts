import { afterEach, expect, it, vi } from 'vitest';
import { LogStore } from '../../../exchange/logs/log-store.ts';
import type { LogMessage, LogRequest } from '../../../exchange/logs/log-work.ts';
import { useLogView } from './log-view.ts';
import {
  chooseColumns,
  followFile,
  overlayLog,
  removeLog,
  showLog,
  stopFollowing,
  useLogs,
} from './store.ts';

const requests: Extract<LogRequest, { kind: 'read' }>[] = [];

/** Answers each request with a log that has no known columns. */
class LogWorker {
  onmessage: ((event: { readonly data: LogMessage }) => void) | null = null;
  terminate = vi.fn();
  postMessage(request: Extract<LogRequest, { kind: 'read' }>): void {
    requests.push(request);
    const entry = { id: request.id, name: 'log', rows: 0, findings: { findings: [] } };
    const log = { entry } as unknown as Extract<LogMessage, { kind: 'log' }>['log'];
    const paths = request.files.map(({ path }) => path);
    queueMicrotask(() => {
      this.onmessage?.({ data: { kind: 'log', log, paths, table: true, kept: true } });
      this.onmessage?.({ data: { kind: 'done' } });
    });
  }
}

afterEach(() => {
  stopFollowing();
  vi.useRealTimers();
});

it('keeps the assigned columns and the column dialog when a followed log grows', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('Worker', LogWorker);
  vi.stubGlobal('location', new URL('http://localhost/lab/'));
  let text = 'a,b\n';
  const getFile = async () => new File([text], 'log.csv');
  vi.stubGlobal('showOpenFilePicker', async () => [{ name: 'log.csv', getFile }]);

  await followFile();
  await vi.advanceTimersByTimeAsync(0);
  const choice = { metrics: {} } as unknown as Parameters<typeof chooseColumns>[0];
  chooseColumns(choice);
  await vi.advanceTimersByTimeAsync(0);
  expect(requests).toHaveLength(2);

  useLogs.setState({ choosing: true });
  text += '1,2\n';
  await vi.advanceTimersByTimeAsync(1000);
  expect(requests).toHaveLength(3);
  expect(requests[2]).toMatchObject({ choice });
  expect(useLogs.getState().choosing).toBe(true);
});

it('stops following a log that is removed', async () => {
  const store = { remove: vi.fn(), list: async () => [], close() {} };
  vi.spyOn(LogStore, 'open').mockResolvedValue(store as never);
  useLogs.setState({ following: 'a' });
  await removeLog('b');
  expect(useLogs.getState().following).toBe('a');
  await removeLog('a');
  expect(useLogs.getState().following).toBeNull();
});

it('shows and overlays the log that was chosen last, even if an earlier one is read later', async () => {
  const loaded = new Map<string, (log: unknown) => void>();
  const read = (id: string) => new Promise((resolve) => loaded.set(id, resolve));
  vi.spyOn(LogStore, 'open').mockResolvedValue({ read, close() {} } as never);
  const finish = async (id: string) => {
    await vi.waitFor(() => expect(loaded.has(id)).toBe(true));
    loaded.get(id)?.({ entry: { id } });
  };
  for (const [choose, chosen] of [
    [showLog, () => useLogs.getState().shown?.entry.id],
    [overlayLog, () => useLogView.getState().beside?.entry.id],
  ] as const) {
    loaded.clear();
    const [large, small] = [choose('large'), choose('small')];
    await finish('small');
    await small;
    await finish('large');
    await large;
    expect(chosen()).toBe('small');
  }
});
