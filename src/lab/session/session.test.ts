import { describe, expect, it } from 'vitest';
import type { LiveValues } from '../../config/changes.ts';
import {
  config,
  details,
  HandRun,
  keptEpisode,
  lab,
  settle,
  silent,
  told,
} from './testing/hand-run.ts';

describe('LabSession', () => {
  it('iterates until its stop condition, reports evaluations and keeps the agent', async () => {
    const run = new HandRun(3);
    const { session, messages, statuses, iterations } = lab(run, new HandRun());
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    for (let i = 0; i < 3; i++) await run.end();
    expect(iterations('a')).toEqual([1, 2, 3]);
    expect(statuses('a')).toEqual(['starting', 'running', 'finished']);
    expect(messages.filter(({ type }) => type === 'evaluation')).toMatchObject([
      { runId: 'a', iteration: 2, metrics: { 'eval/score': 1 } },
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

  it('tells of the kept episodes when asked, also when the run is over', async () => {
    const run = new HandRun(1);
    const { session, messages } = lab(run);
    const ask = (runId: string, request: number) => {
      session.receive({ type: 'list-episodes', runId, request });
      session.receive({
        type: 'read-episodes',
        runId,
        request: request + 1,
        numbers: [3, 9],
        tokens: request > 0,
      });
    };
    const answers = () =>
      messages
        .splice(0)
        .filter(({ type }) => type === 'episode-list' || type === 'episode-records');
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    ask('a', 0);
    expect(answers()).toEqual([
      { type: 'episode-list', runId: 'a', request: 0, episodes: [keptEpisode] },
      { type: 'episode-records', runId: 'a', request: 1, records: [{ number: 3, record: silent }] },
    ]);
    await run.end();
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    ask('a', 2);
    expect(answers()).toEqual([
      { type: 'episode-list', runId: 'a', request: 2, episodes: [keptEpisode] },
      { type: 'episode-records', runId: 'a', request: 3, records: [{ number: 3, record: told }] },
    ]);
    ask('b', 4);
    expect(answers()).toEqual([
      { type: 'episode-list', runId: 'b', request: 4, episodes: [] },
      { type: 'episode-records', runId: 'b', request: 5, records: [] },
    ]);
  });

  it('reports the details of an iteration, and every phase, as plain data', async () => {
    const run = new HandRun(1);
    const { session, messages } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    run.progress('imitate', 0.5);
    await run.end();
    const iteration = messages.find(({ type }) => type === 'iteration');
    expect(iteration).toMatchObject({ runId: 'a', iteration: 1, details });
    expect(structuredClone(iteration)).toEqual(iteration);
    expect(messages).toContainEqual({
      type: 'progress',
      runId: 'a',
      phase: 'imitate',
      fraction: 0.5,
    });
  });

  it('pauses after the present iteration, steps once, and resumes', async () => {
    const run = new HandRun();
    const { session, statuses, iterations } = lab(run);
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

  it('waits at the start when it is started paused', async () => {
    const run = new HandRun();
    const { session, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    expect(statuses('a')).toEqual(['starting', 'paused']);
    session.receive({ type: 'stop', runId: 'a' });
    await session.settled;
    expect(statuses('a').at(-1)).toBe('stopped');
    expect(run.destroyed).toBe(true);
  });

  it('leaves a rollout between two turns when another run is started, which waits for the GPU', async () => {
    const first = new HandRun();
    const second = new HandRun();
    const { session, opened, statuses, iterations } = lab(first, second);
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

  it('leaves updates in their midst on the processor, and lets those of a GPU through', async () => {
    const leaves = async (processor: boolean) => {
      const run = new HandRun();
      Object.assign(run, { machine: { ...run.machine, processor } });
      const { session } = lab(run);
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
    expect(await leaves(true)).toBe(true);
    expect(await leaves(false)).toBe(false);
  });

  it('goes on on another device from where it is, without being started anew', async () => {
    const first = new HandRun();
    const second = new HandRun(1000, 1);
    const { session, opened, opensFrom, messages, statuses } = lab(first, second);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive({ type: 'move', runId: 'a', device: 'processor' });
    await settle();
    // Not in the midst of an iteration.
    expect(opened).toEqual([first]);
    await first.end();
    expect(first.destroyed).toBe(true);
    expect(opened).toEqual([first, second]);
    expect(opensFrom).toEqual([null, 1]);
    await second.end();
    const iterations = messages.flatMap((m) => (m.type === 'iteration' ? [m.iteration] : []));
    expect(iterations).toEqual([1, 2]);
    expect(statuses('a').at(-1)).toBe('running');
  });

  it('goes on on another device that was asked for while it was being opened', async () => {
    const first = new HandRun();
    const second = new HandRun(1000, 0);
    const { session, opened, gate } = lab(first, second);
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

  it('names the error of a failed run, keeps quiet about it afterwards, and can start again', async () => {
    const first = new HandRun();
    const { session, messages, fatal, statuses } = lab(first, new HandRun());
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    const lost = new Error('the driver was reset');
    lost.name = 'DeviceLostError';
    fatal[0]?.(lost);
    await first.end(new Error('a buffer could not be mapped'));
    await session.settled;
    // The loss is the cause; what failed because of it is not what the visitor needs to read.
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

  it('fails a paused run at once when the GPU is lost', async () => {
    const run = new HandRun();
    const { session, fatal, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    fatal[0]?.(new Error('lost'));
    await session.settled;
    expect(statuses('a')).toEqual(['starting', 'paused', 'failed']);
  });

  it('reports an error of opening', async () => {
    const { session, messages, statuses } = lab();
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await session.settled;
    expect(messages.find(({ type }) => type === 'error')).toMatchObject({
      message: 'no adapter',
    });
    expect(statuses('a')).toEqual(['starting', 'failed']);
  });

  it('drops messages for other runs', async () => {
    const run = new HandRun();
    const { session, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    session.receive({ type: 'pause', runId: 'a' });
    session.receive({ type: 'stop', runId: 'a' });
    await run.end();
    expect(statuses('b')).toEqual(['starting', 'running']);
    expect(run.destroyed).toBe(false);
  });

  it('changes settings between two iterations, and says from which on', async () => {
    const run = new HandRun();
    const { session, messages } = lab(run);
    const changes = () =>
      messages.flatMap((message) => (message.type === 'changed' ? [message.config.changes] : []));
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    const change = (values: LiveValues) => session.receive({ type: 'change', runId: 'a', values });
    change({ 'agent.temperature': 0.5 });
    change({ 'agent.temperature': 0.7, 'horizon.turns': 9 });
    await settle();
    // The iteration that is being computed is played by the settings that it began with.
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
      type: 'unchanged',
      reason: expect.stringContaining('agent.temperature: must be a number from 0.05 to 5'),
    });
    expect(run.config.changes).toBe(changes().at(-1));
  });
});
