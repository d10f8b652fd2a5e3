import { mersenne } from 'pure-rand/generator/mersenne';
import { describe, expect, it } from 'vitest';
import { turnsOf } from '../core/environment.ts';
import { contentsOf, HAND } from '../core/house.ts';
import type { Rung } from '../core/kit.ts';
import { sciworldSetting } from '../kits.ts';
import { ENTRIES, entryOf, namesOf } from './catalogue.ts';
import { furnish } from './furnish.ts';
import { SCIWORLD_GOALS, type SciWorldGoal } from './goals.ts';
import { iconOf } from './icons.ts';
import { scoreOf } from './judge.ts';
import { DOORS, pathsOf, ROOMS, waysOf } from './map.ts';
import { reading } from './text.ts';
import { matterOf, type SciWorldNow } from './world.ts';

const { kit, rungs } = sciworldSetting();
const turns = turnsOf(kit, rungs);

/** The first house drawn for a goal in which the agent starts in a given room. */
function house(rung: Rung, goal: SciWorldGoal | undefined, room: string): SciWorldNow {
  for (let seed = 0; goal !== undefined && seed < 300; seed++) {
    const task = furnish(goal, rung, mersenne(seed));
    if (task?.rooms[task.start.at] !== room) continue;
    return { task, state: { task: 0, turn: 0, ...task.start, said: '', answer: '' } };
  }
  throw new Error('there is no such house');
}

const goalWith = (rung: Rung, text: string): SciWorldGoal | undefined =>
  SCIWORLD_GOALS[rung].flat().find((goal) => goal.text.startsWith(text));

const after = (start: SciWorldNow, ...actions: readonly string[]): SciWorldNow =>
  actions.reduce((now, action) => turns.after(now, action).now, start);

function answers(start: SciWorldNow, ...actions: readonly string[]): readonly string[] {
  let now = start;
  return actions.map((action) => {
    ({ now } = turns.after(now, action));
    return now.state.answer;
  });
}

const number = ({ task }: SciWorldNow, name: string): number =>
  task.house.numberOf.get(name) ?? Number.NaN;

describe('SciWorld', () => {
  const boil = house(
    'four',
    goalWith('four', 'make water a gas, in the metal pot in the kitchen'),
    'kitchen',
  );

  it('starts with the task and a description of the room', () => {
    expect(kit.firstObservation(boil)).toMatch(
      /^Your task is to boil water\. First, focus on the substance\. Then, take actions that will cause it to change its state of matter\. This room is called the kitchen\. In it, you see: .*a metal pot \(containing a substance called water\).*a stove \(that is turned off\), a oven \(that is turned off\) \(that is closed\), a fridge \(that is closed\), a freezer \(that is closed\)\. You also see: a door to the hallway \(that is open\)\.$/,
    );
  });

  it('goes through open doors to adjacent rooms', () => {
    expect(
      answers(
        boil,
        'go to workshop',
        'close door to hallway',
        'go to hallway',
        'close door to hallway',
        'open door to hallway',
        'open door to hallway',
        'open door to foundry',
        'go to hallway',
        'go to workshop',
      ),
    ).toEqual([
      'It is not clear how to get there from here.',
      'The door is now closed.',
      'The door is not open.',
      'The door is already closed.',
      'The door is now open.',
      'The door is already open.',
      'Unknown action. No known action matches that input.',
      'You move to the hallway.',
      'You move to the workshop.',
    ]);
  });

  it('moves, opens and turns on objects if possible, and otherwise gives the reason', () => {
    expect(
      answers(
        boil,
        'move metal pot to freezer',
        'open freezer',
        'open freezer',
        'open metal pot',
        'move stove to freezer',
        'move water to freezer',
        'move metal pot to freezer',
        'look in freezer',
        'close freezer',
        'pick up metal pot',
        'activate freezer',
        'activate stove',
        'activate stove',
        'deactivate stove',
        'activate metal pot',
        'use stove on water',
        'inventory',
      ),
    ).toEqual([
      'The freezer is not open.',
      'The freezer is now open.',
      'The freezer is already open.',
      'The metal pot is not openable.',
      'The stove is not moveable.',
      'The water is not moveable.',
      'You move the metal pot to the freezer.',
      'In the freezer, you see: a metal pot (containing a substance called water).',
      'The freezer is now closed.',
      // An action on a thing behind a closed door gets the reply to an unknown action.
      'No known action matches that input.',
      'The freezer is already activated.',
      'The stove is now activated.',
      'The stove is already activated.',
      'The stove is now deactivated.',
      'No known action matches that input.',
      'No known action matches that input.',
      'In your inventory, you see: nothing.',
    ]);
  });

  it('reports a malformed action as not understood', () => {
    for (const action of [
      '',
      'go',
      'focus',
      'focus on',
      'focus on moon',
      'FOCUS ON water',
      'wait ',
      'wait 10',
      'move water',
      'open door to',
      'connect a to b',
      'look at __proto__',
    ]) {
      const { now, understood } = turns.after(boil, action);
      expect(understood, action).toBe(false);
      expect(now.state.answer).toBe('Unknown action. No known action matches that input.');
      expect(now.state.own).toEqual(boil.state.own);
    }
  });

  it('rounds the thermometer reading to the nearest ten, up to 600 degrees', () => {
    expect([-100, -44, -4, 0, 26, 600, 601].map(reading)).toEqual([
      'The thermometer measures a temperature of -90 degrees celsius.',
      'The thermometer measures a temperature of -40 degrees celsius.',
      'The thermometer measures a temperature of 0 degrees celsius.',
      'The thermometer measures a temperature of 0 degrees celsius.',
      'The thermometer measures a temperature of 30 degrees celsius.',
      'The thermometer measures a temperature of 600 degrees celsius.',
      'The thermometer measures more than 600 degrees celsius.',
    ]);
  });
});

describe('SciWorld physics', () => {
  const boil = house(
    'four',
    goalWith('four', 'make water a gas, in the metal pot in the kitchen'),
    'kitchen',
  );
  const degrees = (now: SciWorldNow) => now.state.own.degrees[number(now, 'water')] ?? Number.NaN;

  it('closes a tenth of the gap to the device temperature per tick, with ten ticks per wait', () => {
    const on = after(boil, 'move metal pot to stove', 'activate stove');
    // The turn that switches the stove on counts as a tick.
    expect(degrees(on)).toBeCloseTo(260 - 240 * 0.9, 9);
    expect(degrees(after(on, 'wait1'))).toBeCloseTo(260 - 240 * 0.9 ** 2, 9);
    expect(degrees(after(on, 'wait'))).toBeCloseTo(260 - 240 * 0.9 ** 11, 9);
    // An unknown action takes no time; a refused one takes a tick.
    expect(degrees(after(on, 'nonsense'))).toBe(degrees(on));
    expect(degrees(after(on, 'pick up moon'))).toBe(degrees(on));
    expect(degrees(after(on, 'open metal pot'))).toBeCloseTo(260 - 240 * 0.9 ** 2, 9);
    expect(degrees(after(on, 'deactivate stove', 'wait'))).toBe(degrees(on));
  });

  it('turns water into gas above its boiling point and into a solid below its melting point', () => {
    const water = number(boil, 'water');
    expect(matterOf(boil, water)).toBe('liquid');
    const hot = after(boil, 'move metal pot to stove', 'activate stove', 'wait');
    expect(matterOf(hot, water)).toBe('gas');
    const cold = after(boil, 'open freezer', 'move metal pot to freezer', 'wait');
    expect(matterOf(cold, water)).toBe('solid');
    expect(answers(cold, 'look at water')).toEqual(['The water is a solid.']);
  });
});

describe('SciWorld scoring', () => {
  it('adds 1/N per ordered sub-goal and 1/(U·(N + 1)) per optional one', () => {
    const find = house(
      'three',
      goalWith('three', 'find a(n) animal for the red box in the kitchen'),
      'hallway',
    );
    const { aim } = find.task;
    if (aim.kind !== 'find') throw new Error('not a find');
    const animals = find.task.entries.flatMap(({ sort }, thing) =>
      sort === 'animal' && thing >= find.task.rooms.length ? thing : [],
    );
    const [animal = 0] = animals;
    // Moves the animal to the agent, because this test is not about finding it.
    const near = {
      ...find,
      state: { ...find.state, within: find.state.within.with(animal, find.state.at) },
    };
    const name = find.task.house.names[animal] ?? '';
    const [n, u] = [2, 4];
    const scores = [
      [`pick up ${name}`, 1 / (u * (n + 1))],
      [`focus on ${name}`, 1 / n + 1 / (u * (n + 1))],
      ['open door to kitchen', 1 / n + 2 / (u * (n + 1))],
      // The agent enters a new room, and the box is in it: two sub-goals.
      ['go to kitchen', 1 / n + 4 / (u * (n + 1))],
      [`move ${name} to red box`, 1],
    ] as const;
    let now: SciWorldNow = near;
    for (const [action, due] of scores) {
      ({ now } = turns.after(now, action));
      expect(scoreOf(now), action).toBeCloseTo(due, 9);
    }
    expect(kit.success(now)).toBe(true);
  });

  it('fails the task if the agent focuses on the wrong object or uses the wrong box', () => {
    const find = house(
      'one',
      goalWith('one', 'find a(n) plant for the green box in the bedroom'),
      'bedroom',
    );
    const {
      house: { names },
      entries,
    } = find.task;
    const plant = names.find((_, thing) => entries[thing]?.sort === 'plant') ?? '';
    const other =
      names.find(
        (_, thing) => entries[thing]?.sort === 'animal' || entries[thing]?.sort === 'container',
      ) ?? '';
    const wrong = names.find((name) => name.endsWith(' box') && name !== 'green box') ?? '';
    const focused = after(find, `focus on ${other}`);
    expect([kit.lost(focused), kit.success(focused), kit.score(focused)]).toEqual([true, false, 0]);
    const begun = after(find, `focus on ${plant}`);
    expect(kit.lost(begun)).toBe(false);
    const boxed = after(begun, `move ${plant} to ${wrong}`);
    expect([kit.lost(boxed), kit.success(boxed)]).toEqual([true, false]);
    // The score is kept or lost, depending on the option.
    expect(kit.score(boxed)).toBeGreaterThan(0.5);
    expect(sciworldSetting({ failure: 'forfeits' }).kit.score(boxed)).toBe(0);
    expect(kit.ending(boxed, boxed.state.answer)).toMatch(/the task has failed\.$/);
  });

  it('compares animals by the life span of their kind', () => {
    const both = house('two', goalWith('two', 'both life span of ant, dove, elephant'), 'outside');
    const wrong = after(both, 'focus on ant');
    expect(kit.lost(wrong)).toBe(true);
    const half = after(both, 'focus on elephant');
    expect([kit.lost(half), half.state.own.reached]).toEqual([false, 1]);
    expect(kit.success(after(half, 'focus on ant'))).toBe(true);
    expect(kit.lost(after(half, 'focus on dove'))).toBe(true);
  });

  it('accepts the change of state and the focus on the substance in either order', () => {
    const boil = house(
      'four',
      goalWith('four', 'make water a gas, in the metal pot in the kitchen'),
      'kitchen',
    );
    const hot = after(boil, 'move metal pot to stove', 'activate stove', 'wait');
    expect(kit.success(hot)).toBe(false);
    expect(kit.success(after(hot, 'focus on water'))).toBe(true);
    expect(
      kit.success(
        after(boil, 'focus on water', 'move metal pot to stove', 'activate stove', 'wait'),
      ),
    ).toBe(true);
  });

  it('requires a substance to be measured before it is placed', () => {
    const start = house(
      'four',
      goalWith('four', 'measure iron in the kitchen: above 50'),
      'kitchen',
    );
    const { aim } = start.task;
    if (aim.kind !== 'measure') throw new Error('not a measurement');
    const { names } = start.task.house;
    const [right = '', wrong = ''] = [names[aim.box], names[aim.wrong]];
    // Everything in the kitchen, regardless of the draw.
    const within = [aim.thermometer, aim.box, aim.wrong].reduce(
      (places, thing) => places.with(thing, start.state.at),
      start.state.within,
    );
    const here = { ...start, state: { ...start.state, within } };
    const focused = after(here, 'focus on thermometer', 'focus on iron');
    expect(kit.success(after(focused, `move iron to ${right}`))).toBe(false);
    const measured = after(focused, 'use thermometer on iron');
    expect(measured.state.answer).toMatch(
      /^The thermometer measures a temperature of -?\d+ degrees celsius\.$/,
    );
    expect(kit.success(after(measured, `move iron to ${right}`))).toBe(true);
    expect(kit.lost(after(measured, `move iron to ${wrong}`))).toBe(true);
    expect(kit.lost(after(here, 'focus on iron'))).toBe(true);
  });

  it('accepts the mixed paint, and fails the task if a component is spoiled', () => {
    const start = house(
      'four',
      goalWith('four', 'mix orange paint of the glass cup and the jug'),
      'art studio',
    );
    const third =
      start.task.house.names[start.state.within[number(start, 'blue paint')] ?? 0] ?? '';
    const mixed = after(start, 'pour glass cup into jug', 'mix jug');
    expect(mixed.state.answer).toBe('red paint and yellow paint mix to produce orange paint.');
    expect(contentsOf(mixed.state, number(mixed, 'jug'))).toEqual([number(mixed, 'orange paint')]);
    expect(kit.success(after(mixed, 'focus on orange paint'))).toBe(true);
    expect(kit.lost(after(start, `pour ${third} into jug`))).toBe(true);
    expect(
      answers(start, 'mix jug', 'pour jug into jug', 'pick up jug', 'move jug to jug'),
    ).toEqual([
      'The contents of the jug do not appear to produce anything new.',
      'Nothing can be put into itself.',
      'You move the jug to the inventory.',
      'Nothing can be put into itself.',
    ]);
    expect(after(start, 'pick up jug').state.within[number(start, 'jug')]).toBe(HAND);
  });
});

describe('SciWorld map and catalogue', () => {
  it('connects every room to every other', () => {
    const { length } = pathsOf(waysOf(ROOMS));
    expect(length.flat().every((steps) => steps <= 4)).toBe(true);
    expect(length[ROOMS.indexOf('bedroom')]?.[ROOMS.indexOf('foundry')]).toBe(4);
    expect(DOORS).toHaveLength(10);
  });

  it('has a distinct life span for every animal, and an icon for everything', () => {
    const years = namesOf('animal').map((name) => entryOf(name).years);
    expect(new Set(years).size).toBe(years.length);
    for (const name of Object.keys(ENTRIES)) expect(iconOf(name).color).toMatch(/^#/);
  });

  it('has dozens of goals of every type', () => {
    for (const goals of Object.values(SCIWORLD_GOALS).flat())
      expect(goals.length).toBeGreaterThan(50);
  });
});
