import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Environment } from '../../types.ts';
import { turnsOf } from '../core/environment.ts';
import { HAND, houseOf, NOWHERE } from '../core/house.ts';
import { families } from '../index.ts';
import { alfworldSetting } from '../kits.ts';
import type { GoodKind, ReceptacleKind } from './catalogue.ts';
import { goodKinds, goodOf, receptacleKinds } from './catalogue.ts';
import { advise } from './expert.ts';
import { ALFWORLD_GOALS } from './goals.ts';
import { alfworldVerbs, say } from './verbs.ts';
import type { AlfworldGoal, AlfworldNow, AlfworldState, AlfworldTask } from './world.ts';

const { kit, rungs } = alfworldSetting();
const turns = turnsOf(kit, rungs);

/** A room with the given receptacles, contents and goal. */
function room(
  furnished: readonly (readonly [ReceptacleKind, ...GoodKind[]])[],
  aim: Partial<AlfworldGoal> = {},
): AlfworldNow {
  const places = furnished.map(([place]) => place);
  const things = furnished.flatMap(([, ...goods], place) => goods.map((kind) => ({ kind, place })));
  const kinds = [...places, ...things.map(({ kind }) => kind)];
  const names = kinds.map(
    (kind, i) => `${kind} ${kinds.slice(0, i + 1).filter((k) => k === kind).length}`,
  );
  const goal = {
    text: 'put a book in bed',
    thing: 'book',
    target: 'bed',
    treatment: null,
    count: 1,
    ...aim,
  } as const;
  const task: AlfworldTask = {
    house: houseOf(names),
    goal: `${goal.text}.`,
    key: goal.text,
    aim: goal,
    places: places.length,
    kinds,
    start: {
      at: NOWHERE,
      within: [...places.map(() => NOWHERE), ...things.map(({ place }) => place)],
      marks: kinds.map(() => 0),
      own: null,
    },
  };
  return { task, state: { task: 0, turn: 0, ...task.start, said: '', answer: '' } };
}

/** The replies to a sequence of actions. */
function answers(start: AlfworldNow, ...actions: readonly string[]): readonly string[] {
  let now = start;
  return actions.map((action) => {
    ({ now } = turns.after(now, action));
    return now.state.answer;
  });
}

const after = (start: AlfworldNow, ...actions: readonly string[]): AlfworldNow =>
  actions.reduce((now, action) => turns.after(now, action).now, start);

const kitchen = room([
  ['countertop', 'apple', 'knife', 'spoon'],
  ['fridge', 'egg'],
  ['microwave'],
  ['sinkbasin'],
  ['drawer'],
]);

describe('ALFWorld', () => {
  it('starts with a description of the room and the task', () => {
    expect(kit.firstObservation(kitchen)).toBe(
      'You are in the middle of a room. Looking quickly around you, you see a countertop 1, a fridge 1, a microwave 1, a sinkbasin 1, and a drawer 1. Your task is to: put a book in bed.',
    );
  });

  it('describes contents, closed receptacles and the inventory', () => {
    expect(
      answers(
        kitchen,
        'go to countertop 1',
        'take apple 1 from countertop 1',
        'inventory',
        'go to fridge 1',
        'open fridge 1',
        'put apple 1 in/on fridge 1',
        'examine fridge 1',
        'close fridge 1',
        'look',
        'inventory',
        'go to sinkbasin 1',
      ),
    ).toEqual([
      'On the countertop 1, you see a apple 1, a knife 1, and a spoon 1.',
      'You pick up the apple 1 from the countertop 1.',
      'You are carrying: a apple 1.',
      'The fridge 1 is closed.',
      'You open the fridge 1. The fridge 1 is open. In it, you see a egg 1.',
      'You put the apple 1 in/on the fridge 1.',
      'The fridge 1 is open. In it, you see a apple 1, and a egg 1.',
      'You close the fridge 1.',
      'You are facing the fridge 1. The fridge 1 is closed.',
      'You are not carrying anything.',
      'On the sinkbasin 1, you see nothing.',
    ]);
  });

  it('heats, cools and cleans a held object at a closed appliance, where cooling undoes heating', () => {
    const held = after(kitchen, 'go to countertop 1', 'take apple 1 from countertop 1');
    expect(
      answers(
        held,
        'go to microwave 1',
        'heat apple 1 with microwave 1',
        'go to sinkbasin 1',
        'clean apple 1 with sinkbasin 1',
        'examine apple 1',
        'go to fridge 1',
        'cool apple 1 with fridge 1',
        'examine apple 1',
      ),
    ).toEqual([
      'The microwave 1 is closed.',
      'You heat the apple 1 using the microwave 1.',
      'On the sinkbasin 1, you see nothing.',
      'You clean the apple 1 using the sinkbasin 1.',
      'This is a clean hot apple 1.',
      'The fridge 1 is closed.',
      'You cool the apple 1 using the fridge 1.',
      'This is a clean cool apple 1.',
    ]);
  });

  it('slices objects only if the agent holds a knife', () => {
    const at = after(kitchen, 'go to countertop 1');
    expect(answers(at, 'take knife 1 from countertop 1', 'slice apple 1 with knife 1')[1]).toBe(
      'You slice the apple 1 with the knife 1.',
    );
    expect(answers(at, 'take spoon 1 from countertop 1', 'slice apple 1 with spoon 1')[1]).toBe(
      'Nothing happens.',
    );
  });

  it('gives the same reply to every impossible action', () => {
    const at = after(kitchen, 'go to countertop 1');
    for (const action of [
      'go to countertop 1',
      'go to apple 1',
      'open countertop 1',
      'open fridge 1',
      'close fridge 1',
      'take egg 1 from fridge 1',
      'take apple 1 from fridge 1',
      'put apple 1 in/on countertop 1',
      'heat apple 1 with microwave 1',
      'use knife 1',
      'use countertop 1',
      'examine egg 1',
      'slice apple 1 with knife 1',
    ]) {
      expect(turns.after(at, action), action).toMatchObject({
        understood: true,
        now: {
          state: { answer: 'Nothing happens.', within: at.state.within, marks: at.state.marks },
        },
      });
    }
    const held = after(at, 'take spoon 1 from countertop 1');
    // The agent carries one object at a time, and a spoon does not belong in a fridge.
    expect(answers(held, 'take apple 1 from countertop 1')).toEqual(['Nothing happens.']);
    expect(answers(held, 'go to fridge 1', 'open fridge 1', 'put spoon 1 in/on fridge 1')[2]).toBe(
      'Nothing happens.',
    );
  });

  it('reports a malformed action as not understood', () => {
    for (const action of [
      '',
      'go',
      'go to',
      'go to moon 1',
      'GO TO fridge 1',
      'go to fridge 1 ',
      'take apple 1',
      'put in/on fridge 1',
      'take apple 1 from countertop 1 from fridge 1',
      'go to __proto__',
    ]) {
      expect(turns.after(kitchen, action), action).toMatchObject({
        understood: false,
        now: { state: { answer: 'Unknown action. Nothing happens.', turn: 1 } },
      });
    }
  });

  it('lists the available actions if configured', () => {
    const listed = families[0]?.create({ rung: 'one', actions: 'listed' });
    const { observation } = listed?.reset('alfworld_0') ?? {};
    expect(observation).toMatch(/\. AVAILABLE ACTIONS: go to .+, look, inventory$/);
  });
});

describe('ALFWorld success', () => {
  const solved = (now: AlfworldNow) => kit.success(now);

  it('accepts the object in any receptacle of the required kind', () => {
    const start = room([['desk', 'pen', 'book'], ['bed'], ['bed']], {
      thing: 'book',
      text: 'put a book in bed',
    });
    const held = after(start, 'go to desk 1', 'take book 1 from desk 1', 'go to bed 2');
    expect(solved(held)).toBe(false);
    expect(solved(after(held, 'put book 1 in/on bed 2'))).toBe(true);
  });

  it('requires a heated object to still be hot at the end', () => {
    const start = room([['countertop', 'mug'], ['microwave'], ['fridge'], ['cabinet']], {
      thing: 'mug',
      target: 'cabinet',
      treatment: 'hot',
    });
    const hot = after(
      start,
      'go to countertop 1',
      'take mug 1 from countertop 1',
      'go to microwave 1',
      'heat mug 1 with microwave 1',
    );
    const away = ['go to cabinet 1', 'open cabinet 1', 'put mug 1 in/on cabinet 1'];
    expect(solved(after(hot, ...away))).toBe(true);
    expect(solved(after(hot, 'go to fridge 1', 'cool mug 1 with fridge 1', ...away))).toBe(false);
  });

  it('requires both objects in the same receptacle', () => {
    const start = room([['desk', 'pen', 'pen'], ['drawer'], ['drawer']], {
      thing: 'pen',
      target: 'drawer',
      count: 2,
    });
    const put = (pen: number, drawer: number) => [
      'go to desk 1',
      `take pen ${pen} from desk 1`,
      `go to drawer ${drawer}`,
      `open drawer ${drawer}`,
      `put pen ${pen} in/on drawer ${drawer}`,
    ];
    expect(solved(after(start, ...put(1, 1), ...put(2, 2)))).toBe(false);
    expect(solved(after(start, ...put(1, 1), ...put(2, 1)))).toBe(true);
  });

  it('requires the agent to hold the object at a lamp that has been turned on', () => {
    const start = room(
      [
        ['desk', 'desklamp'],
        ['bed', 'book'],
      ],
      { thing: 'book', target: null },
    );
    const used = after(start, 'go to desk 1', 'use desklamp 1');
    expect(used.state.answer).toBe('You turn on the desklamp 1.');
    // A lamp that is on cannot be used again, and a lamp cannot be moved.
    expect(answers(used, 'use desklamp 1', 'take desklamp 1 from desk 1')).toEqual([
      'Nothing happens.',
      'Nothing happens.',
    ]);
    const held = after(used, 'go to bed 1', 'take book 1 from bed 1');
    expect([solved(used), solved(held)]).toEqual([false, false]);
    expect(solved(after(held, 'go to desk 1'))).toBe(true);
  });
});

describe('ALFWorld admissibleActions', () => {
  it('returns exactly the actions that are not refused', () => {
    const environment = families[0]?.create() as Environment<AlfworldState>;
    const choice = fc.tuple(
      fc.integer({ min: 0, max: 400 }),
      fc.array(fc.nat(), { maxLength: 12 }),
    );
    fc.assert(
      fc.property(choice, ([n, steps]) => {
        let now = turns.begin(n);
        for (const step of steps) {
          const offered = environment.admissibleActions(now.state);
          if (offered.length === 0) return;
          const every = [...now.task.house.names.keys()];
          const said = alfworldVerbs.flatMap((verb) => {
            const ones = verb.candidates.length === 0 ? [[]] : every.map((a) => [a]);
            const all =
              verb.candidates.length === 2
                ? ones.flatMap((a) => every.map((b) => [...a, b]))
                : ones;
            return all
              .filter((things) => verb.refusal(now, ...things) === null)
              .map((things) => say(verb, now, ...things));
          });
          expect([...offered].sort()).toEqual(said.sort());
          now = turns.after(now, offered[step % offered.length] ?? '').now;
        }
      }),
      { numRuns: 30, seed: 5 },
    );
  });
});

describe('ALFWorld expert', () => {
  it('searches likely receptacles first, and opens closed ones', () => {
    const start = room([['fridge'], ['shelf', 'mug'], ['drawer', 'book'], ['bed']]);
    const said: string[] = [];
    let now = start;
    while (!kit.success(now) && said.length < 20) {
      const { action } = advise(now);
      said.push(action);
      ({ now } = turns.after(now, action));
    }
    expect(said).toEqual([
      ...['go to shelf 1', 'go to drawer 1', 'open drawer 1', 'take book 1 from drawer 1'],
      ...['go to bed 1', 'put book 1 in/on bed 1'],
    ]);
  });

  it('puts down an object that it does not need', () => {
    const start = after(
      room([['desk', 'book', 'pen'], ['bed']]),
      'go to desk 1',
      'take pen 1 from desk 1',
    );
    expect(advise(start)).toEqual({
      thought: 'I do not need the pen 1.',
      action: 'put pen 1 in/on desk 1',
    });
  });
});

describe('ALFWorld task set', () => {
  it('has several hundred goals of all six kinds', () => {
    const counts = Object.values(ALFWORLD_GOALS).map((kinds) => kinds.map((goals) => goals.length));
    expect(counts).toEqual([
      [expect.any(Number)],
      [expect.any(Number)],
      [expect.any(Number), expect.any(Number), expect.any(Number)],
      [expect.any(Number), expect.any(Number)],
    ]);
    for (const count of counts.flat()) expect(count).toBeGreaterThan(15);
    expect(counts[1]?.[0]).toBeGreaterThan(200);
  });

  it('gives every kind a distinct name, and every object several possible places', () => {
    expect(new Set([...goodKinds, ...receptacleKinds]).size).toBe(
      goodKinds.length + receptacleKinds.length,
    );
    for (const kind of goodKinds) expect(goodOf(kind).places.length, kind).toBeGreaterThan(1);
  });

  it('starts every task with the agent empty-handed and away from all furniture', () => {
    for (let n = 0; n < 100; n++) {
      const { state } = turns.begin(n);
      expect(state.within).not.toContain(HAND);
      expect(state.at).toBe(NOWHERE);
    }
  });
});
