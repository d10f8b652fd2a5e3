import { relative } from 'node:path';
import { BaseSequencer } from 'vitest/node';
import { root } from './install.mjs';

/** The slowest test files, longest first. */
const longest = [
  'src/cli/work-command.test.ts',
  'src/cli/sweep-command.test.ts',
  'src/testing/fuzz/fuzz.test.ts',
  'src/kernels/kernels.test.ts',
  'src/exchange/player.test.ts',
  'src/policy/policy.test.ts',
  'src/cli/reproduce-command.test.ts',
  'src/cli/claims-command.test.ts',
  'src/envs/babyai/conformance.test.ts',
  'src/envs/tools/conformance.test.ts',
  'src/envs/holdout.test.ts',
  'src/exchange/agent-files.test.ts',
  'src/training/algorithms.test.ts',
];

/**
 * Starts the slowest test files first, so that none of them runs alone at the end. Vitest's own
 * order uses the times of an earlier run, which a fresh checkout lacks.
 */
export class LongestFirst extends BaseSequencer {
  /** @param {import('vitest/node').TestSpecification[]} files @override */
  async sort(files) {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const rank = (/** @type {import('vitest/node').TestSpecification} */ { project, moduleId }) => {
      const place = longest.indexOf(relative(root, moduleId));
      const behind = place < 0 ? longest.length : place;
      return projects.indexOf(project) * (longest.length + 1) + behind;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
