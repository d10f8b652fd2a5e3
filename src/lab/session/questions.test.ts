import { describe, expect, it } from 'vitest';
import type { WorkerMessage } from '../protocol.ts';
import type { QuestionMessage } from '../questions.ts';
import { config, FakeRun, report, sessionOf, settings, settle } from './testing/fake-run.ts';

describe('a session with a question for its agent', () => {
  const evaluate: QuestionMessage<'evaluate-agent'> = {
    ...{ type: 'question', runId: 'a', request: 7 },
    ...{ name: 'evaluate-agent', ask: settings },
  };
  const read: QuestionMessage<'read-checkpoint'> = {
    ...{ type: 'question', runId: 'a', request: 8, name: 'read-checkpoint', ask: {} },
  };
  const gone = 'The run has ended, and its agent is no longer in memory.';
  const answers = (messages: readonly WorkerMessage[]) =>
    messages.filter((message) => 'request' in message);

  it('answers between iterations while training continues', async () => {
    const run = new FakeRun();
    const { session, messages, iterations } = sessionOf(run);
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
        ...{ type: 'answer', runId: 'a', request: 7, name: 'evaluate-agent' },
        answer: { ...report, trained: { iteration: 1, turns: 0, tokens: 0 } },
      },
      {
        ...{ type: 'answer', runId: 'a', request: 8, name: 'read-checkpoint' },
        answer: Uint8Array.of(1),
      },
    ]);
    await run.end();
    expect(iterations('a')).toEqual([1, 2]);
  });

  it('answers only questions about a demonstration between updates of imitation', async () => {
    const run = new FakeRun();
    const { session, messages } = sessionOf(run);
    const demonstration = (
      request: number,
      task: string,
    ): QuestionMessage<'read-demonstration'> => ({
      ...{ type: 'question', runId: 'a', request, name: 'read-demonstration', ask: { task } },
    });
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    await settle();
    session.receive(read);
    session.receive(demonstration(9, 'maze_1'));
    session.receive(demonstration(10, 'broken'));
    run.progress('rollout', 0.1);
    await settle();
    expect(answers(messages)).toEqual([]);
    run.progress('imitate', 0.2);
    await settle();
    expect(answers(messages)).toMatchObject([
      { type: 'answer', request: 9, answer: { turns: [[{ text: 'maze_1' }]] } },
    ]);
    run.progress('imitate', 0.3);
    await settle();
    expect(answers(messages).at(-1)).toMatchObject({
      ...{ type: 'refusal', request: 10, reason: 'the device is lost' },
    });
    run.progress('imitate', 0.4);
    await run.end();
    expect(answers(messages).at(-1)).toMatchObject({ type: 'answer', request: 8 });
    expect(answers(messages)).toHaveLength(3);
  });

  it('answers while the run is paused or finished, without changing its status', async () => {
    const run = new FakeRun(1);
    const { session, messages, statuses } = sessionOf(run);
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
    expect(answers(messages)).toMatchObject([{ request: 8 }, { request: 7 }]);
    // The status is repeated after an answer, which clears the progress bar.
    expect(statuses('a')).toEqual([
      ...['starting', 'paused', 'paused'],
      ...['running', 'finished', 'finished'],
    ]);
  });

  it('refuses if the run has ended or ends before the answer, or if another run is current', async () => {
    const first = new FakeRun();
    const { session, messages } = sessionOf(first, new FakeRun());
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

  it('refuses if the run is ended before it is opened', async () => {
    const first = new FakeRun();
    const { session, messages } = sessionOf(first, new FakeRun());
    session.receive({ type: 'start', runId: 'before', config, paused: false });
    await settle();
    session.receive({ type: 'start', runId: 'a', config, paused: false });
    session.receive(read);
    session.receive({ type: 'stop', runId: 'a' });
    await first.end();
    await session.settled;
    expect(answers(messages)).toEqual([{ type: 'refusal', runId: 'a', request: 8, reason: gone }]);
  });

  it('refuses with the error message, and the run continues', async () => {
    const run = new FakeRun();
    const { session, messages, statuses } = sessionOf(run);
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

  it('fails the run if the GPU is lost, unless the run has finished', async () => {
    const [playing, finished] = [new FakeRun(), new FakeRun(1)];
    const { session, messages, fatal, statuses } = sessionOf(playing, finished);
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

describe('a long-running question', () => {
  const collect: QuestionMessage<'collect-critiques'> = {
    ...{ type: 'question', runId: 'a', request: 9 },
    ...{ name: 'collect-critiques', ask: { count: 5, seed: 1 } },
  };
  const refused = { type: 'refusal', runId: 'a', reason: 'Cancelled.' };

  it('can be cancelled while it is answered and while it is pending', async () => {
    const { session, messages } = sessionOf(new FakeRun());
    session.receive({ type: 'start', runId: 'a', config, paused: true });
    await settle();
    session.receive(collect);
    session.receive({ ...collect, request: 10 });
    await settle();
    await settle();
    expect(messages).toContainEqual({
      ...{ type: 'progress', runId: 'a', phase: 'collect', fraction: 0.5 },
    });
    session.receive({ type: 'cancel-question', runId: 'a', request: 10 });
    expect(messages.at(-1)).toEqual({ ...refused, request: 10 });
    session.receive({ type: 'cancel-question', runId: 'a', request: 9 });
    await settle();
    await settle();
    expect(messages).toContainEqual({ ...refused, request: 9 });
    // The run continues unaffected.
    expect(messages.at(-1)).toEqual({ type: 'status', runId: 'a', status: 'paused' });
  });
});
