import { describe, expect, it } from 'vitest';
import type { Environment } from '../types.ts';
import { describeScene, type HouseScene } from './core/scene.ts';
import { partsOf } from './icons.ts';
import { families } from './index.ts';
import { layout } from './layout.ts';
import { alfworldId, sciworldId } from './options.ts';
import { sceneOf } from './scenes.ts';

/** The scenes of an episode, including the start: first the given actions, then the expert's. */
function scenes(
  id: string,
  rung: string,
  task: string,
  said: readonly string[] = [],
): HouseScene[] {
  const family = families.find((candidate) => candidate.id === id);
  const environment = family?.create({ rung }) as Environment;
  let { state } = environment.reset(task);
  const drawn: HouseScene[] = [];
  for (let turn = 0, over = false; ; turn++) {
    const scene = sceneOf(id, { rung }, state);
    if (scene === null) throw new Error(`${task} has no scene`);
    drawn.push(scene);
    if (over) return drawn;
    const text = said[turn] ?? environment.expert(state).action;
    ({ state, terminated: over } = environment.step(state, text));
  }
}

describe('ALFWorld scene', () => {
  it('marks target objects and unseen objects, and shows where objects move', () => {
    const [start, there, taken, , done] = scenes(alfworldId, 'one', 'alfworld_0');
    const place = (scene: HouseScene | undefined, name: string) =>
      scene?.places.find((one) => one.name === name);
    expect(start?.goal).toBe('put a dishsponge in sinkbasin.');
    expect(start?.places.map(({ name, wanted, here }) => `${name} ${wanted} ${here}`)).toEqual([
      'bathtubbasin 1 false false',
      'countertop 1 false false',
      'shelf 1 false false',
      'sinkbasin 1 true false',
    ]);
    expect(place(start, 'bathtubbasin 1')?.items).toMatchObject([
      { name: 'dishsponge 1', wanted: true, unseen: true },
      { name: 'towel 1', wanted: false, unseen: true },
    ]);
    expect(place(there, 'bathtubbasin 1')).toMatchObject({ here: true, seen: true });
    expect(place(there, 'bathtubbasin 1')?.items[0]?.unseen).toBe(false);
    expect(taken?.carried.map(({ name }) => name)).toEqual(['dishsponge 1']);
    expect(done).toMatchObject({ outcome: 'success', carried: [] });
    expect(place(done, 'sinkbasin 1')?.items.map(({ name }) => name)).toEqual(['dishsponge 1']);
  });

  it('has a text description', () => {
    const [start, there, , , done] = scenes(alfworldId, 'one', 'alfworld_0').map(describeScene);
    expect(start).toBe(
      'Task: put a dishsponge in sinkbasin. The agent has not moved yet. It carries: nothing. Turn 0 of 50.',
    );
    expect(there).toContain('The agent is at: bathtubbasin 1. In view: dishsponge 1, towel 1.');
    expect(done).toMatch(/Turn 4 of 50\. The task is done\.$/);
  });

  it('reports an action that had no effect', () => {
    const nonsense = ['dance\u0007', 'go to moon 1', 'inventory'];
    const [, danced, , asked] = scenes(alfworldId, 'two', 'alfworld_3', nonsense);
    expect(danced?.refused).toBe(true);
    expect(danced && describeScene(danced)).toContain('Last action: dance . Unknown action.');
    expect(asked?.refused).toBe(false);
    const idle = scenes(alfworldId, 'two', 'alfworld_3', Array<string>(50).fill('look'));
    expect(idle.at(-1)?.outcome).toBe('out of turns');
  });
});

describe('SciWorld scene', () => {
  it('shows rooms, doors, containers and sub-goals', () => {
    const [start, focused, done] = scenes(sciworldId, 'one', 'sciworld_0');
    expect(start?.places).toMatchObject([{ name: 'workshop', here: true, seen: true }]);
    expect(start?.steps.filter(({ must }) => must)).toEqual([
      { text: 'focus on such a thing', done: false, must: true },
      { text: 'move it to the red box', done: false, must: true },
    ]);
    expect(focused?.steps[0]?.done).toBe(true);
    expect(done).toMatchObject({ outcome: 'success' });
    const items = done?.places[0]?.items ?? [];
    const box = items.find(({ name }) => name === 'red box');
    expect(items.find(({ name }) => name === 'dove')?.inside).toBe(box?.thing);
    const [house] = scenes(sciworldId, 'three', 'sciworld_4');
    expect(house?.places).toHaveLength(10);
    expect(house?.doors).toHaveLength(10);
    expect(house?.doors.some(({ open }) => open)).toBe(false);
  });

  it('states a failure in its text description', () => {
    const [, failed] = scenes(sciworldId, 'one', 'sciworld_0', ['focus on candle']);
    expect(failed?.outcome).toBe('lost');
    expect(failed && describeScene(failed)).toMatch(/The task has failed\.$/);
  });
});

describe.each([
  [alfworldId, 'alfworld'],
  [sciworldId, 'sciworld'],
])('layout of %s', (id, name) => {
  it('places everything inside the image', () => {
    for (let n = 0; n < 40; n++) {
      for (const scene of scenes(id, 'all', `${name}_${n}`)) {
        for (const room of ['wide', 'narrow'] as const) {
          const plan = layout(scene, room);
          const items = [...scene.places.flatMap((place) => place.items), ...scene.carried];
          expect(new Set(items.map(({ thing }) => thing)).size).toBe(items.length);
          const points = [
            plan.agentAt,
            ...scene.places.map(({ thing }) => plan.placeAt(thing)),
            ...items.map(({ thing }) => plan.thingAt(thing)),
          ];
          for (const { x, y } of points) {
            expect(x >= 0 && x <= plan.width && y >= 0 && y <= plan.height).toBe(true);
          }
          for (const { icon } of items) expect(partsOf(icon).length).toBeGreaterThan(0);
        }
      }
    }
  });
});

describe('floor plan of four rooms in a row', () => {
  it('has two columns on a narrow page, with doors between neighbors', () => {
    const scene = scenes(sciworldId, 'two', 'sciworld_100000')[0];
    if (scene === undefined) throw new Error('there is no scene');
    expect(scene.places.map(({ cell }) => cell?.row)).toEqual([0, 0, 0, 0]);
    const { width, height, cell, placeAt } = layout(scene, 'narrow');
    expect([width / cell.width, height / cell.height]).toEqual([2, 2]);
    for (const { between } of scene.doors) {
      const [a, b] = between.map(placeAt);
      if (a === undefined || b === undefined) throw new Error('a door leads nowhere');
      expect(Math.abs(a.x - b.x) / cell.width + Math.abs(a.y - b.y) / cell.height).toBe(1);
    }
  });
});

describe('household state validation', () => {
  it('accepts valid states and rejects other values', () => {
    const environment = families[0]?.create() as Environment<object>;
    const { state } = environment.reset('alfworld_0');
    const shown = (value: unknown) => sceneOf(alfworldId, {}, value) !== null;
    expect(shown(structuredClone(state))).toBe(true);
    for (const foreign of [
      null,
      7,
      [],
      {},
      { ...state, task: 50_000 },
      { ...state, task: 1 },
      { ...state, turn: -1 },
      { ...state, at: 99 },
      { ...state, within: [] },
      { ...state, within: Array(5).fill('x') },
      { ...state, marks: [0.5] },
      { ...state, said: 7 },
      { ...state, answer: 'x'.repeat(6000) },
    ]) {
      expect(shown(foreign), JSON.stringify(foreign)).toBe(false);
    }
    expect(sceneOf('maze/double-t-v1', {}, state)).toBeNull();
    expect(sceneOf(sciworldId, {}, state)).toBeNull();
  });

  it('requires the additional fields of SciWorld', () => {
    const environment = families[1]?.create() as Environment<{ readonly own: object }>;
    const { state } = environment.reset('sciworld_0');
    const shown = (own: unknown) => sceneOf(sciworldId, {}, { ...state, own }) !== null;
    expect(shown(structuredClone(state.own))).toBe(true);
    for (const foreign of [
      null,
      {},
      { ...state.own, doors: -1 },
      { ...state.own, degrees: [] },
      { ...state.own, focus: 99 },
      { ...state.own, failed: 'no' },
    ]) {
      expect(shown(foreign), JSON.stringify(foreign)).toBe(false);
    }
  });
});
