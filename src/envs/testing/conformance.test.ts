import { describe, expect, it } from 'vitest';
import { WordTokenizer } from '../../policy/tokenizer.ts';
import { mazeFamily } from '../maze/environment.ts';
import type { MazeState } from '../maze/variant.ts';
import { doubleT } from '../maze/variants.ts';
import type { Environment, EnvironmentFamily } from '../types.ts';
import {
  boundaryOptions,
  type ConformanceSettings,
  conformanceViolations,
  expertActions,
  fingerprint,
  readingFault,
} from './conformance.ts';

describe('conformance checker', () => {
  const sound = mazeFamily(doubleT);
  const settings: ConformanceSettings = {
    sizes: { tasks: 5, episodes: 10, actions: 200, table: true },
    seed: 7,
    reward: 'success',
    fingerprint: fingerprint(sound.create()),
    recoversAfter: 0.5,
    unwritten: 0,
    documented: null,
  };
  type Maze = Environment<MazeState>;
  let count = 0;

  const faults: [string, RegExp, (maze: Maze) => Partial<Maze>][] = [
    [
      'a word outside the lexicon',
      /cannot be encoded with the lexicon: "sunny" is decoded as "<unk>"/,
      (maze) => ({ reset: (id) => ({ ...maze.reset(id), observation: 'sunny' }) }),
    ],
    [
      'evaluation tasks whose actions training never shows',
      /evaluation tasks need a lexeme that the expert never writes in training \(maze_/,
      // From the cell above the goal the expert only moves down.
      (maze) => ({
        shownTasks: maze.trainTasks.filter((task) =>
          expertActions(maze, task).every((action) => action === 'move down'),
        ),
      }),
    ],
    [
      'a step that depends on hidden state',
      /gives a different result/,
      (maze) => ({
        step: (state, action) => ({
          ...maze.step(state, action),
          observation: count++ % 2 === 0 ? 'There' : 'are',
        }),
      }),
    ],
    [
      'a step that mutates its state',
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
      'a reply that does not mention the unknown action',
      /does not say that it was not understood/,
      (maze) => ({
        step: (state, action) => {
          const after = maze.step(state, action);
          return { ...after, observation: after.observation.replace('Unknown action. ', '') };
        },
      }),
    ],
    [
      'a reward before success',
      /reward 0.01, expected 0/,
      (maze) => ({
        step: (state, action) => {
          const after = maze.step(state, action);
          return { ...after, reward: after.reward === 0 ? 0.01 : after.reward };
        },
      }),
    ],
    [
      'an expert that always moves up',
      /the expert does not solve/,
      () => ({ expert: () => ({ thought: 'I move.', action: 'move up' }) }),
    ],
    [
      'undeclared shared tasks',
      /its holdout does not say so/,
      ({ holdout }) => ({ holdout: { ...holdout, sameTasks: false } }),
    ],
    [
      'a training task under another id',
      /maze_0b is a training task under another id/,
      (maze) => ({
        evalTasks: ['maze_0b'],
        holdout: {
          ...maze.holdout,
          sameTasks: false,
          aspects: [{ ...maze.holdout.aspects[0], apart: true, asks: () => 'maze_0' }],
        },
        reset: (id) => maze.reset(id === 'maze_0b' ? 'maze_0' : id),
      }),
    ],
    [
      'overlap in an aspect that is declared to be held out',
      /training shows 5 of the 5 rows that evaluation asks/,
      ({ holdout: { aspects, ...rest } }) => ({
        holdout: {
          ...rest,
          aspects: [
            aspects[0],
            { name: 'rows', apart: true, asks: () => 'first', shows: () => ['first'] },
          ],
        },
      }),
    ],
    [
      'ids that changed their meaning',
      /the fingerprint of its tasks is [0-9a-f]{8}, expected/,
      (maze) => ({
        reset: (id) => maze.reset(id === 'maze_0' ? 'maze_1' : id),
      }),
    ],
    [
      'a reset that accepts any id',
      /does not throw UnknownTaskError/,
      (maze) => ({
        reset: (id) => maze.reset(maze.trainTasks.includes(id) ? id : 'maze_0'),
      }),
    ],
    ['an empty instruction', /its instruction is empty/, () => ({ instruction: ' ' })],
    [
      'an empty thought',
      /a thought is empty/,
      (maze) => ({ expert: (state) => ({ ...maze.expert(state), thought: '' }) }),
    ],
    [
      'a word of a thought outside both lexicons',
      /a thought cannot be encoded with the lexicon: "Perhaps\." is decoded as "<unk>/,
      (maze) => ({ expert: (state) => ({ ...maze.expert(state), thought: 'Perhaps.' }) }),
    ],
    [
      'a lexeme in both lexicons',
      /the lexeme "Success" is listed twice/,
      (maze) => ({ thoughtLexicon: [...maze.thoughtLexicon, 'Success'] }),
    ],
    [
      'a lexeme that no tokenizer accepts',
      /must be words with single spaces/,
      (maze) => ({ thoughtLexicon: [...maze.thoughtLexicon, 'two  spaces'] }),
    ],
    [
      'a lexeme with a line break',
      /contains white space other than spaces/,
      (maze) => ({ lexicon: [...maze.lexicon, 'two\nlines'] }),
    ],
    [
      'an observation that is too long',
      /has \d{5} characters/,
      (maze) => ({
        step: (state, action) => {
          const after = maze.step(state, action);
          return { ...after, observation: Array(250).fill(after.observation).join(' ') };
        },
      }),
    ],
    [
      'an episode that continues after its last turn',
      /does not end after exactly 30 empty actions/,
      () => ({ turnLimit: 30 }),
    ],
    [
      'an expert that throws after random play',
      /the expert throws Error: lost after/,
      (maze) => ({
        expert: (state) => {
          if (state.moves.length > 15) throw new Error('lost');
          return maze.expert(state);
        },
      }),
    ],
    [
      'an expert that fails after turning back',
      /the expert does not solve its task after/,
      (maze) => ({
        expert: (state) => {
          const lost = state.moves.includes('lrl') || state.moves.includes('dud');
          const [first = ''] = maze.admissibleActions(state);
          const plan = maze.expert(state);
          return lost ? { ...plan, action: first } : plan;
        },
      }),
    ],
    [
      'an unusual malformed action that throws',
      /makes step throw RangeError/,
      (maze) => ({
        step: (state, action) => {
          if (/[A-Z]/.test(action)) throw new RangeError('capitals');
          return maze.step(state, action);
        },
      }),
    ],
    [
      'a located state that differs from the actual one',
      /locate returns a different state for the first observation/,
      (maze) => ({ locate: () => maze.reset('maze_0').state }),
    ],
    [
      'a state located for any text',
      /locate returns a state for /,
      (maze) => ({ locate: () => maze.reset('maze_0').state }),
    ],
    [
      'states that are never located',
      /locate returns null for every first observation/,
      () => ({ locate: () => null }),
    ],
  ];

  const broken = (change: (maze: Maze) => Partial<Maze>): EnvironmentFamily => ({
    ...sound,
    create: (options) => {
      const maze = sound.create(options);
      return { ...maze, ...change(maze) };
    },
  });

  it('reports nothing for a correct environment', () => {
    expect(
      conformanceViolations(
        broken(() => ({})),
        {},
        settings,
      ),
    ).toEqual([]);
  });

  it('reports the fingerprint to record if none is recorded', () => {
    const unwritten = { ...settings, fingerprint: undefined };
    expect(conformanceViolations(sound, {}, unwritten)).toEqual([
      `no fingerprint of its tasks is recorded; add '${settings.fingerprint}'`,
    ]);
  });

  it('reports the documentation line that is missing', () => {
    expect(conformanceViolations(sound, {}, { ...settings, documented: [] })).toEqual([
      'docs/ENVIRONMENTS.md lacks the line for maze/double-t-v1; add\n| `maze/double-t-v1` | 25 | – | starts: 25 of 25; first observations: 25 of 25 |',
    ]);
  });

  it.each(faults)('reports %s', (_name, message, change) => {
    const violations = conformanceViolations(broken(change), {}, settings);
    expect(violations.join('\n')).toMatch(message);
  });
});

describe('readingFault', () => {
  it('quotes the text from the first word that the tokenizer changes', () => {
    const tokenizer = new WordTokenizer(['move up', 'now', '.']);
    expect(readingFault('move up now.', tokenizer)).toBe(null);
    expect(readingFault('now move down now', tokenizer)).toBe(
      'cannot be encoded with the lexicon: "move down now" is decoded as "<unk> <unk> now"',
    );
    expect(readingFault('now  now', tokenizer)).toMatch(/is decoded as/);
    expect(readingFault('now .', tokenizer)).toMatch(/is decoded as "now\."$/);
  });
});

describe('boundaryOptions', () => {
  it('sets one option at a time to each of its extremes or other choices', () => {
    const family: EnvironmentFamily = {
      ...mazeFamily(doubleT),
      options: {
        size: { type: 'number', description: '', default: 5, min: 5, max: 9, step: 2 },
        view: { type: 'choice', description: '', default: 'all', choices: ['all', 'near', 'none'] },
        words: { type: 'text', description: '', default: '', most: 10, fault: () => null },
      },
    };
    expect(boundaryOptions(family)).toEqual([{}, { size: 9 }, { view: 'near' }, { view: 'none' }]);
  });
});
