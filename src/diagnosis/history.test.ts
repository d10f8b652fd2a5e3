import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { row } from '../runs/testing/rows.ts';
import { History } from './history.ts';

describe('history of a run', () => {
  it('includes the settings in effect in each iteration', () => {
    const facts = parseConfig({
      algorithm: { entropy_coef: 0.01 },
      changes: '3:algorithm.entropy_coef=0.2',
    });
    const rows = [1, 2, 3, 4].map((iteration) => row(iteration, {}));
    const history = new History({ rows, evaluations: [], facts });
    const bonus = rows.map((_, i) => history.at(i).facts.algorithm?.entropy_coef);
    expect(bonus).toEqual([0.01, 0.01, 0.2, 0.2]);
  });
});
