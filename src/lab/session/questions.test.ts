import { describe, expect, it } from 'vitest';
import type { WorkerMessage } from '../protocol.ts';

import { config, HandRun, lab, report, settings, settle } from './testing/hand-run.ts';

describe('questions for the agent', () => {
  const evaluate = { type: 'evaluate-agent', runId: 'a', request: 7, settings } as const;
  const read = { type: 'read-checkpoint', runId: 'a', request: 8 } as const;
  const gone = 'The run is over, and its agent is gone.';
  const answers = (messages: readonly WorkerMessage[]) =>
    messages.filter((message) => 'request' in message);

  it('are answered between two iterations, and training goes on', async () => {
    const run = new HandRun();
    const { session, messages, iterations } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive(evaluate);
    session.receive(read);
    await settle();
    expect(run.evaluation).toBeNull();
    await run.end();
    expect(run.evaluation?.settings).toEqual(settings);
    run.evaluation?.onProgress(0.25);
    expect(messages.at(-1)).toEqual({
      type: 'progress',
      runId: 'a',
      phase: 'evaluate',
      fraction: 0.25,
    });
    await run.endEvaluation();
    expect(answers(messages)).toEqual([
      {
        type: 'evaluation-report',
        runId: 'a',
        request: 7,
        report: { ...report, trained: { iteration: 1, turns: 0, tokens: 0 } },
      },
      { type: 'checkpoint', runId: 'a', request: 8, bytes: Uint8Array.of(1) },
    ]);
    await run.end();
    expect(iterations('a')).toEqual([1, 2]);
  });

  it('are answered while the run is paused and after it has finished, without changing that', async () => {
    const run = new HandRun(1);
    const { session, messages, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(read);
    await settle();
    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    await run.end();
    session.receive(evaluate);
    await settle();
    await run.endEvaluation();
    expect(answers(messages).map(({ type }) => type)).toEqual(['checkpoint', 'evaluation-report']);
    // Said again after an answer, so that the page knows that its phase is over.
    expect(statuses('a')).toEqual([
      ...['starting', 'paused', 'paused'],
      ...['running', 'finished', 'finished'],
    ]);
  });

  it('are refused when the run is over, was ended in between, or another one', async () => {
    const first = new HandRun();
    const { session, messages } = lab(first, new HandRun());
    session.receive(read);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive({ ...read, runId: 'other' });
    session.receive(evaluate);
    session.receive(read);
    await settle();
    session.receive({ type: 'start', runId: 'b', config, paused: false });
    const { evaluation } = first;
    let thrown: Error | null = null;
    try {
      evaluation?.onProgress(0.5);
    } catch (error) {
      thrown = error as Error;
    }
    expect(thrown?.name).toBe('RunEnded');
    await first.endEvaluation(thrown);
    expect(first.destroyed).toBe(true);
    expect(answers(messages)).toEqual([
      { type: 'refusal', runId: 'a', request: 8, reason: gone },
      { type: 'refusal', runId: 'other', request: 8, reason: gone },
      { type: 'refusal', runId: 'a', request: 7, reason: gone },
      { type: 'refusal', runId: 'a', request: 8, reason: gone },
    ]);
  });

  it('are refused when the run is ended before it could be opened', async () => {
    const first = new HandRun();
    const { session, messages } = lab(first, new HandRun());
    session.receive({ type: 'start', runId: 'before', config, paused: false });
    await settle();
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    session.receive(read);
    session.receive({ type: 'stop', runId: 'a' });
    await first.end();
    await session.settled;
    expect(answers(messages)).toEqual([{ type: 'refusal', runId: 'a', request: 8, reason: gone }]);
  });

  it('are refused with what went wrong, and the run goes on', async () => {
    const run = new HandRun();
    const { session, messages, statuses } = lab(run);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(evaluate);
    await settle();
    await run.endEvaluation(new Error('the maze has no exit'));
    expect(answers(messages)).toMatchObject([{ type: 'refusal', reason: 'the maze has no exit' }]);
    session.receive({ type: 'resume', runId: 'a' });
    await settle();
    expect(statuses('a').at(-1)).toBe('running');
  });

  it('lose a GPU as training does; a finished run stays finished', async () => {
    const [playing, finished] = [new HandRun(), new HandRun(1)];
    const { session, messages, fatal, statuses } = lab(playing, finished);
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(evaluate);
    await settle();
    fatal[0]?.(new Error('lost'));
    await playing.endEvaluation(new Error('a buffer could not be mapped'));
    expect(answers(messages)).toMatchObject([{ type: 'refusal', reason: 'lost' }]);
    expect(statuses('a').at(-1)).toBe('failed');

    session.receive({ type: 'start', runId: 'b', config, paused: false });
    await settle();
    await finished.end();
    fatal[1]?.(new Error('lost again'));
    await session.settled;
    expect(finished.destroyed).toBe(true);
    expect(statuses('b').at(-1)).toBe('finished');
    expect(messages.filter(({ type }) => type === 'error')).toHaveLength(1);
    session.receive({ ...read, runId: 'b' });
    expect(messages.at(-1)).toMatchObject({ type: 'refusal', runId: 'b', reason: gone });
  });
});

describe('a question that takes long', () => {
  const collect = { type: 'collect-critiques', runId: 'a', request: 9, count: 5, seed: 1 } as const;
  const refused = { type: 'refusal', runId: 'a', reason: 'It was given up.' };

  it('can be given up while it is answered, and while it waits', async () => {
    const { session, messages } = lab(new HandRun());
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(collect);
    session.receive({ ...collect, request: 10 });
    await settle();
    await settle();
    expect(messages).toContainEqual({
      ...{ type: 'progress', runId: 'a', phase: 'collect', fraction: 0.5 },
    });
    session.receive({ type: 'give-up', runId: 'a', request: 10 });
    expect(messages.at(-1)).toEqual({ ...refused, request: 10 });
    session.receive({ type: 'give-up', runId: 'a', request: 9 });
    await settle();
    await settle();
    expect(messages).toContainEqual({ ...refused, request: 9 });
    // The run goes on as if nothing had been asked.
    expect(messages.at(-1)).toEqual({ type: 'status', runId: 'a', status: 'paused' });
  });
});
