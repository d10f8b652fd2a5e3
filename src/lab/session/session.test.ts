import { describe, expect, it } from 'vitest';
import type { LiveValues } from '../../config/changes.ts';
import {
  config,
  details,
  FakeRun,
  keptEpisode,
  record,
  recordWithoutTokens,
  sessionOf,
  settle,
} from './testing/fake-run.ts';

describe('LabSession', () => {
  it('iterates until the stop condition, reports evaluations and keeps the agent in memory', async () => {
    const run = new FakeRun(3);
    const { session, messages, statuses, iterations } = sessionOf(run, new FakeRun());
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    for (let i = 0; i < 3; i++) await run.end();
    expect(iterations('a')).toEqual([1, 2, 3]);
    expect(statuses('a')).toEqual(['starting', 'running', 'finished']);
    const rows = messages.flatMap((message) => (message.type === 'row' ? message.row : []));
    expect(rows.map(({ evaluation }) => evaluation)).toEqual([
      ...[undefined, { metrics: { 'eval/score': 1 } }, undefined],
    ]);
    expect(messages.filter(({ type }) => type === 'machine')).toHaveLength(1);
    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    expect(run.destroyed).toBe(false);
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    expect(run.destroyed).toBe(true);
    expect(statuses('a')).toEqual(['starting', 'running', 'finished']);
  });

  it('answers questions about kept episodes, even after the run has ended', async () => {
    const run = new FakeRun(1);
    const { session, messages } = sessionOf(run);
    const ask = (runId: string, request: number) => {
      session.receive({ type: 'question', runId, request, name: 'list-episodes', ask: {} });
      session.receive({
        ...{ type: 'question', runId, request: request + 1 },
        ...{ name: 'read-episodes', ask: { numbers: [3, 9], tokens: request > 0 } },
      });
    };
    const answers = () =>
      messages
        .splice(0)
        .flatMap((message) =>
          message.type === 'answer'
            ? [[message.request, message.answer]]
            : message.type === 'refusal'
              ? [[message.request, message.reason]]
              : [],
        );
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    ask('a', 0);
    expect(answers()).toEqual([
      [0, [keptEpisode]],
      [1, [{ number: 3, record: recordWithoutTokens }]],
    ]);
    await run.end();
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    ask('a', 2);
    expect(answers()).toEqual([
      [2, [keptEpisode]],
      [3, [{ number: 3, record }]],
    ]);
    ask('b', 4);
    expect(answers()).toEqual([
      [4, 'The page has opened another run.'],
      [5, 'The page has opened another run.'],
    ]);
  });

  it('reports rows and progress as plain data', async () => {
    const run = new FakeRun(1);
    const { session, messages } = sessionOf(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    run.progress('imitate', 0.5);
    await run.end();
    const row = messages.find(({ type }) => type === 'row');
    expect(row).toMatchObject({ runId: 'a', row: { iteration: 1, details } });
    expect(structuredClone(row)).toEqual(row);
    expect(messages).toContainEqual({
      type: 'progress',
      runId: 'a',
      phase: 'imitate',
      fraction: 0.5,
    });
  });

  it('pauses after the current iteration, steps once, and resumes', async () => {
    const run = new FakeRun();
    const { session, statuses, iterations } = sessionOf(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive({ type: 'pause', runId: 'a' });
    await settle();
    expect(iterations('a')).toEqual([]);
    await run.end();
    expect(iterations('a')).toEqual([1]);
    expect(statuses('a').at(-1)).toBe('paused');

    session.receive({ type: 'step', runId: 'a' });
    await settle();
    expect(statuses('a').at(-1)).toBe('running');
    await run.end();
    expect(iterations('a')).toEqual([1, 2]);
    expect(statuses('a').at(-1)).toBe('paused');

    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    await run.end();
    await run.end();
    expect(iterations('a')).toEqual([1, 2, 3, 4]);
    expect(statuses('a').at(-1)).toBe('running');
  });

  it('waits before the first iteration when started paused', async () => {
    const run = new FakeRun();
    const { session, statuses } = sessionOf(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    expect(statuses('a')).toEqual(['starting', 'paused']);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(statuses('a').at(-1)).toBe('stopped');
    expect(run.destroyed).toBe(true);
  });

  it('aborts a rollout between turns when another run starts, and lets that run wait for the GPU', async () => {
    const first = new FakeRun();
    const second = new FakeRun();
    const { session, opened, statuses, iterations } = sessionOf(first, second);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    expect(opened).toEqual([first]);
    let thrown: Error | null = null;
    try {
      first.progress('rollout', 0.5);
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown?.name).toBe('RunEnded');
    await first.end(thrown);
    expect(first.destroyed).toBe(true);
    expect(opened).toEqual([first, second]);
    expect(statuses('a').at(-1)).toBe('stopped');
    expect(iterations('a')).toEqual([]);
    await second.end();
    expect(iterations('b')).toEqual([1]);
  });

  it('aborts updates on the CPU, but not on a GPU', async () => {
    const aborts = async (processor: boolean) => {
      const run = new FakeRun();
      Object.assign(run, { machine: { ...run.machine, processor } });
      const { session } = sessionOf(run);
      session.receive({ type: 'start', runId: 'a', config, paused: false });
      await settle();
      session.receive({ type: 'stop', runId: 'a' });
      try {
        run.progress('update', 0.5);
      } catch (error) {
        await run.end(error as Error);
        return true;
      }
      await run.end();
      return false;
    };
    expect(await aborts(true)).toBe(true);
    expect(await aborts(false)).toBe(false);
  });

  it('continues on another device without a restart', async () => {
    const first = new FakeRun();
    const second = new FakeRun(1000, 1);
    const { session, opened, opensFrom, messages, statuses } = sessionOf(first, second);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive({ type: 'move', runId: 'a', device: 'processor' });
    await settle();
    // Not during an iteration.
    expect(opened).toEqual([first]);
    await first.end();
    expect(first.destroyed).toBe(true);
    expect(opened).toEqual([first, second]);
    expect(opensFrom).toEqual([null, 1]);
    await second.end();
    const iterations = messages.flatMap((m) => (m.type === 'row' ? [m.row.iteration] : []));
    expect(iterations).toEqual([1, 2]);
    expect(statuses('a').at(-1)).toBe('running');
  });

  it('moves to a device that was requested while the run was opening', async () => {
    const first = new FakeRun();
    const second = new FakeRun(1000, 0);
    const { session, opened, gate } = sessionOf(first, second);
    let open = () => {};
    gate.open = () =>
      new Promise<void>((resolve) => {
        open = resolve;
      });
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive({ type: 'move', runId: 'a', device: 'processor' });
    gate.open = async () => {};
    open();
    await settle();
    expect(opened).toEqual([first, second]);
    expect(first.destroyed).toBe(true);
  });

  it('reports the error of a failed run once, and can start another run', async () => {
    const first = new FakeRun();
    const { session, messages, fatal, statuses } = sessionOf(first, new FakeRun());
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    const lost = new Error('the driver was reset');
    lost.name = 'DeviceLostError';
    fatal[0]?.(lost);
    await first.end(new Error('a buffer could not be mapped'));
    await session.settled;
    // The device loss is the cause, so later errors are not reported.
    expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
      { runId: 'a', name: 'DeviceLostError', message: 'the driver was reset' },
    ]);
    expect(statuses('a').at(-1)).toBe('failed');
    expect(first.destroyed).toBe(true);
    session.receive({ type: 'resume', runId: 'a' });
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    expect(statuses('b')).toEqual(['starting', 'running']);
    expect(statuses('a').at(-1)).toBe('failed');
  });

  it('fails a paused run immediately when the GPU is lost', async () => {
    const run = new FakeRun();
    const { session, fatal, statuses } = sessionOf(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    fatal[0]?.(new Error('lost'));
    await session.settled;
    expect(statuses('a')).toEqual(['starting', 'paused', 'failed']);
  });

  it('reports an error that occurs while a run is opened', async () => {
    const { session, messages, statuses } = sessionOf();
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await session.settled;
    expect(messages.find(({ type }) => type === 'error')).toMatchObject({
      message: 'no adapter',
    });
    expect(statuses('a')).toEqual(['starting', 'failed']);
  });

  it('ignores messages for other runs', async () => {
    const run = new FakeRun();
    const { session, statuses } = sessionOf(run);
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    session.receive({ type: 'pause', runId: 'a' });
    session.receive({ type: 'stop', runId: 'a' });
    await run.end();
    expect(statuses('b')).toEqual(['starting', 'running']);
    expect(run.destroyed).toBe(false);
  });

  it('changes settings between iterations, and reports the first iteration that uses them', async () => {
    const run = new FakeRun();
    const { session, messages } = sessionOf(run);
    const changes = () =>
      messages.flatMap((message) =>
        message.type === 'config-changed' ? [message.config.changes] : [],
      );
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    const change = (values: LiveValues) => session.receive({ type: 'change', runId: 'a', values });
    change({ 'agent.temperature': 0.5 });
    change({ 'agent.temperature': 0.7, 'horizon.turns': 9 });
    await settle();
    // The current iteration keeps its settings.
    expect(changes()).toEqual([]);
    await run.end();
    expect(changes()).toEqual(['2:agent.temperature=0.7, 2:horizon.turns=9']);

    session.receive({ type: 'pause', runId: 'a' });
    await run.end();
    change({ 'horizon.turns': 8 });
    await settle();
    expect(changes().at(-1)).toBe('2:agent.temperature=0.7, 2:horizon.turns=9, 3:horizon.turns=8');

    change({ 'agent.temperature': 0 });
    await settle();
    expect(messages.at(-1)).toMatchObject({
      type: 'change-rejected',
      reason: expect.stringContaining('agent.temperature: must be a number from 0.05 to 5'),
    });
    expect(run.config.changes).toBe(changes().at(-1));
  });
});
