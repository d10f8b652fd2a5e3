import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EnvironmentOptionError } from '../options.ts';
import { EpisodeOverError } from '../types.ts';
import { opsOf, perform, situation } from './actions.ts';
import { createBabyAI, rememberTasks, rewardFor, settingOf } from './environment.ts';
import { decide } from './expert.ts';
import { babyaiFamilies } from './index.ts';
import { type Level, levels } from './levels.ts';
import { accomplished } from './mission.ts';
import { see } from './sight.ts';
import { worldHash } from './tasks.ts';
import { drawn } from './testing.ts';
import { type BabyAIState, gridOf, offset, startState, type World } from './world.ts';

const level = (id: string): Level => {
  const found = levels.find((level) => level.id === id);
  if (found === undefined) throw new Error(`no level ${id}`);
  return found;
};

/** Plays actions in a drawn layout; each must be admissible. */
function play(world: World, actions: readonly string[]): BabyAIState {
  let state = startState(0, world);
  for (const action of actions) {
    const here = situation(world, state);
    expect(here.actions).toContain(action);
    state = perform(world, state, opsOf(here, action));
  }
  return state;
}

const solved = (world: World, state: BabyAIState) => accomplished(world.mission, state.done);

/** The expert's actions in a drawn layout until the mission is done. */
function expertActions(world: World, most = 40): string[] {
  let state = startState(0, world);
  const actions: string[] = [];
  while (!solved(world, state) && actions.length < most) {
    const here = situation(world, state);
    const { action } = decide(world, state, here) ?? { action: 'none' };
    actions.push(action);
    state = perform(world, state, opsOf(here, action));
  }
  return actions;
}

const ROOM = `
################
## . . . . . .##
## . . .bx . .##
## . . . . . .##
##bo . . . . .##
## . . .rk . .##
##bo . . ^ .bo##
################`;

describe('BabyAI observation', () => {
  it('lists visible objects from nearest to farthest, numbered per name, and the obstacle ahead', () => {
    const world = drawn(ROOM);
    const { description, actions } = situation(world, startState(0, world));
    expect(description).toBe(
      'In front of you in this room, you can see several objects: There is a red key 1 right in front of you 1 steps away. There is a blue ball 1 0 steps in front of you and 2 steps to your right. There is a blue ball 2 0 steps in front of you and 3 steps to your left. There is a blue box 1 right in front of you 4 steps away. There is a blue ball 3 2 steps in front of you and 3 steps to your left. The room has walls around you. You are facing a box 4 steps away. You are not carrying anything.',
    );
    expect(actions).toEqual([
      'turn left',
      'turn right',
      'pick up red key 1',
      'pick up blue ball 1',
      'pick up blue ball 2',
      'pick up blue box 1',
      'pick up blue ball 3',
      'go to blue ball 1',
      'go to blue ball 2',
      'go to blue box 1',
      'go to blue ball 3',
    ]);
  });

  it('reports the carried object and an empty view', () => {
    const world = drawn(ROOM);
    const state = play(world, ['pick up red key 1', 'turn right', 'turn right']);
    expect(situation(world, state).description).toBe(
      'In front of you in this room, you can see several objects: There is a blue ball 1 0 steps in front of you and 2 steps to your left. There is a blue ball 2 0 steps in front of you and 3 steps to your right. The room has walls around you. You are facing a wall 1 steps away. You are carrying a red key.',
    );
    const bare = drawn('######\n## ^##\n######');
    expect(situation(bare, startState(0, bare)).description).toBe(
      'You cannot see any objects within sight. The room has walls around you. You are facing a wall 1 steps away. You are not carrying anything.',
    );
  });

  it('names doors with their state and hides objects behind a closed door', () => {
    const picture = (door: string) => `
################
## . . . . . .##
## . . . . . .##
## . . .ro . .##
########${door}######
## . . . . . .##
## . . . ^ . .##
################`;
    const observe = (door: string) => {
      const world = drawn(picture(door));
      return situation(world, startState(0, world)).description;
    };
    expect(observe('Y|')).toContain(
      'There is a yellow closed door 1 right in front of you 2 steps away.',
    );
    expect(observe('YL')).toContain('There is a yellow locked door 1 right');
    expect(observe('Y|')).not.toContain('red ball');
    expect(observe('Y_')).toContain('There is a yellow open door 1 right');
    expect(observe('Y_')).toContain('There is a red ball 1 right in front of you 3 steps away.');
  });

  it('covers 7 × 7 cells in the direction that the agent faces', () => {
    const world = drawn(ROOM);
    const start = startState(0, world);
    const seenFrom = (direction: number) => {
      const sight = see(world, { ...start, direction }, gridOf(world, start));
      return [...sight.cells].filter((cell, v) => sight.seen[v] === 1 && cell >= 0);
    };
    // Up: columns 1 to 7 and rows 0 to 6; right: from column 4 on, rows 3 to 7.
    expect(Math.min(...seenFrom(3))).toBe(1);
    expect(seenFrom(3)).toHaveLength(7 * 7);
    expect(seenFrom(0).every((cell) => cell % 8 >= 4 && Math.floor(cell / 8) >= 3)).toBe(true);
    expect(seenFrom(0)).toHaveLength(4 * 5);
  });

  it("follows MiniGrid's visibility rule: a gap reveals the whole row behind it", () => {
    const seenRows = (wall: string) => {
      const world = drawn(`
##############
## . . . . .##
## . . . . .##
${wall}
## . . . . .##
## . ^ . . .##
##############`);
      const start = startState(0, world);
      const sight = see(world, start, gridOf(world, start));
      const seen = [...sight.cells].filter((cell, v) => sight.seen[v] === 1 && cell >= 0);
      return [1, 2, 3, 4].map((row) => seen.filter((cell) => Math.floor(cell / 7) === row).length);
    };
    // The view covers columns −1 to 5.
    expect(seenRows('##############')).toEqual([0, 0, 6, 6]);
    expect(seenRows('######## .####')).toEqual([6, 6, 6, 6]);
  });
});

describe('BabyAI agent', () => {
  it('walks to an object by the shortest visible path and faces it', () => {
    const state = play(drawn(ROOM), ['go to blue ball 3']);
    expect(state).toMatchObject({ trail: 'lffrffl', steps: 7, turn: 1 });
    expect([state.position, state.direction]).toEqual([4 * 8 + 2, 2]);
  });

  it('picks up, carries and drops an object', () => {
    const world = drawn(ROOM);
    const state = play(world, ['pick up red key 1', 'move forward', 'turn left', 'drop']);
    expect(state.carrying).toBe(null);
    expect(state.cells[world.things.findIndex(({ kind }) => kind === 'key')]).toBe(5 * 8 + 3);
    expect(state.steps).toBe(4);
    const { actions } = situation(world, state);
    expect(actions).not.toContain('drop');
    expect(actions).not.toContain('go to red key 1');
    expect(actions).toContain('pick up red key 1');
  });

  it('cannot move into an object or drop one object onto another', () => {
    const world = drawn(ROOM);
    expect(situation(world, startState(0, world)).actions).not.toContain('move forward');
    const laden = play(world, ['pick up blue ball 1', 'turn left', 'go to blue box 1']);
    expect(situation(world, laden).actions).not.toContain('drop');
    expect(situation(world, laden).actions.some((action) => action.startsWith('pick up'))).toBe(
      false,
    );
  });

  const LOCKED_ROOM = `
################
## . . . . . .##
## . . . . . .##
## . . . . . .##
########YL######
## . . . . . .##
##yk . . ^ .rk##
################`;

  it('opens a locked door only with the key of its color', () => {
    const world = drawn(LOCKED_ROOM);
    const through = 'toggle and go through yellow locked door 1';
    expect(situation(world, startState(0, world)).actions).not.toContain(through);
    const wrong = play(world, ['pick up red key 1', 'turn left', 'go to yellow locked door 1']);
    expect(situation(world, wrong).actions).not.toContain(through);
    expect(situation(world, wrong).actions).not.toContain('toggle');
    const right = play(world, ['pick up yellow key 1', 'turn right', through]);
    expect(right.position).toBe(4 * 8 + 4);
    expect(right.doors).toEqual([0]);
  });

  it('closes a door and opens it again without the key', () => {
    const world = drawn(LOCKED_ROOM);
    const state = play(world, [
      'pick up yellow key 1',
      'turn right',
      'go to yellow locked door 1',
      'toggle',
      'toggle',
    ]);
    expect(state.doors).toEqual([1]);
    expect(situation(world, state).actions).toContain('toggle and go through yellow closed door 1');
    expect(situation(world, { ...state, carrying: null, cells: [48, 54] }).actions).toContain(
      'toggle',
    );
  });
});

describe('BabyAI mission check', () => {
  it('completes "go to" on the step after which the agent faces the target, even in the middle of an action', () => {
    const world = drawn(ROOM, (find) => [[{ kind: 'goto', targets: find('red key') }]]);
    // The agent already faces the key at the start, but only an action counts.
    expect(solved(world, startState(0, world))).toBe(false);
    const state = play(world, ['turn left', 'turn right']);
    expect(solved(world, state)).toBe(true);
    const box = drawn(ROOM, (find) => [[{ kind: 'goto', targets: find('blue box') }]]);
    expect(solved(box, play(box, ['pick up blue box 1']))).toBe(true);
    expect(play(box, ['pick up blue box 1']).carrying).toBe(null);
  });

  it('accepts "pick up" only for an object that matches the mission', () => {
    const world = drawn(ROOM, (find) => [[{ kind: 'pickup', targets: find('blue box') }]]);
    expect(solved(world, play(world, ['pick up red key 1']))).toBe(false);
    expect(solved(world, play(world, ['pick up blue box 1']))).toBe(true);
  });

  it('does not count a "then" clause that is met too early', () => {
    const world = drawn(ROOM, (find) => [
      [{ kind: 'goto', targets: find('blue box') }],
      [{ kind: 'pickup', targets: find('red key') }],
    ]);
    const early = play(world, ['pick up red key 1', 'go to blue box 1']);
    expect(early.done).toBe(1);
    expect(expertActions(world).at(-1)).toBe('pick up red key 1');
    const again = situation(world, early);
    expect(again.actions).not.toContain('pick up red key 1');
  });

  it('accepts "and" clauses in any order; one step can complete a stage and start the next', () => {
    const world = drawn(ROOM, (find) => [
      [
        { kind: 'goto', targets: find('blue box') },
        { kind: 'pickup', targets: find('red key') },
      ],
      [{ kind: 'goto', targets: find('blue box') }],
    ]);
    const state = play(world, ['pick up red key 1', 'go to blue box 1']);
    expect(state.done).toBe(0b111);
    expect(solved(world, state)).toBe(true);
  });

  it('accepts "put next" only if a named object is beside the target, not diagonal to it', () => {
    const picture = `
##############
## . . . . .##
## . .ro . .##
## . . . . .##
##bk . ^ . .##
## . . . .gk##
##############`;
    const toBall = (name: string) =>
      drawn(picture, (find) => [
        [{ kind: 'putnext', targets: find(name), fixed: find('red ball') }],
      ]);
    const fetch = ['turn left', 'pick up blue key 1', 'turn right'];
    const beside = [...fetch, 'move forward', 'turn right', 'drop'];
    const diagonal = play(toBall('blue key'), [...fetch, 'drop']);
    expect(diagonal.cells).toContain(3 * 7 + 2);
    expect(diagonal.done).toBe(0);
    const put = play(toBall('blue key'), beside);
    expect(put.cells).toContain(3 * 7 + 3);
    expect(put.done).toBe(1);
    expect(play(toBall('green key'), beside).done).toBe(0);
  });

  it('requires an open door to be closed and opened again', () => {
    const world = drawn(
      `
################
## . . . . . .##
## . . . . . .##
## . . . . . .##
########Y_######
## . . . . . .##
## . . . ^ . .##
################`,
      (find) => [[{ kind: 'open', targets: find('yellow door') }]],
    );
    expect(expertActions(world)).toEqual(['go to yellow open door 1', 'toggle', 'toggle']);
  });
});

describe('BabyAI expert', () => {
  it('fetches the key, opens the door and picks up the object behind it', () => {
    const world = drawn(
      `
################
## . . . . . .##
## .ro . . . .##
## . . . . . .##
########YL######
## . . . . . .##
##yk . . ^ .bx##
################`,
      (find) => [[{ kind: 'pickup', targets: find('red ball') }]],
    );
    const actions = expertActions(world);
    expect(actions).toContain('pick up yellow key 1');
    expect(actions).toContain('toggle and go through yellow locked door 1');
    expect(actions).toContain('drop');
    expect(actions.at(-1)).toBe('pick up red ball 1');
  });

  it('clears a blocked path and gives the reason', () => {
    const world = drawn(
      `
##############
## . .ro . .##
####gx########
## . . . . .##
## . ^ . . .##
## . . . . .##
##############`,
      (find) => [[{ kind: 'goto', targets: find('red ball') }]],
    );
    const here = situation(world, startState(0, world));
    expect(decide(world, startState(0, world), here)).toEqual({
      action: 'pick up green box 1',
      thought: 'The green box is in the way. I pick it up.',
    });
    expect(expertActions(world)).toHaveLength(2);
  });

  it('gives reasons in the wording of the goal', () => {
    const world = drawn(ROOM, (find) => [[{ kind: 'goto', targets: find('blue box') }]]);
    const thought = (state: BabyAIState) => decide(world, state, situation(world, state))?.thought;
    const start = startState(0, world);
    expect(thought(start)).toBe('I see the blue box. I go to it.');
    expect(thought({ ...start, direction: 1 })).toBe('I do not see the blue box. I look around.');
  });

  it.each(['goto-obj', 'goto-local'])(
    'takes at most 4 primitive steps more than the shortest path in %s',
    (id) => {
      const environment = createBabyAI(level(id));
      const worldOf = rememberTasks(settingOf(level(id)));
      for (const task of environment.trainTasks.slice(0, 80)) {
        let { state } = environment.reset(task);
        const shortest = shortestWay(worldOf(state.task), state);
        while (!environment.success(state)) {
          ({ state } = environment.step(state, environment.expert(state).action));
        }
        expect(state.steps).toBeGreaterThanOrEqual(shortest);
        expect(state.steps).toBeLessThanOrEqual(shortest + 4);
      }
    },
  );
});

/** Fewest primitive steps to face a target of a "go to" mission, by breadth-first search. */
function shortestWay(world: World, state: BabyAIState): number {
  const grid = gridOf(world, state);
  const targets = world.mission.stages.flat().flatMap((clause) => clause.targets);
  const cells = new Set(targets.map((entity) => world.things[entity]?.cell));
  const seen = new Set([state.position * 4 + state.direction]);
  let frontier = [...seen];
  for (let steps = 1; frontier.length > 0; steps++) {
    const next: number[] = [];
    for (const node of frontier) {
      const cell = node >> 2;
      const heading = node & 3;
      const front = cell + offset(world.side, heading);
      const reached = [cell * 4 + ((heading + 1) & 3), cell * 4 + ((heading + 3) & 3)];
      if (grid[front] === 0) reached.push(front * 4 + heading);
      for (const other of reached) {
        if (seen.has(other)) continue;
        seen.add(other);
        next.push(other);
        if (cells.has((other >> 2) + offset(world.side, other & 3))) return steps;
      }
    }
    frontier = next;
  }
  return Number.POSITIVE_INFINITY;
}

describe('BabyAI environment', () => {
  it('scales the reward by primitive steps, as MiniGrid does, even if the mission takes one turn', () => {
    expect(rewardFor(8, 64)).toBeCloseTo(0.8875, 12);
    expect(rewardFor(1000, 64)).toBeCloseTo(0.1, 12);
    const environment = createBabyAI(level('goto-local'));
    const { state } = environment.reset('babyai_0');
    const end = environment.step(state, environment.expert(state).action);
    expect(end.terminated).toBe(true);
    expect(end.state.turn).toBe(1);
    expect(end.reward).toBeCloseTo(1 - (0.9 * end.state.steps) / 64, 12);
    expect(end.observation).toBe('The task is completed.');
    expect(() => environment.step(end.state, 'turn left')).toThrow(EpisodeOverError);
  });

  it('distinguishes texts that are not actions from actions that are impossible now', () => {
    const environment = createBabyAI(level('goto-local'));
    const { state } = environment.reset('babyai_0');
    for (const action of ['go to red ball 9', 'drop', 'go through blue open door 1']) {
      const after = environment.step(state, action);
      expect(after).toMatchObject({ understood: true, reward: 0 });
      expect(after.observation).toMatch(/^You cannot do that now\. In front of you/);
      expect(after.state).toEqual({ ...state, turn: 1 });
    }
    for (const action of [
      'Go to red ball 1',
      'go to red ball',
      'go to pink ball 1',
      'pickup',
      '',
    ]) {
      const after = environment.step(state, action);
      expect(after).toMatchObject({ understood: false, reward: 0 });
      expect(after.observation).toMatch(/^Unknown action\. In front of you/);
    }
  });

  it('states the goal once or in every observation, and optionally lists the actions', () => {
    const texts = (options: Record<string, string>) => {
      const environment = createBabyAI(level('goto-local'), options);
      const first = environment.reset('babyai_0');
      return [first.observation, environment.step(first.state, 'turn left').observation];
    };
    const [first = '', second = ''] = texts({});
    expect(first).toMatch(/^Your goal: go to the green key\. In front of you in this room/);
    expect(first).toMatch(
      /Available actions: \[turn left, turn right, move forward, pick up .*\]$/,
    );
    expect(second).not.toContain('Your goal');
    const [short = '', again = ''] = texts({ goal: 'always', actions: 'hidden' });
    expect(short).not.toContain('Available');
    expect(again).toMatch(/^Your goal: go to the green key\. /);
    expect(first.startsWith(short)).toBe(true);
  });

  it('terminates after the last turn', () => {
    const environment = createBabyAI(level('goto-obj'));
    let { state } = environment.reset('babyai_3');
    for (let turn = 1; turn < environment.turnLimit; turn++) {
      const after = environment.step(state, '');
      expect(after.terminated).toBe(false);
      state = after.state;
    }
    const end = environment.step(state, '');
    expect(end).toMatchObject({ terminated: true, reward: 0 });
    expect(end.observation).toBe('Unknown action. You have no turns left.');
    expect(environment.success(end.state)).toBe(false);
  });

  it('throws an EnvironmentOptionError for every invalid option', () => {
    for (const options of [
      { room_size: 4 },
      { room_size: 5.5 },
      { actions: 'some' },
      { size: 5 },
    ]) {
      for (const family of babyaiFamilies) {
        expect(() => family.create(options)).toThrow(EnvironmentOptionError);
      }
    }
  });

  it('has one family per supported level of the original BabyAI', () => {
    expect(babyaiFamilies.map(({ id }) => id)).toEqual(
      [
        'goto-red-ball',
        'goto-obj',
        'goto-local',
        'goto-door',
        'pickup-loc',
        'open',
        'unlock-local',
        'put-next-local',
        'goto',
        'goto-seq',
        'synth',
        'boss-level',
      ].map((id) => `babyai/${id}-v1`),
    );
  });
});

describe('BabyAI task generator', () => {
  it('never puts a layout into both splits, even if there are few layouts', () => {
    const worldOf = rememberTasks(settingOf(level('goto-obj'), { room_size: 5 }));
    const evaluation = new Set(
      Array.from({ length: 128 }, (_, k) => worldHash(worldOf(100_000 + k))),
    );
    for (let n = 0; n < 400; n++) expect(evaluation.has(worldHash(worldOf(n)))).toBe(false);
  });

  it('writes "the" for a single match and "a" for several, and accepts every match', () => {
    const worldOf = rememberTasks(settingOf(level('goto-local')));
    const articles = new Set<string>();
    for (let n = 0; n < 100; n++) {
      const { mission, things } = worldOf(n);
      const [, article = '', name = ''] = /^go to (the|a) (.+)$/.exec(mission.text) ?? [];
      const fitting = things.flatMap(({ color, kind }, k) =>
        `${color} ${kind}` === name ? [k] : [],
      );
      expect(mission.stages).toEqual([[{ kind: 'goto', targets: fitting }]]);
      expect(article).toBe(fitting.length > 1 ? 'a' : 'the');
      articles.add(article);
    }
    expect(articles.size).toBe(2);
  });

  it("states locations relative to the agent's start", () => {
    const worldOf = rememberTasks(settingOf(level('pickup-loc')));
    const found = new Set<string>();
    for (let n = 0; n < 150; n++) {
      const { mission, things, start, side } = worldOf(n);
      const where = /(on your left|on your right|in front of you|behind you)$/.exec(
        mission.text,
      )?.[0];
      if (where === undefined) continue;
      found.add(where);
      for (const entity of mission.stages.flat().flatMap((clause) => clause.targets)) {
        const cell = things[entity]?.cell ?? 0;
        const east = (cell % side) - (start.cell % side);
        const south = Math.floor(cell / side) - Math.floor(start.cell / side);
        const ahead = [east, south, -east, -south][start.direction] ?? 0;
        const right = [south, -east, -south, east][start.direction] ?? 0;
        const holds = {
          'on your left': right < 0,
          'on your right': right > 0,
          'in front of you': ahead > 0,
          'behind you': ahead < 0,
        }[where];
        expect(holds, `${n}: ${mission.text}`).toBe(true);
      }
    }
    expect(found.size).toBe(4);
  });

  it('draws missions of every form for the boss level', () => {
    const worldOf = rememberTasks(settingOf(level('boss-level')));
    const missions = Array.from({ length: 60 }, (_, n) => worldOf(n).mission);
    for (const words of ['go to', 'pick up', 'open', 'put', ', then ', ' after you ', ' and ']) {
      expect(missions.some(({ text }) => text.includes(words))).toBe(true);
    }
    for (const { text, stages } of missions) {
      const parts = text.split(/, then | after you /).map((part) => part.split(' and ').length);
      if (text.includes(' after you ')) parts.reverse();
      expect(stages.map((stage) => stage.length)).toEqual(parts);
    }
  });

  it('keeps objects and the agent in separate cells after any action', () => {
    const environment = createBabyAI(level('boss-level'), { room_size: 5 });
    const worldOf = rememberTasks(settingOf(level('boss-level'), { room_size: 5 }));
    const property = fc.property(
      fc.constantFrom(...environment.trainTasks.slice(0, 50)),
      fc.array(fc.nat(), { maxLength: 60 }),
      (task, choices) => {
        let { state } = environment.reset(task);
        const world = worldOf(state.task);
        for (const choice of choices) {
          const actions = environment.admissibleActions(state);
          const action = actions[choice % actions.length];
          if (action === undefined) break;
          ({ state } = environment.step(state, action));
          const lying = state.cells.filter((cell) => cell >= 0);
          expect(lying).toHaveLength(world.things.length - (state.carrying === null ? 0 : 1));
          expect(new Set([...lying, state.position]).size).toBe(lying.length + 1);
          for (const cell of [...lying, state.position]) expect(world.walls[cell]).toBe(0);
          const doorCells = world.doors.map(({ cell }) => cell);
          expect(lying.some((cell) => doorCells.includes(cell))).toBe(false);
        }
      },
    );
    fc.assert(property, { seed: 11, numRuns: 30 });
  });
});
