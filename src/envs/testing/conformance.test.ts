import { describe, expect, it } from 'vitest';
import { Tokenizer } from '../../policy/tokenizer.ts';
import { type MazeState, mazeFamily } from '../maze/environment.ts';
import { doubleT } from '../maze/variants.ts';
import type { Environment, EnvironmentFamily } from '../types.ts';
import {
  boundaryOptions,
  type ConformanceSettings,
  conformanceViolations,
  fingerprint,
  readingFault,
} from './conformance.ts';

describe('the checker finds what is broken', () => {
  const sound = mazeFamily(doubleT);
  const settings: ConformanceSettings = {
    sizes: { tasks: 5, episodes: 10, actions: 200 },
    seed: 7,
    reward: 'success',
    fingerprint: fingerprint(sound.create()),
    recoversAfter: 0.5,
  };
  type Maze = Environment<MazeState>;
  let count = 0;

  const faults: [string, RegExp, (maze: Maze) => Partial<Maze>][] = [
    [
      'a word outside the lexicon',
      /is not made of its lexicon: "sunny" is read as "<unk>"/,
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
      /read only/,
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
      () => ({ expert: () => ({ thought: 'I move.', action: 'move up' }) }),
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
    const violations = conformanceViolations(broken(change), {}, settings);
    expect(violations.join('\n')).toMatch(message);
  });
});

describe('readingFault', () => {
  it('shows what a tokenizer makes of a text from the first word that it reads otherwise', () => {
    const tokenizer = new Tokenizer(['move up', 'now', '.']);
    expect(readingFault('move up now.', tokenizer)).toBe(null);
    expect(readingFault('now move down now', tokenizer)).toBe(
      'is not made of its lexicon: "move down now" is read as "<unk> <unk> now"',
    );
    expect(readingFault('now  now', tokenizer)).toMatch(/is read as/);
    expect(readingFault('now .', tokenizer)).toMatch(/is read as "now\."$/);
  });
});

describe('boundaryOptions', () => {
  it('moves one option at a time from its default to its extremes or other choices', () => {
    const family: EnvironmentFamily = {
      ...mazeFamily(doubleT),
      options: {
        size: { type: 'number', description: '', default: 5, min: 5, max: 9, step: 2 },
        view: { type: 'choice', description: '', default: 'all', choices: ['all', 'near', 'none'] },
        words: { type: 'text', description: '', default: '', fault: () => null },
      },
    };
    expect(boundaryOptions(family)).toEqual([{}, { size: 9 }, { view: 'near' }, { view: 'none' }]);
  });
});
