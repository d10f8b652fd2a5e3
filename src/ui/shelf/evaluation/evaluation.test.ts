import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import type { PageMessage, WorkerMessage } from '../../../lab/protocol.ts';
import type { EvaluationReport } from '../../../runs/evaluation-report.ts';
import { beginRun } from '../../shell/lab/store.ts';
import { checkpointFile, evaluate, reportFile, useEvaluation } from './store.ts';
import { ReportTable } from './table.tsx';

/** Stands in for the worker; the test sends the answers. */
class HandWorker {
  static latest: HandWorker | null = null;
  readonly sent: PageMessage[] = [];
  onmessage: (event: { readonly data: WorkerMessage }) => void = () => {};
  onerror: (event: { readonly message: string }) => void = () => {};

  constructor() {
    HandWorker.latest = this;
  }

  postMessage(message: PageMessage): void {
    this.sent.push(message);
  }

  terminate(): void {}
}

const config = presetConfig('maze');
const estimate = { mean: 0.5, low: 0.25, high: 0.75 };
const report: EvaluationReport = {
  trained: { iteration: 4, turns: 10, tokens: 12 },
  seed: 1,
  temperature: 1,
  environments: [
    {
      environment: { id: 'maze/double-t-v1', options: {} },
      tasks: 25,
      clusters: null,
      asks: 'Evaluation plays the same 25 tasks as training.',
      horizon: 50,
      agentUnable: null,
      results: [
        {
          player: 'sampled',
          episodesPerTask: 2,
          success: estimate,
          score: { mean: -1.5, low: Number.NaN, high: Number.NaN },
          turns: 12.25,
          passAtK: [estimate, { mean: 1, low: 0.8, high: 1 }],
        },
      ],
    },
    {
      environment: { id: 'maze/generated-v2', options: { size: 9 } },
      tasks: 3,
      clusters: { name: 'sets of walls', count: 2 },
      asks: 'No maze of training has these walls.',
      horizon: 50,
      agentUnable: 'its vocabulary lacks 2 of 20 lexemes, such as "exit".',
      results: [],
    },
  ],
};

beforeEach(() => {
  vi.stubGlobal('Worker', HandWorker);
  vi.stubGlobal('location', new URL('http://localhost/'));
  useEvaluation.setState(useEvaluation.getInitialState());
});

/** The last request of the page, and a function that answers it. */
function question() {
  const worker = HandWorker.latest;
  const sent = worker?.sent.at(-1);
  if (worker === null || sent === undefined || !('request' in sent)) {
    throw new Error('no question was sent');
  }
  const answer = (message: WorkerMessage) => worker.onmessage({ data: message });
  return { sent, answer, runId: sent.runId, request: sent.request };
}

describe('the evaluation', () => {
  it('sends the settings and stores the report with its run', async () => {
    beginRun('run-1', config, 'maze');
    useEvaluation.setState({ settings: { tasks: 3, samples: 2, seed: 1 } });
    const done = evaluate();
    const { sent, answer, runId, request } = question();
    expect(sent).toMatchObject({
      type: 'question',
      runId: 'run-1',
      name: 'evaluate-agent',
      ask: { tasks: 3, samples: 2, seed: 1 },
    });
    expect(useEvaluation.getState().pending).toEqual({ runId: 'run-1', what: 'report' });
    answer({ type: 'answer', runId, request, name: 'evaluate-agent', answer: report });
    await done;
    expect(useEvaluation.getState()).toMatchObject({
      pending: null,
      problem: null,
      report: { runId: 'run-1', report },
    });
  });

  it('stores the reason if the worker refuses', async () => {
    beginRun('run-1', config, 'maze');
    const done = evaluate();
    const { answer, runId, request } = question();
    answer({ type: 'refusal', runId, request, reason: 'The run is over.' });
    await done;
    expect(useEvaluation.getState()).toMatchObject({ pending: null, problem: 'The run is over.' });
  });

  it('drops the reply when another run has started', async () => {
    beginRun('run-1', config, 'maze');
    const refused = evaluate();
    const first = question();
    beginRun('run-2', config, 'maze');
    const answered = evaluate();
    const second = question();
    first.answer({ type: 'refusal', runId: 'run-1', request: first.request, reason: 'Over.' });
    await refused;
    // The newer question is still pending.
    expect(useEvaluation.getState().pending).toEqual({ runId: 'run-2', what: 'report' });
    beginRun('run-3', config, 'maze');
    const { request } = second;
    second.answer({
      ...{ type: 'answer', runId: 'run-2', request },
      ...{ name: 'evaluate-agent', answer: report },
    });
    await answered;
    expect(useEvaluation.getState()).toMatchObject({ pending: null, problem: null, report: null });
  });
});

describe('the checkpoint', () => {
  it('is downloaded under the name of the preset', async () => {
    beginRun('run-1', config, 'maze-partial');
    const done = checkpointFile();
    const { sent, answer, runId, request } = question();
    expect(sent).toMatchObject({ name: 'read-checkpoint' });
    answer({
      ...{ type: 'answer', runId, request },
      ...{ name: 'read-checkpoint', answer: Uint8Array.of(1, 2) },
    });
    expect(await done).toEqual({
      name: 'palestra-maze-partial.safetensors',
      parts: [Uint8Array.of(1, 2)],
      type: 'application/octet-stream',
    });
  });

  it('is unavailable when the worker has stopped', async () => {
    beginRun('run-1', config, 'maze');
    const done = checkpointFile();
    HandWorker.latest?.onerror({ message: 'the script failed' });
    expect(await done).toBeNull();
    expect(useEvaluation.getState().problem).toBe('The training worker has stopped.');
  });
});

describe('the report', () => {
  it('is saved with the extension of its format', () => {
    expect(reportFile(report, 'csv')).toMatchObject({
      name: 'palestra-evaluation.csv',
      type: 'text/csv',
    });
    const { name, parts } = reportFile(report, 'json');
    expect(name).toBe('palestra-evaluation.json');
    expect(JSON.parse(String(parts[0])).trained).toEqual(report.trained);
  });

  it('is rendered as a table with headers for every row, column and environment', () => {
    const html = renderToStaticMarkup(createElement(ReportTable, { report }));
    expect(html.match(/<th scope="col"/g)).toHaveLength(7);
    expect(html.match(/<th scope="rowgroup"/g)).toHaveLength(2);
    expect(html).toContain('<th scope="row">Agent, sampled</th>');
    expect(html).toContain('pass@');
    expect(html).toContain('50.0%');
    expect(html).toContain('25.0 to 75.0');
    expect(html).toContain('maze/generated-v2, size 9');
    expect(html).toContain('It did not play: its vocabulary lacks 2 of 20 lexemes');
    expect(html).toContain('3 tasks of 2 sets of walls, at most 50 turns each.');
    expect(html).toContain('No maze of training has these walls.');
    // A single task gives no interval.
    expect(html).toMatch(/-1\.50<\/span>/);
  });
});
