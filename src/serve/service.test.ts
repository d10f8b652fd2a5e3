import { describe, expect, it } from 'vitest';
import { act, begin, type Standing } from '../envs/episode.ts';
import type { Environment } from '../envs/types.ts';
import { dialects } from './dialects/index.ts';
import {
  Client,
  type ClientName,
  clientNames,
  messageOf,
  type StepOutput,
} from './testing/client.ts';
import { type TestService, testService } from './testing/service.ts';

/** An episode that the environment's expert plays over the protocol, and the same episode locally. */
async function playAsExpert(test: TestService, name: ClientName, index: number) {
  const served = test.served.find(({ dialect }) => dialect.path === name);
  if (served === undefined) throw new Error(`${name} is not served`);
  const found = served.tasks().find(index);
  if (found === undefined) throw new Error(`${name} has no task ${index}`);
  const { environment, task } = found;
  const client = new Client(name, test.send);
  await client.create();
  await client.reset(index);
  const first = await client.observe();
  let at: Standing = begin(environment, task);
  const steps: (StepOutput & { readonly own: number })[] = [];
  while (!at.terminated) {
    const { action } = environment.expert(at.state);
    const after = act(environment, at, action);
    steps.push({ ...(await client.step(messageOf(name, action))), own: after.reward });
    at = after;
  }
  await client.close();
  return { first, steps, solved: environment.success(at.state) };
}

const scaled = ['babyai', 'sciworld'];

describe('an unmodified client', () => {
  it.each(clientNames)('solves %s with the expert’s actions', async (name) => {
    const test = testService();
    for (const index of [3, 0, name === 'maze' ? 24 : 5]) {
      const { first, steps, solved } = await playAsExpert(test, name, index);
      expect(first.length).toBeGreaterThan(10);
      expect(solved).toBe(true);
      expect(steps.at(-1)?.done).toBe(true);
      expect(steps.slice(0, -1).every(({ done }) => !done)).toBe(true);
      const rewards = steps.map(({ reward }) => reward);
      const own = steps.map((step) => step.own);
      if (!scaled.includes(name)) expect(rewards).toEqual(own);
      // Their clients use the score, which accumulates, as the reward.
      if (name === 'babyai') expect(rewards.at(-1)).toBeCloseTo(own.at(-1) ?? 0);
      if (name === 'sciworld') expect(rewards.at(-1)).toBe(100);
    }
    expect(test.service.open).toBe(name === 'maze' || name === 'wordle' ? 3 : 0);
    expect(test.log).toEqual([]);
  });

  it('works with an address that ends in a slash', async () => {
    const { send } = testService();
    for (const name of clientNames) {
      const client = new Client(name, send, `/${name}/`);
      await client.create();
      await client.reset(1);
      expect(client.id).toBe(0);
    }
  });

  it('gets environment ids that start at 0 on each path and are never reused', async () => {
    const { send } = testService();
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) {
      const client = new Client('babyai', send);
      await client.create();
      ids.push(client.id);
      await client.close();
    }
    const other = new Client('searchqa', send);
    await other.create();
    expect([...ids, other.id]).toEqual([0, 1, 2, 0]);
  });

  it('may create an environment without resetting it, or start another task before the current one ends', async () => {
    const { send } = testService();
    const client = new Client('textcraft', send);
    await client.create();
    await client.close();
    await client.create();
    await client.reset(0);
    await client.step('Action: inventory');
    await client.reset(1);
    expect(client.observed).toContain('Goal: craft');
  });

  it('plays the 256 parallel episodes of an AgentGym-RL training step', async () => {
    const test = testService();
    const dataset = new Client('textcraft', test.send);
    await dataset.create();
    const clients = Array.from({ length: 256 }, () => new Client('textcraft', test.send));
    await Promise.all(clients.map((client) => client.create()));
    // Resets in sequence, then the steps in parallel, then closes in sequence.
    for (const [i, client] of clients.entries()) await client.reset(i);
    for (let round = 0; round < 3; round++) {
      const outputs = await Promise.all(clients.map((client) => client.step('Action: inventory')));
      expect(outputs.every(({ state }) => state.startsWith('Inventory:'))).toBe(true);
    }
    expect(test.service.open).toBe(257);
    for (const client of clients) await client.close();
    expect(test.service.open).toBe(1);
  });
});

const environmentOf = ({ served }: TestService, path: string): Environment => {
  const tasks = served.find(({ dialect }) => dialect.path === path)?.tasks();
  const environment = tasks?.find(tasks.train[0] ?? -1)?.environment;
  if (environment === undefined) throw new Error(`${path} is not served`);
  return environment;
};

/** A client that has started a task. */
async function begun(name: ClientName, index: number, test = testService()): Promise<Client> {
  const client = new Client(name, test.send);
  await client.create();
  await client.reset(index);
  return client;
}

describe('maze dialect', () => {
  it.each([
    [0, '1, 1'],
    [4, '1, 5'],
    [5, '1, 7'],
    [9, '1, 11'],
    [10, '2, 3'],
    [13, '5, 3'],
    [16, '5, 6'],
    [17, '6, 6'],
    [18, '7, 6'],
    [19, '5, 7'],
    [21, '5, 9'],
    [22, '4, 9'],
    [24, '2, 9'],
  ])('starts game %i at %s', async (game, start) => {
    const { observed } = await begun('maze', game);
    expect(observed).toContain(`Your current position is at position ${start}.`);
    expect(observed.endsWith('\n')).toBe(false);
  });

  it('rejects games beyond the last start', async () => {
    for (const game of [25, 26, 10 ** 9]) {
      await expect(begun('maze', game)).rejects.toThrow("KeyError: 'observation'");
    }
  });

  it('fails at the 51st step, and keeps the position after a text that is not an action', async () => {
    const client = await begun('maze', 0);
    const here = client.observed;
    for (let i = 0; i < 50; i++) {
      const output = await client.step('Action: jump');
      expect(output).toEqual({ state: here, reward: 0, done: false });
    }
    const last = await client.step('Action: move right');
    expect(last).toEqual({ state: 'Failure\n', reward: -1, done: true });
  });

  it('lets the 50th step reach the goal', async () => {
    const test = testService();
    const client = await begun('maze', 18, test);
    for (let i = 0; i < 49; i++) await client.step('Action: jump');
    expect(await client.step('Action: move down')).toEqual({
      ...{ state: 'Success\n', reward: 1, done: true },
    });
    await expect(client.step('Action: move up')).rejects.toThrow(
      'The task with environment 0 has finished.',
    );
  });

  it('lists its actions', () => {
    const { raw } = testService();
    raw('POST', '/maze/create');
    expect(raw('GET', '/maze/available_actions?id=0').body).toEqual([
      ...['move up', 'move down', 'move left', 'move right'],
    ]);
  });
});

describe('Wordle dialect', () => {
  it('lists its words before any reset', () => {
    const { raw } = testService();
    raw('POST', '/wordle/create');
    const words = raw('GET', '/wordle/filtered_vocab?id=0').body;
    expect(words).toHaveLength(32);
    expect(words).toContain('apple');
  });

  it('answers with a line of marks, and accepts any number as a seed', async () => {
    const client = await begun('wordle', 123_456_790);
    expect((await client.step('Action: h e a r t')).state).toMatch(/^[byg]( [byg]){4}\n$/);
    const invalid = await client.step('Action: x x x x x');
    expect(invalid).toEqual({ state: 'invalid word', reward: 0, done: false });
    for (let i = 0; i < 3; i++) await client.step('Action: none');
    expect((await client.step('Action: none')).done).toBe(true);
  });
});

describe('BabyAI dialect', () => {
  it('puts goal, view and actions on separate lines, and lists "pick up" as "pickup"', async () => {
    const test = testService();
    const listed: string[] = [];
    for (let index = 0; index < 48; index++) {
      const { observed } = await begun('babyai', index, test);
      const [goal = '', view = '', actions = ''] = observed.split('\n');
      expect(goal).toMatch(/^Your goal: [a-z ,]+$/);
      expect(goal).not.toMatch(/then|after you/);
      expect(view).toMatch(/^(?:In front of you|You cannot see)/);
      const list = JSON.parse(actions.replace('Available actions: ', '')) as string[];
      expect(list.at(-1)).toBe('check available actions');
      listed.push(...list);
    }
    expect(listed.some((action) => action.startsWith('pickup '))).toBe(true);
    expect(listed.some((action) => action.startsWith('pick up '))).toBe(false);
  });

  it('accepts both "pickup" and "pick up"', async () => {
    const test = testService();
    for (let index = 0; index < 48; index++) {
      const client = await begun('babyai', index, test);
      const listed = /"pickup ([^"]+)"/.exec(client.observed)?.[1];
      if (listed === undefined) continue;
      const first = await client.step(`Action: pickup ${listed}`);
      if (first.done) continue;
      await client.reset(index);
      expect(await client.step(`Action: pick up ${listed}`)).toEqual(first);
      expect(first.state).toContain('You are carrying a');
      return;
    }
    expect.unreachable('there is something to pick up');
  });

  it('lists the actions without counting a turn', async () => {
    const client = await begun('babyai', 0);
    const before = client.observed;
    for (let i = 0; i < 200; i++) await client.step('Action: check available actions');
    expect(client.observed).toBe(before);
  });

  it('alternates between the levels, in training and in evaluation', () => {
    const { served } = testService();
    const babyai = served.find(({ dialect }) => dialect.path === 'babyai');
    if (babyai === undefined) expect.unreachable();
    const tasks = babyai.tasks();
    const of = (number: number) => {
      const found = tasks.find(number);
      return `${found?.environment.id} ${found?.task}`;
    };
    expect(of(0)).toBe('babyai/goto-red-ball-v1 babyai_0');
    expect(of(13)).toBe('babyai/goto-obj-v1 babyai_1');
    expect(of(100_013)).toBe('babyai/goto-obj-v1 babyai_100001');
    expect([tasks.train.length, tasks.evaluation.length]).toEqual([12 * 1024, 12 * 128]);
    // In the original, any number seeds a layout.
    expect(of(12 * 1024)).toBe(of(0));
  });
});

describe('TextCraft dialect', () => {
  it('starts with the first task, one command per line', () => {
    const { raw } = testService();
    const { body } = raw('POST', '/textcraft/create');
    expect(body).toMatchObject({ id: 0, reward: 0, done: false });
    const { observation } = body as { observation: string };
    expect(observation).toMatch(
      /^Crafting commands:\n(?:craft \d+ [^\n]+\n)+\nGoal: craft [a-z ]+\.$/,
    );
    expect(raw('GET', '/textcraft/observation?id=0').body).toBe(observation);
  });

  it('names a command that it could not execute, and has no turn limit', async () => {
    const client = await begun('textcraft', 1);
    expect((await client.step('Action: dance')).state).toBe('Could not execute dance');
    for (let i = 0; i < 40; i++) await client.step('Action: inventory');
    expect((await client.step('Action: inventory')).done).toBe(false);
  });

  it('repeats the last reply for a step after the end', async () => {
    const test = testService();
    const environment = environmentOf(test, 'textcraft');
    const client = await begun('textcraft', 0, test);
    let at: Standing = begin(environment, 'textcraft_0');
    let last: StepOutput | undefined;
    while (!at.terminated) {
      const { action } = environment.expert(at.state);
      at = act(environment, at, action);
      last = await client.step(`Action: ${action}`);
    }
    expect(last).toMatchObject({ reward: 1, done: true });
    expect(await client.step('Action: inventory')).toEqual(last);
  });
});

describe('SearchQA dialect', () => {
  it('uses the first search or answer of a message, and ends only with the correct answer', async () => {
    const client = await begun('searchqa', 5);
    const thought = '<think>one </search> two</think> ';
    const found = await client.step(
      `${thought}<search> Lorenz Garrick </search><answer>no</answer>`,
    );
    expect(found.state).toContain('Doc 1(Title: Lorenz Garrick)');
    for (let i = 0; i < 20; i++) {
      const wrong = await client.step('<answer>nobody</answer>');
      expect(wrong).toMatchObject({ reward: 0, done: false });
    }
    expect((await client.step('no tags at all')).done).toBe(false);
    const right = await client.step('<answer>Vera Lindqvist</answer>');
    expect(right).toMatchObject({ reward: 1, done: true });
    expect(await client.observe()).toBe(right.state);
  });
});

describe('SciWorld dialect', () => {
  it('replies with a reward of −100 when a task fails', async () => {
    const test = testService();
    const environment = environmentOf(test, 'sciworld');
    for (let index = 0; index < 400; index++) {
      const at = begin(environment, `sciworld_${index}`);
      const wrong = environment.admissibleActions(at.state).find((action) => {
        const after = act(environment, at, action);
        return after.terminated && !environment.success(after.state);
      });
      if (wrong === undefined) continue;
      const client = await begun('sciworld', index, test);
      const output = await client.step(`Action: ${wrong}`);
      expect(output).toMatchObject({ reward: -100, done: true });
      return;
    }
    expect.unreachable('some task can fail at once');
  });

  it('returns the task and the room description in separate fields', () => {
    const { raw } = testService();
    raw('POST', '/sciworld/create');
    const { body } = raw('POST', '/sciworld/reset', '{"data_idx": 5, "id": 0}');
    const { task_description, observation } = body as Record<string, string>;
    expect(task_description).toMatch(/^Your task is to /);
    expect(task_description).not.toContain('This room');
    expect(observation).toMatch(/^This room is called the /);
  });
});

describe('other dialects', () => {
  it('breaks lines where the originals do', async () => {
    expect((await begun('alfworld', 5)).observed).toMatch(/[.]\nYour task is to: put .*[.]\nAVAIL/);
    const weather = await begun('weather', 5);
    expect(weather.observed).toMatch(/^Now new trial starts[.]\nYou .*\nGive me one action[.]$/);
    const date = await weather.step('Action: get_user_current_date with Action Input: {}');
    expect(date.state).toMatch(/^Observation: [{]"date": .*[}]\nGive me one action[.]$/);
    expect((await begun('bird', 5)).observed).toMatch(/[.]\n\n[A-Z][^\n]*[?]$/);
    const page = await begun('webarena', 5);
    expect(page.observed).toMatch(
      /^OBSERVATION:\nTab 0 [(]current[)]: '[^\n]*'\n\n\[1\] link 'Home'\n/,
    );
    expect(page.observed).toMatch(/\nURL: \S+\nOBJECTIVE: [^\n]+\nPREVIOUS ACTION: None$/);
  });

  it.each([
    ['weather', ['get_historical_temp', 'get_temp_forecast', 'get_current_temp']],
    ['sheet', ['get_note', 'update_note', 'merge_cells']],
  ] as const)('serves every tool that the prompt of the %s client names', async (path, names) => {
    const { state } = await (await begun(path, 5)).step(
      'Action: check_valid_actions with Action Input: {}',
    );
    for (const name of names) expect(state).toContain(`"${name}"`);
    const own = await begun(path, 5, testService({ manner: 'own' }));
    const reply = await own.step('Action: check_valid_actions with Action Input: {}');
    for (const name of names) expect(reply.state).not.toContain(`"${name}"`);
  });

  it("gives the originals' replies to impossible actions", async () => {
    const house = await begun('alfworld', 5);
    expect((await house.step('Action: sing')).state).toBe('Nothing happens.');
    const science = await begun('sciworld', 5);
    expect((await science.step('Action: sing')).state).toBe('No known action matches that input.');
    const shop = await begun('webshop', 5);
    const page = shop.observed;
    expect((await shop.step('Action: sing')).state).toBe(page);
  });

  it('gives this project’s own texts on request', async () => {
    const test = testService({ manner: 'own' });
    for (const path of ['maze', 'textcraft', 'weather', 'alfworld', 'webarena'] as const) {
      const environment = environmentOf(test, path);
      const index = test.raw('POST', `/${path}/create`);
      expect(index.status).toBe(200);
      const client = await begun(path, 2, test);
      const served = test.served.find(({ dialect }) => dialect.path === path);
      const task = served?.tasks().find(2)?.task;
      const own = environment.reset(task ?? '').observation;
      expect(client.observed.startsWith(own)).toBe(true);
    }
  });
});

describe('the service', () => {
  it('covers every AgentGym environment and the reasoning environments', () => {
    const { raw } = testService();
    expect(raw('GET', '/').body).toEqual(dialects.map(({ path }) => path));
    expect([...clientNames, 'chain', 'ledger', 'columns'].sort()).toEqual(
      dialects.map(({ path }) => path).sort(),
    );
    for (const { path } of dialects) {
      expect(raw('GET', `/${path}`).body).toBe(`This is environment ${path}.`);
    }
  });

  it('lists the tasks of each path by unique dataset item id', () => {
    const { raw } = testService();
    for (const { path } of dialects) {
      const { train, eval: evaluation } = raw('GET', `/${path}/tasks`).body as {
        readonly train: readonly string[];
        readonly eval: readonly string[];
      };
      expect(new Set(train).size).toBe(train.length);
      expect(evaluation.length).toBeGreaterThan(0);
      for (const item of [train[0], train.at(-1), evaluation[0], evaluation.at(-1)]) {
        expect(item).toMatch(new RegExp(`^${path}_\\d+$`));
      }
    }
  });

  it('can serve other environments with other options', async () => {
    const test = testService({
      environments: ['maze=maze/generated-v2', 'babyai=babyai/open-v1'],
      options: ['maze.size=5', 'textcraft.depth=1'],
    });
    expect(environmentOf(test, 'maze').turnLimit).toBe(32);
    expect((await begun('maze', 3, test)).observed).toContain('The goal is');
    expect((await begun('babyai', 3, test)).observed).toContain('Your goal: open');
  });

  it.each([
    [{ environments: ['maize=maze/generated-v2'] }, 'there is no path "maize"'],
    [{ environments: ['maze=wordle/wordle-v1'] }, '/maze serves one of'],
    [{ environments: ['maze'] }, '--env takes PATH=ID'],
    [{ options: ['textcraft=3'] }, '--set takes PATH.OPTION=VALUE'],
    [{ options: ['textcraft.depth=9'] }, 'depth must be from 1 to 4'],
    [{ options: ['textcraft.height=2'] }, 'has no option "height"'],
    [{ options: ['__proto__.depth=2'] }, 'there is no path "__proto__"'],
  ])('rejects the setting %j with a reason', (wish, reason) => {
    expect(() => testService(wish)).toThrow(reason);
  });
});

describe('request validation', () => {
  const post = (target: string, body: string) => testService().raw('POST', target, body);

  it.each([
    ['truncated', '/maze/reset', '{"id": 0'],
    ['a list', '/maze/reset', '[]'],
    ['a string', '/maze/reset', '"id"'],
    ['empty', '/maze/reset', ''],
    ['without an id', '/maze/reset', '{"game": 1}'],
    ['a negative id', '/maze/reset', '{"game": 1, "id": -1}'],
    ['a fractional id', '/maze/reset', '{"game": 1, "id": 0.5}'],
    ['a boolean for an id', '/maze/reset', '{"game": 1, "id": true}'],
    ['a prototype name for an id', '/maze/reset', '{"game": 1, "id": "__proto__"}'],
    ['an id beyond all safe integers', '/maze/reset', '{"game": 1, "id": 1e99}'],
    ['an object for an id', '/maze/reset', '{"game": 1, "id": {"id": 0}}'],
    ['a number for an action', '/maze/step', '{"id": 0, "action": 7}'],
    ['without an action', '/maze/step', '{"id": 0, "action": null}'],
    ['a list for an action', '/maze/step', '{"id": 0, "action": ["move up"]}'],
    ['fields in a prototype', '/maze/step', '{"__proto__": {"id": 0, "action": "move up"}}'],
    ['a prototype name', '/maze/close', '{"constructor": 0}'],
    ['truncated where none is needed', '/maze/create', '{'],
    ['nested too deeply', '/maze/step', `${'['.repeat(100)}`],
    [
      'too many values',
      '/maze/step',
      `{"a": ${'[0,'.repeat(5)}0${']'.repeat(5)}, "b": [${'0,'.repeat(2000)}0]}`,
    ],
    ['too long', '/maze/step', `{"id": 0, "action": "${'a'.repeat(300_000)}"}`],
  ])('rejects an invalid body: %s', (_what, target, body) => {
    const { status, body: reply } = post(target, body);
    expect(status).toBe(422);
    const { detail } = reply as { detail: { loc: string[]; msg: string }[] };
    expect(detail[0]?.loc[0]).toBe('body');
    expect(detail[0]?.msg).toMatch(/^[A-Z].{5,}/);
  });

  it('rejects a body that is not UTF-8', () => {
    expect(testService().raw('POST', '/maze/step', Uint8Array.of(0xff, 0xfe)).status).toBe(422);
  });

  it.each([
    ['GET', '/nowhere'],
    ['POST', '/maze/__proto__'],
    ['POST', '/__proto__/create'],
    ['GET', '/maze/toString'],
    ['GET', '/wordle/available_actions?id=0'],
    ['POST', '/maze/create/more'],
    ['GET', '/maze/..%2f'],
  ])('answers %s %s with status 404', (method, target) => {
    expect(testService().raw(method, target)).toEqual({
      status: 404,
      body: { detail: 'Not Found' },
    });
  });

  it.each([
    ['GET', '/maze/create'],
    ['POST', '/maze/observation?id=0'],
    ['DELETE', '/maze'],
    ['POST', '/'],
  ])('answers %s %s with status 405', (method, target) => {
    expect(testService().raw(method, target).status).toBe(405);
  });

  it('reports an id that is not open as an error with status 200', () => {
    const { raw } = testService();
    const reset = raw('POST', '/babyai/reset', '{"data_idx": 1, "id": 99}');
    expect(reset).toEqual({ status: 200, body: { error: 'There is no environment 99.' } });
    expect(raw('GET', '/searchqa/observation?env_idx=4').body).toHaveProperty('error');
    raw('POST', '/babyai/create');
    const early = raw('POST', '/babyai/step', '{"id": 0, "action": "turn left"}').body;
    expect(early).toEqual({ error: 'Environment 0 has no task yet: reset it first.' });
    expect(raw('POST', '/babyai/close', '{"id": 0}').body).toBe(true);
    expect(raw('POST', '/babyai/close', '{"id": 0}').body).toEqual({
      error: 'Environment 0 is no longer open: it was closed, or was idle for too long.',
    });
  });

  it('reports an unknown task as an error if the original has a fixed number of tasks', () => {
    const { raw } = testService();
    raw('POST', '/todo/create', '{"id": 0}');
    expect(raw('POST', '/todo/reset', '{"id": 999999, "env_idx": 0}').body).toEqual({
      error: 'There is no task 999999. GET /todo/tasks lists them.',
    });
  });

  it('rejects invalid requests without changing the episode', async () => {
    const test = testService();
    const client = await begun('maze', 0, test);
    const before = test.raw('GET', '/maze/detail?id=0').body;
    test.raw('POST', '/maze/step', '{"id": 0, "action": 3}');
    test.raw('POST', '/maze/reset', '{"id": 0, "game": 77}');
    test.raw('POST', '/maze/step', '{"id": 0');
    expect(test.raw('GET', '/maze/detail?id=0').body).toEqual(before);
    expect((await client.step('Action: move right')).state).toContain('1, 2');
  });

  it('accepts any action on every path', async () => {
    const long = 'x'.repeat(200_000);
    const hostile = ['', ' ', '\u0000', '{}', long, '<search>'.repeat(20_000), '```'.repeat(9000)];
    hostile.push('Action: '.repeat(9000), '__proto__', '\ud800', '-- ; DROP', '[SEP]'.repeat(9000));
    for (const name of clientNames) {
      const test = testService();
      const client = await begun(name, 1, test);
      const idKey = test.served.find(({ dialect }) => dialect.path === name)?.dialect.idKey ?? '';
      for (const action of hostile) {
        const { status, body } = await test.send('POST', `/${name}/step`, {
          action,
          [idKey]: client.id,
        });
        expect(status).toBe(200);
        expect(typeof body).toBe('object');
      }
      expect(test.log).toEqual([]);
    }
  });
});

describe('the service over a long time', () => {
  it('keeps to the limit of open environments when thousands of clients never close theirs', async () => {
    const test = testService({}, { most: 64, idle: 1000 });
    for (let i = 0; i < 3000; i++) {
      const client = await begun('maze', 18, test);
      await client.step('Action: move down');
      test.clock.now += 1;
      expect(test.service.open).toBeLessThanOrEqual(64);
    }
  });

  it('closes idle environments, and says so when one is used again', async () => {
    const test = testService({}, { most: 10, idle: 60_000 });
    const used = await begun('babyai', 0, test);
    await begun('babyai', 1, test);
    for (let i = 0; i < 3; i++) {
      test.clock.now += 30_000;
      await used.step('Action: turn left');
    }
    expect(test.service.open).toBe(1);
    test.clock.now += 60_000;
    test.service.expire();
    expect(test.service.open).toBe(0);
    await expect(used.step('Action: turn left')).rejects.toThrow('was idle for too long');
  });
});
