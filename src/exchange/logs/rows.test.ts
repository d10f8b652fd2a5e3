import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { RowLogError, readRowLog } from './rows.ts';

const line = (value: object) => `${JSON.stringify(value)}\n`;
const row = (iteration: number, success = 0.5) =>
  line({ iteration, 'rollout/success_rate': success });

describe('a row log', () => {
  it('contains rows, the last evaluation and the settings', () => {
    const config = presetConfig('maze');
    const end = { final: true, stopped: 'success', iteration: 2, 'eval/success_rate': 1, config };
    const log = readRowLog(`${row(1)}\n${row(2, 0.7)}${line(end)}`);
    expect(log.rows.map(({ metrics }) => metrics['rollout/success_rate'])).toEqual([0.5, 0.7]);
    expect(log.evaluations).toEqual([
      { iteration: 2, metrics: { iteration: 2, 'eval/success_rate': 1 } },
    ]);
    expect([log.config, log.model]).toEqual([config, null]);
    expect(log.notes).toEqual([]);
  });

  it('names the pretrained model that was trained', () => {
    const end = { final: true, iteration: 1, model: { name: 'tiny/llama', digest: '' } };
    expect(readRowLog(row(1) + line(end)).model).toBe('tiny/llama');
  });

  it('may contain non-finite values, other keys and rows that replace earlier ones', () => {
    const odd = line({ iteration: 2, 'policy/positive_share': null, environments: [], mine: 'x' });
    const log = readRowLog(row(1) + odd + row(3) + row(2, 0.9));
    expect(log.rows.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(log.rows[1]?.metrics).toEqual({ iteration: 2, 'rollout/success_rate': 0.9 });
    expect(log.notes).toEqual([
      'Line 4 goes back to iteration 2; the later rows replace the earlier ones.',
    ]);
    expect(readRowLog(row(1) + odd).rows[1]?.metrics['policy/positive_share']).toBeNaN();
    expect(log.config).toBeNull();
  });

  it('may be truncated at any byte', () => {
    const whole = row(1) + row(2) + row(3);
    for (let end = row(1).length; end <= whole.length; end++) {
      const { rows } = readRowLog(whole.slice(0, end));
      // A line is complete even without its line break.
      const complete = [row(1), row(1) + row(2), whole].filter(({ length }) => length - 1 <= end);
      expect(rows).toHaveLength(complete.length);
    }
    for (let end = 0; end < row(1).length - 1; end++) {
      expect(() => readRowLog(whole.slice(0, end))).toThrow(RowLogError);
    }
  });

  it.each([
    ['', /contains no iteration/],
    ['hello\nworld\n', /line 1 is not JSON/],
    [`${row(1)}oops\n${row(2)}`, /line 2 is not JSON/],
    ['[1]\n', /line 1 is not a JSON object/],
    [line({ 'rollout/success_rate': 1 }), /line 1 has no valid iteration/],
    [line({ iteration: 1.5 }), /line 1 has no valid iteration/],
    [line({ iteration: 1, 'policy/loss': 'low' }), /line 1: policy\/loss must be a number/],
    [row(1) + line({ final: true, iteration: 1, config: { seed: -1 } }), /line 2: .*seed/],
  ])('is rejected if it is %j', (text, problem) => {
    expect(() => readRowLog(text)).toThrow(problem);
    expect(() => readRowLog(text)).toThrow(RowLogError);
  });
});
