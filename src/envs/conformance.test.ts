import { describe, expect, it } from 'vitest';
import {
  boundaryOptions,
  type ConformanceSettings,
  conformanceViolations,
  uncoveredWords,
} from './conformance.ts';
import { type MazeState, mazeFamily } from './maze/environment.ts';
import { doubleT } from './maze/variants.ts';
import { environmentFamilies } from './registry.ts';
import type { Environment, EnvironmentFamily } from './types.ts';

interface Expectations {
  readonly rewardOnSuccessOnly: boolean;
  /** Fingerprint by options, as JSON. A change breaks the meaning of published task ids. */
  readonly fingerprints: Readonly<Record<string, string>>;
}

const EXPECTATIONS: Readonly<Record<string, Expectations>> = {
  'maze/double-t-v1': { rewardOnSuccessOnly: true, fingerprints: { '{}': 'a7a57961' } },
  'maze/double-t-partial-v1': { rewardOnSuccessOnly: true, fingerprints: { '{}': '6cea84eb' } },
  'maze/generated-v1': {
    rewardOnSuccessOnly: true,
    fingerprints: {
      '{}': '2a02f18d',
      '{"size":5,"loops":0}': 'db7d6059',
      '{"size":5,"loops":100}': '13f982a5',
      '{"size":15,"loops":0}': '532696d8',
      '{"size":15,"loops":100}': '8e77aadd',
    },
  },
};

const cases = environmentFamilies.flatMap((family) =>
  boundaryOptions(family).map((options) => ({
    family,
    options,
    name: `${family.id} ${JSON.stringify(options)}`,
  })),
);

describe('every registered environment conforms', () => {
  it('has an id of its own', () => {
    const ids = environmentFamilies.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(cases)('$name', ({ family, options }) => {
    const expectations = EXPECTATIONS[family.id];
    expect(expectations, `add ${family.id} to EXPECTATIONS`).toBeDefined();
    const violations = conformanceViolations(family, options, {
      tasks: 20,
      seed: 7,
      rewardOnSuccessOnly: expectations?.rewardOnSuccessOnly ?? false,
      fingerprint: expectations?.fingerprints[JSON.stringify(options)] ?? 'not written down',
    });
    expect(violations).toEqual([]);
  });
});

describe('the checker finds what is broken', () => {
  const settings: ConformanceSettings = {
    tasks: 5,
    seed: 7,
    rewardOnSuccessOnly: true,
    fingerprint: EXPECTATIONS['maze/double-t-v1']?.fingerprints['{}'] ?? '',
  };
  const sound = mazeFamily(doubleT);
  type Maze = Environment<MazeState>;
  let count = 0;

  const faults: [string, RegExp, (maze: Maze) => Partial<Maze>][] = [
    [
      'a word outside the lexicon',
      /"sunny", which is not in the lexicon/,
      (maze) => ({ reset: (id) => ({ ...maze.reset(id), observation: 'sunny' }) }),
    ],
    [
      'a step that depends on hidden state',
      /gives another result/,
      (maze) => ({
        step: (state, action) => ({
          ...maze.step(state, action),
          observation: count++ % 2 === 0 ? 'There' : 'are',
        }),
      }),
    ],
    [
      'a step that writes into its state',
      /read only|read-only|changed in place/,
      (maze) => ({
        step: (state, action) => {
          const after = maze.step(state, action);
          Object.assign(state, { turn: state.turn + 1 });
          return after;
        },
      }),
    ],
    [
      'an unknown action taken for a move',
      /counts as understood/,
      (maze) => ({ step: (state, action) => maze.step(state, action.trim()) }),
    ],
    [
      'an unknown action that throws',
      /makes step throw/,
      (maze) => ({
        step: (state, action) => {
          if (action === '') throw new Error('no action');
          return maze.step(state, action);
        },
      }),
    ],
    [
      'an unknown action that is not answered',
      /does not say that it was not understood/,
      (maze) => ({
        step: (state, action) => {
          const after = maze.step(state, action);
          return { ...after, observation: after.observation.replace('Unknown action. ', '') };
        },
      }),
    ],
    [
      'a reward on the way',
      /reward 0.01 where 0 is due/,
      (maze) => ({
        step: (state, action) => {
          const after = maze.step(state, action);
          return { ...after, reward: after.reward === 0 ? 0.01 : after.reward };
        },
      }),
    ],
    [
      'an expert that stands still',
      /the expert does not solve/,
      () => ({ expert: () => 'move up' }),
    ],
    [
      'tasks shared without a reason',
      /tasksOverlap does not say why/,
      (maze) => {
        const { tasksOverlap: _, ...rest } = maze;
        return { ...rest, tasksOverlap: undefined } as unknown as Partial<Maze>;
      },
    ],
    [
      'ids that changed their meaning',
      /the fingerprint of its tasks is [0-9a-f]{8}, no longer/,
      (maze) => ({
        reset: (id) => maze.reset(id === 'maze_0' ? 'maze_1' : id),
      }),
    ],
    [
      'a start for any id',
      /does not throw UnknownTaskError/,
      (maze) => ({
        reset: (id) => maze.reset(maze.trainTasks.includes(id) ? id : 'maze_0'),
      }),
    ],
  ];

  const broken = (change: (maze: Maze) => Partial<Maze>): EnvironmentFamily => ({
    ...sound,
    create: (options) => {
      const maze = sound.create(options);
      return { ...maze, ...change(maze) };
    },
  });

  it.each(faults)('%s', (_name, message, change) => {
    let violations: string[];
    try {
      violations = conformanceViolations(broken(change), {}, settings);
    } catch (thrown) {
      violations = [String(thrown)];
    }
    expect(violations.join('\n')).toMatch(message);
  });

  it('reads text with the longest lexeme first', () => {
    expect(uncoveredWords('move up now', ['move up', 'now'])).toEqual([]);
    expect(uncoveredWords('move down now', ['move up', 'now'])).toEqual(['move', 'down']);
    expect(uncoveredWords('now  now', ['now'])).toEqual(['']);
  });
});
