import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EnvironmentOptions } from '../types.ts';
import { rememberTasks, type TextCraftState, taskId } from './environment.ts';
import { textCraft } from './index.ts';
import { plan } from './plan.ts';
import { settingOf } from './setting.ts';
import { MOST_STEPS } from './tasks.ts';

/** An environment with the internals that these tests need. */
function opened(options: EnvironmentOptions) {
  const setting = settingOf(options);
  return { env: textCraft.create(options), setting, taskOf: rememberTasks(setting) };
}

describe('plan', () => {
  it('takes at most 14 turns for any task from the recipe book, less than half the turn limit', () => {
    const { setting, taskOf, env } = opened({ depth: 4 });
    let most = 0;
    for (const id of [...env.trainTasks, ...env.evalTasks]) {
      const task = taskOf(Number(id.slice('textcraft_'.length)));
      const turns = plan(setting.world, task.goal, task.members, []).length;
      most = Math.max(most, turns);
    }
    expect(most).toBe(14);
    expect(most).toBeLessThanOrEqual(MOST_STEPS);
    expect(env.turnLimit).toBe(2 * MOST_STEPS);
  });

  it('gets shorter by one with each step, from any reachable state', () => {
    const { env, setting, taskOf } = opened({ depth: 4, distractors: 10 });
    const left = ({ task, held }: TextCraftState) => {
      const { goal, members } = taskOf(task);
      return plan(setting.world, goal, members, held).length;
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...env.trainTasks, ...env.evalTasks),
        fc.array(fc.nat(), { maxLength: 14 }),
        (id, choices) => {
          let { state } = env.reset(id);
          for (const choice of choices) {
            const actions = env.admissibleActions(state);
            if (actions.length === 0) return;
            state = env.step(state, actions[choice % actions.length] ?? '').state;
          }
          for (let turns = left(state); turns > 0; turns--) {
            expect(left(state)).toBe(turns);
            // The turn count is reset: this tests the plan, not the turn limit.
            state = { ...env.step(state, env.expert(state).action).state, turn: 0 };
          }
          expect(env.success(state)).toBe(true);
        },
      ),
      { seed: 11, numRuns: 300 },
    );
  });

  it('matches the length of the shortest plan found by exhaustive search', () => {
    const { env, setting, taskOf } = opened({ depth: 2, distractors: 0 });
    const { world, goals } = setting;
    const tried = goals.train.filter((goal, i) => {
      const turns = plan(world, goal, new Map(), []).length;
      return i % 9 === 0 && turns >= 3 && turns <= 5;
    });
    expect(tried.length).toBeGreaterThan(8);
    for (const goal of tried) {
      const number = goals.train.indexOf(goal);
      const { commands, members } = taskOf(number);
      const crafts = commands.map(({ text, inputs }) =>
        inputs.reduce((action, { item }) => {
          const member = members.get(item);
          return member === undefined
            ? action
            : action.replace(` ${world.names[item]}`, ` ${world.names[member]}`);
        }, text),
      );
      const gets = commands
        .flatMap(({ inputs }) => inputs)
        .filter(({ item }) => world.depths[item] === 0)
        .flatMap(({ item }) => [1, 2, 3, 4, 5, 6, 8].map((n) => `get ${n} ${world.names[item]}`));
      const start = env.reset(taskId(number)).state;
      expect(fewestTurns(start, [...new Set([...crafts, ...gets])])).toBe(
        plan(world, goal, members, []).length,
      );
    }

    /** Breadth-first; states with the same inventory count as one. */
    function fewestTurns(start: TextCraftState, actions: readonly string[]): number {
      const seen = new Set<string>();
      let frontier = [start];
      for (let turns = 1; frontier.length > 0; turns++) {
        const next: TextCraftState[] = [];
        for (const state of frontier) {
          for (const action of actions) {
            const after = env.step(state, action);
            if (after.reward === 1) return turns;
            const key = after.state.held.map(String).sort().join(';');
            if (seen.has(key)) continue;
            seen.add(key);
            next.push(after.state);
          }
        }
        frontier = next;
      }
      return Number.POSITIVE_INFINITY;
    }
  });

  it('uses any available item of a kind, unless a specific item is required', () => {
    const { env } = opened({ book: 'wood', depth: 3, goals: 'exact-depth' });
    const id = [...env.trainTasks, ...env.evalTasks].find((task) =>
      env.reset(task).observation.endsWith('Goal: craft oak fence.'),
    );
    let { state } = env.reset(id ?? '');
    const actions: string[] = [];
    for (const action of ['get 1 birch logs', 'craft 4 birch planks using 1 birch logs']) {
      state = env.step(state, action).state;
    }
    while (!env.success(state)) {
      const { action } = env.expert(state);
      actions.push(action);
      state = env.step(state, action).state;
    }
    expect(actions).toEqual([
      'get 1 oak logs',
      'craft 4 oak planks using 1 oak logs',
      'craft 4 stick using 2 birch planks',
      'craft 3 oak fence using 4 oak planks, 2 stick',
    ]);
  });
});
