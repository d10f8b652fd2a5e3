import { describe, expect, it } from 'vitest';
import { UnknownEnvironmentError } from '../errors.ts';
import { EnvironmentOptionError } from '../options.ts';
import { UnknownTaskError } from '../types.ts';
import { createBabyAI } from './environment.ts';
import { levels } from './levels.ts';
import { babyaiScene, describeScene, isBabyAIState } from './scene.ts';
import type { BabyAIState } from './world.ts';

function environmentOf(id: string) {
  const level = levels.find((level) => level.id === id);
  if (level === undefined) throw new Error(`no level ${id}`);
  return createBabyAI(level);
}

/** The states of an episode that the expert plays, including the first. */
function states(id: string, task: string): BabyAIState[] {
  const environment = environmentOf(id);
  let { state } = environment.reset(task);
  const all = [state];
  while (!environment.success(state)) {
    ({ state } = environment.step(state, environment.expert(state).action));
    all.push(state);
  }
  return all;
}

describe('BabyAI scene', () => {
  it('shows a whole room with its contents, and marks the target and visible objects', () => {
    const scene = babyaiScene('babyai/goto-local-v1', {}, 'babyai_0');
    expect(scene.frame).toEqual({ top: 0, left: 0, rows: 8, columns: 8 });
    expect(scene.floor).toHaveLength(36);
    expect(scene.things).toHaveLength(8);
    const wanted = scene.things.filter(({ wanted }) => wanted);
    expect(wanted.map(({ color, kind }) => `${color} ${kind}`)).toEqual(['green key']);
    const { observation } = environmentOf('goto-local').reset('babyai_0');
    for (const { color, kind, seen } of scene.things) {
      if (seen) expect(observation).toContain(`${color} ${kind}`);
    }
    expect(scene.things.filter(({ seen }) => seen)).toHaveLength(
      observation.split('There is a').length - 1,
    );
    expect(scene).toMatchObject({ turn: 0, steps: 0, outcome: 'running', carrying: null });
    expect(describeScene(scene)).toMatch(/^Goal: go to the green key\. The agent is at row \d/);
  });

  it('lists the poses of the last turn step by step, from the end of the previous turn', () => {
    for (const id of ['goto-local', 'put-next-local', 'boss-level']) {
      for (const task of ['babyai_1', 'babyai_2', 'babyai_5']) {
        const environmentId = `babyai/${id}-v1`;
        let before = babyaiScene(environmentId, {}, task).poses.at(-1);
        for (const state of states(id, task).slice(1)) {
          const { poses } = babyaiScene(environmentId, {}, task, state);
          expect(poses).toHaveLength(state.trail.length + 1);
          const [first] = poses;
          expect([first?.row, first?.column]).toEqual([before?.row, before?.column]);
          const turned = ((first?.degrees ?? 0) - (before?.degrees ?? 0)) % 360;
          expect(Math.abs(turned)).toBe(0);
          for (const [k, pose] of poses.entries()) {
            const next = poses[k + 1] ?? pose;
            const moved = Math.abs(next.row - pose.row) + Math.abs(next.column - pose.column);
            expect(moved + Math.abs(next.degrees - pose.degrees) / 90).toBeLessThanOrEqual(1);
          }
          before = poses.at(-1);
        }
      }
    }
  });

  it('marks a completed mission and its clauses as done', () => {
    const last = states('unlock-local', 'babyai_3').at(-1);
    const scene = babyaiScene('babyai/unlock-local-v1', {}, 'babyai_3', last);
    expect(scene.outcome).toBe('success');
    expect(scene.carrying?.kind).toBe('key');
    expect(scene.doors.map(({ state }) => state)).toEqual(['open']);
    expect(scene.clauses.every(({ done }) => done)).toBe(true);
    expect(describeScene(scene)).toMatch(/The mission is done\.$/);
    // The frame covers only rooms that contain something, walls included.
    expect(scene.frame).toEqual({ top: 7, left: 7, rows: 8, columns: 8 });
  });

  it('lists the clauses of a long mission in the required order', () => {
    const environment = environmentOf('goto-seq');
    const task = environment.trainTasks.find((task) =>
      environment.reset(task).observation.includes(' after you '),
    );
    const scene = babyaiScene('babyai/goto-seq-v1', {}, task ?? '');
    const last = scene.mission
      .split(' after you ')
      .at(-1)
      ?.replace(/ (the|a) /g, ' ');
    expect(scene.clauses.length).toBeGreaterThan(1);
    expect(last?.startsWith(scene.clauses[0]?.text ?? 'none')).toBe(true);
  });

  it('recognizes states of BabyAI', () => {
    const [state] = states('goto-obj', 'babyai_0');
    expect(isBabyAIState(structuredClone(state))).toBe(true);
    for (const other of [null, 7, {}, { ...state, cells: 'x' }, { ...state, trail: 3 }, []]) {
      expect(isBabyAIState(other)).toBe(false);
    }
  });

  it('throws specific errors for unknown tasks and environments', () => {
    const [state] = states('goto-obj', 'babyai_0');
    expect(() => babyaiScene('babyai/none-v1', {}, 'babyai_0')).toThrow(UnknownEnvironmentError);
    expect(() => babyaiScene('babyai/goto-obj-v1', {}, 'babyai_9999')).toThrow(UnknownTaskError);
    expect(() => babyaiScene('babyai/goto-obj-v1', {}, 'babyai_1', state)).toThrow(
      UnknownTaskError,
    );
    expect(() => babyaiScene('babyai/goto-obj-v1', { room_size: 3 }, 'babyai_0')).toThrow(
      EnvironmentOptionError,
    );
  });
});
