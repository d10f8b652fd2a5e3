import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byTier } from '../../../scripts/tier.mjs';
import { createEnvironment, environmentFamilies } from '../../envs/registry.ts';
import type { Environment, EnvironmentOptions } from '../../envs/types.ts';
import { fileLimits } from '../../files/limits.ts';
import type { EpisodeRecord, EpisodeTurn } from '../../runs/episode.ts';
import { agentTrajItem, readAgentTraj, writeAgentTraj } from './agent-traj.ts';
import { readRolloutLog, rolloutLogItem, rolloutLogPath, writeRolloutLog } from './rollout-log.ts';
import elsewhere from './testing/maze-elsewhere.json';
import { checkFileSize, readReAct, TrajectoryFileError, writeReAct } from './trajectory-file.ts';
import { importTrajectories, readTrajectoryFile } from './trajectory-import.ts';

const made = new Map<string, Environment>();
function environmentOf(id: string, options: EnvironmentOptions): Environment {
  const key = JSON.stringify([id, options]);
  const environment = made.get(key) ?? createEnvironment(id, options);
  made.set(key, environment);
  return environment;
}

/** An expert episode in which some actions are replaced. */
function play(
  id: string,
  options: EnvironmentOptions,
  task: number,
  { thoughts = true, stray = [] as readonly number[], turns = Number.POSITIVE_INFINITY } = {},
): EpisodeRecord {
  const environment = environmentOf(id, options);
  const tasks = [...environment.trainTasks, ...environment.evalTasks];
  const taskId = tasks[task % tasks.length] ?? '';
  let { state, observation } = environment.reset(taskId);
  let terminated = false;
  const played: EpisodeTurn[] = [];
  while (!terminated && played.length < Math.min(environment.turnLimit, turns)) {
    const { thought, action: best } = environment.expert(state);
    const admissible = environment.admissibleActions(state);
    const astray = stray[played.length] ?? 0;
    const action =
      astray === 0
        ? best
        : astray === 1
          ? 'utter nonsense'
          : (admissible[astray % admissible.length] ?? best);
    const transition = environment.step(state, action);
    const { understood, reward } = transition;
    played.push({
      observation,
      thought: thoughts ? thought : '',
      tokens: [],
      action,
      understood,
      reward,
    });
    ({ state, observation, terminated } = transition);
    if (!terminated && environment.admissibleActions(state).length === 0) break;
  }
  return {
    environment: { id, options },
    taskId,
    turns: played,
    finalObservation: observation,
    success: environment.success(state),
    truncated: !terminated && played.length > 0,
    score: played.reduce((sum, turn) => sum + turn.reward, 0),
  };
}

const asAgentTraj = (records: readonly EpisodeRecord[]) => [...writeAgentTraj(records)].join('');
const asRolloutLog = (records: readonly EpisodeRecord[]) => [...writeRolloutLog(records)].join('');

/** The error message for a file with this text. */
function fault(text: string): string {
  try {
    readTrajectoryFile(text);
  } catch (error) {
    if (error instanceof TrajectoryFileError) return error.message;
    throw error;
  }
  throw new Error(`no error for ${text.slice(0, 200)}`);
}

const maze = play('maze/double-t-v1', {}, 7);

describe('a turn as text', () => {
  it('contains the thought and the action after their markers', () => {
    expect(writeReAct({ thought: 'Down.', action: 'move down' })).toBe(
      'Thought:\nDown.\n\nAction:\nmove down',
    );
    expect(writeReAct({ thought: '', action: 'move down' })).toBe(
      'Thought:\n\n\nAction:\nmove down',
    );
  });

  it('is parsed as AgentGym parses it', () => {
    expect(readReAct('Thought:\nDown.\n\nAction:\nmove down</s>')).toEqual({
      thought: 'Down.',
      action: 'move down',
    });
    expect(readReAct('So Action: is next. Action: go')).toEqual({
      thought: 'So Action: is next.',
      action: 'go',
    });
    expect(readReAct('<search>who</search>')).toEqual({
      thought: '',
      action: '<search>who</search>',
    });
  });
});

describe('an AgentTraj file', () => {
  it('matches the original field names, types and order', () => {
    const items: unknown = JSON.parse(asAgentTraj([maze, play('maze/generated-v2', {}, 3)]));
    if (!Array.isArray(items)) throw new Error('not a list');
    expect(items).toHaveLength(2);
    for (const item of items) {
      expect(Object.keys(item)).toEqual(['item_id', 'conversations']);
      expect(item.item_id).toMatch(/^maze_\d+$/);
      for (const [i, message] of item.conversations.entries()) {
        expect(Object.keys(message)).toEqual(['from', 'loss', 'value']);
        expect(message.from).toBe(i % 2 === 0 ? 'human' : 'gpt');
        expect(message.loss).toBe(i % 2 === 0 ? null : i > 1);
        expect(message.value).not.toBe('');
        if (i > 1 && i % 2 === 1) expect(message.value).toMatch(/^Thought:\n.*\n\nAction:\n.+$/s);
      }
      expect(item.conversations.length % 2).toBe(1);
      expect(item.conversations[0].value).toContain('Action:');
    }
    expect(items[0].conversations[2].value).toBe(maze.turns[0]?.observation);
    const { instruction } = createEnvironment('maze/double-t-v1');
    expect(items[0].conversations[0].value.startsWith(instruction)).toBe(true);
    expect(JSON.parse(asAgentTraj([]))).toEqual([]);
  });

  it('may contain tasks without a dialogue, and dialogues that end with the agent’s turn', () => {
    const text = '[\n{"item_id":"maze_7","conversations":null}\n]\n';
    const [task] = importTrajectories(text, []);
    expect(task && asAgentTraj([task.record])).toBe(text);
    expect(task).toMatchObject({
      replay: { kind: 'exact' },
      record: { taskId: 'maze_7', turns: [] },
    });

    // AgentGym's own task lists.
    const listed = JSON.stringify([
      { item_id: 'maze_7' },
      { item_id: 'maze_7', conversations: [] },
    ]);
    expect(importTrajectories(listed, [])).toEqual([task, task]);

    const item = agentTrajItem(maze, '');
    const cut = { ...item, conversations: item.conversations?.slice(0, -1) };
    const [ended] = importTrajectories(JSON.stringify([cut]), []);
    expect(ended?.replay.kind).toBe('exact');
    expect(ended?.record).toEqual(maze);
  });

  it('may contain dialogues without an instruction', () => {
    const item = agentTrajItem(maze, '');
    const bare = { ...item, conversations: item.conversations?.slice(2) };
    expect(importTrajectories(JSON.stringify([bare]), [])[0]?.record).toEqual(maze);
  });
});

describe('a rollout log', () => {
  it('matches the original field names, types and order', () => {
    const items: unknown = JSON.parse(asRolloutLog([maze]));
    expect(items).toMatchObject([{ item_id: 7, reward: maze.score }]);
    if (!Array.isArray(items)) throw new Error('not a list');
    expect(Object.keys(items[0])).toEqual(['item_id', 'conversations', 'reward']);
    for (const [i, message] of items[0].conversations.entries()) {
      expect(Object.keys(message)).toEqual(['role', 'content']);
      expect(message.role).toBe(i % 2 === 0 ? 'user' : 'assistant');
    }
    expect(rolloutLogPath(12)).toBe('step12/0.json');
  });

  it('may contain a system message and whole ids', () => {
    const item = rolloutLogItem(maze, '');
    const conversations = [{ role: 'system', content: 'You are helpful.' }, ...item.conversations];
    const text = JSON.stringify([{ ...item, item_id: 'maze_7', conversations }]);
    expect(readRolloutLog(text)).toEqual(
      readRolloutLog(asRolloutLog([maze])).map((read) => ({ ...read, itemId: 'maze_7' })),
    );
  });
});

describe('a round trip', () => {
  const episodes = fc.record({
    task: fc.nat(5000),
    thoughts: fc.boolean(),
    stray: fc.array(fc.nat(5), { maxLength: 6 }),
    turns: fc.integer({ min: 0, max: 12 }),
  });

  for (const { id } of environmentFamilies) {
    it(`restores episodes of ${id} unchanged in both layouts`, () => {
      fc.assert(
        fc.property(fc.array(episodes, { minLength: 1, maxLength: 3 }), (plans) => {
          const records = plans.map(({ task, ...plan }) => play(id, {}, task, plan));
          const present = [{ id, options: {} }];
          for (const text of [asAgentTraj(records), asRolloutLog(records)]) {
            const found = importTrajectories(text, present);
            expect(found.map(({ replay }) => replay.kind)).toEqual(records.map(() => 'exact'));
            expect(found.map(({ record }) => record)).toEqual(records);
          }
        }),
        { numRuns: byTier(2, 5, 20) },
      );
    });
  }

  it('restores the environment and its options without a current run', () => {
    const records = [
      play('maze/double-t-partial-v1', {}, 4),
      play('maze/generated-v2', { size: 11 }, 5, { turns: 9 }),
      play('maze/double-t-v1', {}, 6),
    ];
    for (const text of [asAgentTraj(records), asRolloutLog(records)]) {
      expect(importTrajectories(text, []).map(({ record }) => record)).toEqual(records);
    }
  });

  it('prefers the environments of the current run', () => {
    const record = play('maze/generated-v2', { size: 9, loops: 50 }, 5);
    const [found] = importTrajectories(asAgentTraj([record]), [record.environment]);
    expect(found?.record).toEqual(record);
  });
});

it('skips environments of the current run that cannot be created', () => {
  const present = [
    { id: 'remote/openenv-v1', options: { url: 'http://127.0.0.1:8000/openenv/maze' } },
    { id: 'written/python-v1', options: { code: '' } },
  ];
  const [found] = importTrajectories(asAgentTraj([maze]), present);
  expect(found?.record).toEqual(maze);
});

describe('the import of other tools’ files', () => {
  const read = (value: unknown) => importTrajectories(JSON.stringify(value), []);

  it('locates a maze by position if its walls are listed in another order', () => {
    const [found] = read(elsewhere);
    expect(found?.itemId).toBe('lmrlgym_maze_3');
    expect(found?.replay.kind).toBe('located');
    expect(found?.record.environment.id).toBe('maze/double-t-v1');
    expect(found?.record).toMatchObject({ success: true, score: 1 });
    expect(found?.record.turns.map(({ action }) => action)).toEqual([
      ...['move down', 'move right', 'move down', 'move right', 'move right'],
      ...['move down', 'move down', 'move down'],
    ]);
    expect(found?.record.turns[3]?.thought).toBe('No. On to the right.');
    const states = found?.replay.kind === 'located' ? found.replay.states : [];
    const environment = createEnvironment('maze/double-t-v1');
    expect(states).toHaveLength(9);
    expect(environment.success(states.at(-1))).toBe(true);
    const cell = (row: number, column: number) => ({ position: { row, column } });
    expect(states).toMatchObject([
      ...[cell(4, 3), cell(5, 3), cell(5, 4), cell(5, 4), cell(5, 5)],
      ...[cell(5, 6), cell(6, 6), cell(7, 6), cell(8, 6)],
    ]);
    // The view draws the task, which must start in the first of these states.
    expect(environment.reset(found?.record.taskId ?? '').state).toEqual(states[0]);
  });

  it('matches rephrased actions by the positions they lead to', () => {
    const text = JSON.stringify(elsewhere).replaceAll('Action:\\nmove ', 'Action:\\nwalk ');
    const [found] = importTrajectories(text, []);
    expect(found?.replay.kind).toBe('located');
    expect(found?.record.turns[0]?.action).toBe('walk down');
  });

  it('shows unknown dialogues as text, with the reason', () => {
    const conversations = [
      { from: 'human', loss: null, value: 'Buy a red shirt. [SEP] Search' },
      { from: 'gpt', loss: true, value: 'Thought:\nLook for it.\n\nAction:\nsearch[red shirt]' },
      { from: 'human', loss: null, value: 'Page 1 [SEP] B01' },
    ];
    const [found] = read([{ item_id: 'webshop_12', conversations }]);
    expect(found).toMatchObject({
      itemId: 'webshop_12',
      replay: { kind: 'text' },
      record: {
        environment: { id: 'webshop' },
        taskId: 'webshop_12',
        turns: [{ thought: 'Look for it.', action: 'search[red shirt]' }],
        finalObservation: 'Page 1 [SEP] B01',
        score: Number.NaN,
      },
    });
    expect(found?.replay.kind === 'text' && found.replay.why).toContain('webshop_12');
    const [told] = read([
      {
        item_id: 12,
        conversations: conversations.map(({ from, value }) => ({
          role: from === 'human' ? 'user' : 'assistant',
          content: value,
        })),
        reward: 1,
      },
    ]);
    expect(told?.record).toMatchObject({ success: true, score: 1 });
  });

  it('shows a dialogue as text if it leaves the maze', () => {
    const text = JSON.stringify(elsewhere);
    // A position that no single move reaches, and walls that no cell of the maze has.
    for (const [from, to] of [
      ['position 6, 6', 'position 4, 9'],
      [/There (is a wall|are walls) [a-z, ]*/g, 'There are no walls near you'],
    ] as const) {
      const [found] = importTrajectories(text.replaceAll(from, to), []);
      expect(found?.replay.kind).toBe('text');
    }
  });
});

describe('a malformed file', () => {
  const item = agentTrajItem(maze, '');
  const at = (
    path: readonly (string | number)[],
    value: unknown,
    items: unknown = [item, item],
  ) => {
    const copy: unknown = JSON.parse(JSON.stringify(items));
    let target: unknown = copy;
    for (const key of path.slice(0, -1)) target = Reflect.get(Object(target), key);
    const last = path.at(-1) ?? '';
    if (value === undefined) Reflect.deleteProperty(Object(target), last);
    else Reflect.set(Object(target), last, value);
    return JSON.stringify(copy);
  };

  it('is rejected with an error that names the item and the field', () => {
    expect(fault(at([1, 'conversations', 4, 'from'], 'bot'))).toBe(
      'Item 1 (maze_7): conversations[4].from must be "human" or "gpt", got "bot".',
    );
    expect(fault(at([0, 'conversations', 3, 'value'], 5))).toBe(
      'Item 0 (maze_7): conversations[3].value must be a string, got 5.',
    );
    expect(fault(at([0, 'conversations', 3, 'loss'], undefined))).toBe(
      'Item 0 (maze_7): conversations[3].loss must be true, false or null, got nothing.',
    );
    expect(fault(at([1, 'item_id'], undefined))).toBe(
      'Item 1: item_id must be a string, got nothing.',
    );
    expect(fault(at([1, 'item_id'], ''))).toBe(
      'Item 1 (): item_id must be a non-empty string, got "".',
    );
    expect(fault(at([0, 'conversations'], 'long ago'))).toBe(
      'Item 0 (maze_7): conversations must be a list of messages, or null for a task without a dialogue, got "long ago".',
    );
    expect(fault(at([0, 'conversations', 5], 'hello'))).toBe(
      'Item 0 (maze_7): conversations[5] must be an object with from, loss and value, got "hello".',
    );
    expect(fault(at([0, 'conversations', 4, 'from'], 'gpt'))).toBe(
      'Item 0 (maze_7): conversations[4].from must be "human", because messages alternate, got "gpt".',
    );
    expect(fault('["a"]')).toBe(
      'Item 0 must be an object with item_id and conversations, got "a".',
    );
  });

  it('is rejected with an error that names the item and the field in a rollout log', () => {
    const log = [rolloutLogItem(maze, '')];
    expect(fault(at([0, 'reward'], 'high', log))).toBe(
      'Item 0 (7): reward must be a number, got "high".',
    );
    expect(fault(at([0, 'conversations', 3, 'role'], 'tool', log))).toBe(
      'Item 0 (7): conversations[3].role must be "system", "user" or "assistant", got "tool".',
    );
    expect(fault(at([0, 'conversations', 2, 'role'], 'system', log))).toBe(
      'Item 0 (7): conversations[2].role must be "user" or "assistant" after the first message, got "system".',
    );
    expect(fault(at([0, 'item_id'], 1.5, log))).toBe(
      'Item 0 (1.5): item_id must be an integer or a non-empty string, got 1.5.',
    );
    expect(fault(JSON.stringify([...log, { item_id: 3, conversations: null, reward: 0 }]))).toBe(
      'Item 1 (3): conversations must be a list of messages, got null.',
    );
  });

  it('is rejected as a whole if it is empty, not a JSON list or too large', () => {
    expect(fault('')).toBe('The file is empty.');
    expect(fault(' \n')).toBe('The file is empty.');
    expect(fault('[]')).toBe('The file contains no items.');
    expect(fault('{"item_id": "maze_7"}')).toBe(
      'The file must contain a JSON list, got an object.',
    );
    expect(fault('[{"item_id":')).toMatch(/^The file is not JSON: .*\.$/);
    expect(() => checkFileSize(fileLimits.trajectories)).not.toThrow();
    expect(() => checkFileSize(fileLimits.trajectories + 1)).toThrow(
      'The file is 201 MB; the limit is 200 MB. Split it into smaller files.',
    );
  });

  it('never causes an error other than a single-line TrajectoryFileError', () => {
    const files = [asAgentTraj([maze]), asRolloutLog([maze])];
    const anything = fc.jsonValue({ maxDepth: 2 });
    fc.assert(
      fc.property(
        fc.constantFrom(...files),
        fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
        anything,
        (file, path, value) => {
          // Walks to a path in the file and replaces its value.
          const copy: unknown = JSON.parse(file);
          let target = copy;
          for (const step of path) {
            const keys = Object.keys(Object(target));
            const key = keys[step % Math.max(1, keys.length)];
            if (key === undefined) break;
            const child: unknown = Reflect.get(Object(target), key);
            if (typeof child !== 'object' || child === null || step === path.at(-1)) {
              Reflect.set(Object(target), key, value);
              break;
            }
            target = child;
          }
          try {
            importTrajectories(JSON.stringify(copy), []);
          } catch (error) {
            expect(error).toBeInstanceOf(TrajectoryFileError);
            expect(String(error)).not.toContain('\n');
          }
        },
      ),
      { numRuns: byTier(30, 100, 300) },
    );
  });

  it('is rejected when truncated anywhere', () => {
    const file = asAgentTraj([maze]);
    const lead = file.trimEnd().length;
    fc.assert(
      fc.property(fc.nat(lead - 1), (end) => {
        expect(fault(file.slice(0, end))).toMatch(/^The file is (empty|not JSON)/);
      }),
    );
  });

  it('is rejected if it has the other layout', () => {
    expect(() => readRolloutLog(asAgentTraj([maze]))).toThrow(TrajectoryFileError);
    expect(() => readAgentTraj(asRolloutLog([maze]))).toThrow(TrajectoryFileError);
  });
});
