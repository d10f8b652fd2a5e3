import { describe, expect, it } from 'vitest';
import type { EvaluationReport } from './evaluation-report.ts';
import { formatReport, reportFormats, shownK } from './evaluation-report.ts';

const estimate = (mean: number) => ({ mean, low: mean / 2, high: (1 + mean) / 2 });

const report: EvaluationReport = {
  trained: { iteration: 40, turns: 1234, tokens: 1300 },
  seed: 3,
  temperature: 0.8,
  environments: [
    {
      environment: { id: 'maze/generated-v2', options: { size: 9, words: 'a,"b"\nc|d' } },
      tasks: 10,
      clusters: { name: 'sets of walls', count: 4 },
      asks: 'No maze of training has these walls.',
      horizon: 30,
      agentUnable: null,
      results: [
        {
          player: 'greedy',
          episodesPerTask: 1,
          success: estimate(0.8),
          score: { mean: 0.75, low: Number.NaN, high: Number.NaN },
          turns: 12.34,
          passAtK: [],
        },
        {
          player: 'sampled',
          episodesPerTask: 3,
          success: estimate(0.5),
          score: estimate(0.25),
          turns: 20,
          passAtK: [0.5, 0.6, 0.7].map(estimate),
        },
      ],
    },
    {
      environment: { id: 'maze/double-t-v1', options: {} },
      tasks: 25,
      clusters: null,
      asks: 'Evaluation plays the same 25 tasks as training.',
      horizon: 50,
      agentUnable: 'its vocabulary lacks 3 of 40 lexemes, such as "goal".',
      results: [
        {
          player: 'expert',
          episodesPerTask: 1,
          success: estimate(1),
          score: estimate(1),
          turns: 9,
          passAtK: [],
        },
      ],
    },
  ],
};

describe('formatReport', () => {
  it('writes an aligned text table', () => {
    const lines = formatReport(report, 'table').split('\n');
    expect(lines[0]).toMatch(
      /^Environment +Player +Episodes +Success +Score +Turns +pass@1 +pass@2 +pass@3$/,
    );
    expect(lines[1]).toMatch(
      /^maze\/generated-v2, size 9, words a,"b" c\|d +Agent, greedy +10 × 1 +80\.0% \[40\.0, 90\.0\] +0\.75 +12\.3 +– +– +–$/,
    );
    expect(lines[1]?.indexOf('10 × 1')).toBe(lines[2]?.indexOf('10 × 3'));
    expect(lines[3]).toMatch(/^maze\/double-t-v1 +Agent +– +not played/);
    expect(lines.slice(6, 8)).toEqual([
      'maze/generated-v2, size 9, words a,"b" c|d: 10 tasks of 4 sets of walls. No maze of training has these walls.',
      'maze/double-t-v1: 25 tasks. Evaluation plays the same 25 tasks as training.',
    ]);
    expect(lines[8]).toBe(
      'The agent did not play maze/double-t-v1: its vocabulary lacks 3 of 40 lexemes, such as "goal".',
    );
    expect(lines[9]).toContain('40 iterations (1,234 turns)');
    expect(lines[9]).toContain('temperature 0.8');
  });

  it('writes a Markdown table with the same number of cells in every row', () => {
    const lines = formatReport(report, 'markdown').split('\n');
    const table = lines.filter((line) => line.startsWith('|'));
    expect(table).toHaveLength(6);
    for (const line of table) expect(line.split(/(?<!\\)\|/)).toHaveLength(11);
    expect(table[2]).toContain('c\\|d');
  });

  it('writes CSV with every number, quoted where needed', () => {
    const csv = formatReport(report, 'csv');
    const lines = csv.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    const head = lines[0]?.split(',') ?? [];
    expect(head.slice(0, 10).join()).toBe(
      'environment,options,horizon,player,tasks,clusters,episodes_per_task,success,success_low,success_high',
    );
    expect(head.filter((name) => /^pass_at_\d$/.test(name))).toHaveLength(3);
    expect(lines[1]).toContain(
      '"{""size"":9,""words"":""a,\\""b\\""\\nc|d""}",30,greedy,10,4,1,0.8,0.4,0.9,0.75,,,12.34',
    );
    expect(lines[3]).toMatch(
      /^maze\/double-t-v1,\{\},50,greedy,,+"its vocabulary lacks 3 of 40 lexemes, such as ""goal""\."$/,
    );
    const commas = (line: string) => line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',').length;
    for (const line of lines) expect(commas(line)).toBe(head.length);
  });

  it('writes JSON that parses to the report, with null for values that are not finite', () => {
    const read = JSON.parse(formatReport(report, 'json'));
    expect(read.environments[1]).toEqual(report.environments[1]);
    expect(read.environments[0].results[0].score).toEqual({ mean: 0.75, low: null, high: null });
  });

  it('ends every format with a line break', () => {
    for (const format of reportFormats) expect(formatReport(report, format)).toMatch(/[^\n]\n$/);
  });
});

describe('shownK', () => {
  it('lists the powers of two up to the number of samples, and the number itself', () => {
    const withSamples = (k: number): EvaluationReport => ({
      ...report,
      environments: report.environments.slice(0, 1).map((of) => ({
        ...of,
        results: of.results.map((result) => ({
          ...result,
          passAtK: Array.from({ length: k }, () => estimate(0.5)),
        })),
      })),
    });
    expect([0, 1, 2, 5, 8].map((k) => shownK(withSamples(k)))).toEqual([
      [],
      [1],
      [1, 2],
      [1, 2, 4, 5],
      [1, 2, 4, 8],
    ]);
  });
});
