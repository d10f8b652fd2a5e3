import { describe, expect, it } from 'vitest';
import { UnknownTaskError } from '../types.ts';
import type { TextCraftState } from './environment.ts';
import { iconOf } from './icons.ts';
import { textCraft } from './index.ts';
import { describeScene, isTextCraftState, textCraftScene } from './scene.ts';
import { settingOf } from './setting.ts';

const options = { book: 'wood', depth: 3, distractors: 2 };
const env = textCraft.create(options);
const id =
  [...env.trainTasks, ...env.evalTasks].find((task) =>
    env.reset(task).observation.endsWith('craft oak fence.'),
  ) ?? '';

const after = (...actions: readonly string[]): TextCraftState =>
  actions.reduce((state, action) => env.step(state, action).state, env.reset(id).state);

const sceneAfter = (...actions: readonly string[]) =>
  textCraftScene(options, id, after(...actions));

/** Name, missing and required count, and status of every item in the tree. */
const summary = (...actions: readonly string[]) =>
  sceneAfter(...actions).layers.map((layer) =>
    layer.map(({ name, lacking, asked, status }) => `${name} ${lacking}/${asked} ${status}`),
  );

describe('TextCraft scene', () => {
  it('places the crafting tree below its goal', () => {
    const scene = sceneAfter();
    expect(summary()).toEqual([
      ['oak fence 1/1 waiting'],
      ['stick 2/2 waiting'],
      ['oak planks 6/6 waiting'],
      ['oak logs 2/2 ready'],
    ]);
    expect(scene.layers.flat().map(({ source, kind }) => `${source} ${kind}`)).toEqual([
      'craft null',
      'craft null',
      'craft planks',
      'get null',
    ]);
    const name = (item: number) => scene.layers.flat().find((other) => other.item === item)?.name;
    expect(scene.edges.map(({ from, to, count }) => `${name(from)} ${count} ${name(to)}`)).toEqual([
      'oak fence 4 oak planks',
      'oak fence 2 stick',
      'oak planks 1 oak logs',
      'stick 2 oak planks',
    ]);
    expect(scene.width).toBe(1);
    expect(scene.distractors).toHaveLength(2);
    expect(scene.outcome).toBe('running');
  });

  it('counts products as made even after they are used up', () => {
    const planks = 'craft 4 oak planks using 1 oak logs';
    expect(summary('get 2 oak logs', planks)).toEqual([
      ['oak fence 1/1 waiting'],
      ['stick 2/2 ready'],
      ['oak planks 2/6 ready'],
      ['oak logs 0/2 enough'],
    ]);
    const stick = 'craft 4 stick using 2 oak planks';
    expect(summary('get 2 oak logs', planks, planks, stick)).toEqual([
      ['oak fence 1/1 ready'],
      ['stick 0/2 enough'],
      ['oak planks 0/6 enough'],
      ['oak logs 0/2 enough'],
    ]);
  });

  it('shows the inventory and the reply to the last action', () => {
    const scene = sceneAfter('get 2 oak logs', 'get 1 oak planks');
    expect(scene.inventory).toEqual([{ name: 'oak logs', count: 2 }]);
    expect(scene).toMatchObject({ answer: 'Could not find oak planks', refused: true, turn: 2 });
    expect(sceneAfter('get 2 oak logs').refused).toBe(false);
    expect(describeScene(scene)).toBe(
      'Crafting tree of oak fence, after 2 of 30 turns. Still needed: 1 oak fence, 2 stick, 6 oak planks. Ready to collect: nothing. Ready to craft: oak planks. Held: 2 oak logs. Last reply: Could not find oak planks.',
    );
  });

  it('shows the outcome at the end', () => {
    let state = after();
    while (!env.success(state)) state = env.step(state, env.expert(state).action).state;
    const solved = textCraftScene(options, id, state);
    expect(solved.outcome).toBe('success');
    expect(solved.layers.flat().every(({ lacking }) => lacking === 0)).toBe(true);
    expect(describeScene(solved)).toMatch(/Still needed: nothing\..* The goal is crafted\.$/);
    const lost = sceneAfter(...Array<string>(30).fill('dance'));
    expect(lost.outcome).toBe('failure');
    expect(describeScene(lost)).toMatch(/No turns are left\.$/);
  });

  it('draws each item of a goal once, below all items made of it', () => {
    const deep = { depth: 4, distractors: 10 };
    const whole = textCraft.create(deep);
    const { goals } = settingOf(deep);
    for (const task of [
      ...whole.trainTasks.slice(0, goals.train.length),
      ...whole.evalTasks.slice(0, goals.eval.length),
    ]) {
      const scene = textCraftScene(deep, task, whole.reset(task).state);
      const levels = new Map(
        scene.layers.flatMap((layer, level) => layer.map(({ item }) => [item, level])),
      );
      expect(levels.size).toBe(scene.layers.flat().length);
      for (const { from, to } of scene.edges) {
        expect(levels.get(to)).toBeGreaterThan(levels.get(from) ?? Number.NaN);
      }
      expect(scene.width).toBeLessThanOrEqual(5);
    }
  });

  it('rejects the state of another task and values that are not states', () => {
    expect(() => textCraftScene(options, 'textcraft_1', { ...after(), task: 0 })).toThrow(
      UnknownTaskError,
    );
    expect(isTextCraftState(after('get 1 oak logs'))).toBe(true);
    for (const value of [null, 5, 'state', {}, { ...after(), held: [1] }, { task: 0, turn: 0 }]) {
      expect(isTextCraftState(value)).toBe(false);
    }
  });
});

describe('iconOf', () => {
  it('distinguishes kinds and materials', () => {
    expect(iconOf('oak trapdoor').shape).toBe('trapdoor');
    expect(iconOf('iron pickaxe').shape).toBe('pickaxe');
    expect(iconOf('iron axe').shape).toBe('axe');
    expect(iconOf('dark oak planks').color).not.toBe(iconOf('oak planks').color);
    expect(iconOf('light blue dye').color).not.toBe(iconOf('blue dye').color);
    expect(iconOf('something unheard of').shape).toBe('block');
  });

  it('uses the default block for less than 15% of the items in the book', () => {
    const { world } = settingOf({ depth: 4 });
    const shapes = world.names.map((name) => iconOf(name).shape);
    expect(new Set(shapes).size).toBeGreaterThan(40);
    const blocks = shapes.filter((shape) => shape === 'block').length;
    expect(blocks / shapes.length).toBeLessThan(0.15);
  });
});
