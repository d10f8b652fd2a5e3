import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { describeConfig } from '../config/fields.ts';
import { methods } from '../config/methods.ts';
import { presets } from '../config/presets.ts';
import { readGroup, recognizeAll } from '../exchange/logs/read-logs.ts';
import { rolloutLogPath } from '../exchange/trajectories/rollout-log.ts';
import { importTrajectories } from '../exchange/trajectories/trajectory-import.ts';
import { AGENT, decodeCheckpoint, encodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { isMetricKey } from '../runs/metrics.ts';
import { logFilesAt } from './log-paths.ts';
import { emptiedFolder, tableMachine } from './testing/commands.ts';
import { trainCommand } from './train-command.ts';

const folder = emptiedFolder();

/** Runs the command with a policy that needs no GPU; keeps what it prints. */
async function run(
  args: readonly string[],
  interruptAfter = Number.POSITIVE_INFINITY,
  beforeIteration = () => {},
) {
  const out: string[] = [];
  const log: string[] = [];
  let opened = 0;
  let closed = 0;
  const code = await trainCommand(args, {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
    interrupted: () => {
      beforeIteration();
      return out.length >= interruptAfter;
    },
    open: async () => {
      opened++;
      return {
        ...tableMachine,
        close: () => {
          closed++;
        },
      };
    },
  });
  expect(closed).toBe(opened);
  return { code, out, log, opened };
}

const small = [
  ...['--set', 'rollout.tasks_per_iteration=2'],
  ...['--set', 'rollout.group_size=2'],
  ...['--set', 'horizon.schedule=fixed', '--set', 'horizon.turns=4'],
  ...['--set', 'evaluation.interval=2'],
];

describe('train --json', () => {
  it('prints one object per iteration with registered keys, then a final one', async () => {
    const { code, out, log } = await run([...small, '--updates', '3', '--seed', '4', '--json']);
    expect(code).toBe(0);
    const rows: Record<string, unknown>[] = out.map((line) => JSON.parse(line));
    expect(rows).toHaveLength(4);
    expect(rows.slice(0, 3).map((row) => row.iteration)).toEqual([1, 2, 3]);
    for (const row of rows.slice(0, 3)) {
      expect(Object.keys(row).every(isMetricKey)).toBe(true);
      expect('final' in row).toBe(false);
    }
    expect(rows.map((row) => 'eval/success_rate' in row)).toEqual([false, true, false, true]);
    const { final, stopped, config, ...rest } = rows[3] ?? {};
    expect(parseConfig(config)).toMatchObject({ seed: 4, stopping: { iterations: 3 } });
    expect(final).toBe(true);
    expect(stopped).toBe('iterations');
    expect(Object.keys(rest).every(isMetricKey)).toBe(true);
    expect(rest).toMatchObject({ iteration: 3, 'progress/turns': rows[2]?.['progress/turns'] });
    expect(log.join('\n')).toContain('a processor');
  });

  it('prints AgentEvol’s rounds, and the results in each environment of a mixture', async () => {
    const { code, out } = await run([
      ...['--preset', 'agentevol', '--seed', '3', '--updates', '2', '--json'],
      ...['--set', 'imitation.most_tasks=4', '--set', 'imitation.epochs=1'],
      ...['--set', 'evolution.tasks=4', '--set', 'evolution.epochs=1'],
      ...['--set', 'evolution.weights=threshold', '--set', 'evolution.threshold=-1'],
      ...['--set', 'evaluation.tasks=4', '--set', 'horizon.turns=2'],
    ]);
    expect(code).toBe(0);
    const rows = out.slice(0, 2).map((line): Record<string, unknown> => JSON.parse(line));
    for (const [i, row] of rows.entries()) {
      expect(row).toMatchObject({
        iteration: i + 1,
        'evolution/round': i + 1,
        'evolution/explored': 4,
        'evolution/kept': 4,
        'evolution/kept_share': 1,
        environments: [
          { id: 'babyai/goto-red-ball-v1', episodes: 2 },
          { id: 'babyai/goto-local-v1', episodes: 2 },
        ],
        evaluated: [{ id: 'babyai/goto-red-ball-v1' }, { id: 'babyai/goto-local-v1' }],
      });
      expect(row['evolution/loss']).toBeGreaterThan(0);
    }
    expect(JSON.parse(out[2] ?? '')).toMatchObject({
      final: true,
      evaluated: [{ id: 'babyai/goto-red-ball-v1' }, { id: 'babyai/goto-local-v1' }],
    });
  });

  it('prints metrics of answers and verdicts', async () => {
    const { code, out } = await run([
      ...['--preset', 'critique-rl', '--seed', '3', '--updates', '2', '--json'],
      ...['--set', 'imitation.most_tasks=16', '--set', 'imitation.epochs=1'],
      ...['--set', 'critique.refinements=8', '--set', 'critique.refinement_epochs=1'],
      ...['--set', 'critique.critiques=8', '--set', 'critique.critique_epochs=1'],
      ...['--set', 'rollout.tasks_per_iteration=4', '--set', 'evaluation.tasks=10'],
      ...['--set', 'evaluation.interval=1'],
      ...['--set', 'critique.first_stage=1', '--set', 'critique.second_stage=1'],
    ]);
    expect(code).toBe(0);
    const rows = out.map((line): Record<string, unknown> => JSON.parse(line));
    expect(rows.map((row) => row['critique/stage'])).toEqual([1, 2, undefined]);
    for (const row of rows) {
      for (const key of [
        ...['accuracy', 'refined_accuracy', 'delta', 'correct_to_incorrect'],
        ...['incorrect_to_correct', 'discrimination', 'malformed'],
      ]) {
        expect(row[`critique/${key}`], key).toEqual(expect.any(Number));
      }
    }
  });

  it('prints the same output for equal runs, except for the time/ keys', async () => {
    const lines = async () => {
      const { out } = await run([...small, '--updates', '3', '--seed', '4', '--json']);
      return out.map((line) =>
        Object.entries(JSON.parse(line)).filter(([key]) => !key.startsWith('time/')),
      );
    };
    expect(await lines()).toEqual(await lines());
  });

  it('ends with the evaluation and exit code 130 when interrupted', async () => {
    const { code, out } = await run([...small, '--updates', '50', '--json'], 2);
    expect(code).toBe(130);
    expect(out).toHaveLength(3);
    expect(JSON.parse(out[2] ?? '')).toMatchObject({
      final: true,
      stopped: 'interrupted',
      iteration: 2,
    });
  });
});

describe('train', () => {
  it('prints a table without --json', async () => {
    const { code, out } = await run([...small, '--updates', '2']);
    expect(code).toBe(0);
    expect(out).toHaveLength(4);
    expect(out[0]).toMatch(/iteration .*success/);
    expect(out[1]?.length).toBe(out[0]?.length);
    expect(out[3]).toMatch(/^Stopped \(iterations\) after 2 iterations.*25 evaluation tasks: \d/);
  });

  it('reads a config file and then applies the flags in their order', async () => {
    const file = join(folder, 'run.json');
    const rollout = { tasks_per_iteration: 2, group_size: 2 };
    writeFileSync(file, JSON.stringify({ rollout, stopping: { iterations: 9 } }));
    const horizon = ['--set', 'horizon.schedule=fixed', '--set', 'horizon.turns=3'];
    const again = ['--set', 'horizon.turns=2'];
    const { code, out } = await run([
      ...['--config', file, '--updates', '1', '--json'],
      ...horizon,
      ...again,
    ]);
    expect(code).toBe(0);
    expect(out).toHaveLength(2);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ 'rollout/horizon': 2 });
  });

  it('saves the agent, also when interrupted', async () => {
    const file = join(folder, 'agent.safetensors');
    const { code, log } = await run([...small, '--updates', '50', '--save', file], 3);
    expect(code).toBe(130);
    // The evaluation after it logs its progress if it takes more than two seconds.
    expect(log.findLast((line) => !/^evaluation: \d+%$/.test(line))).toBe(
      `saved the agent to ${file}`,
    );
    expect(readdirSync(folder)).toEqual(['agent.safetensors']);
    const checkpoint = decodeCheckpoint(readFileSync(file));
    expect(checkpoint.iteration).toBe(2);
    expect(checkpoint.config.rollout).toMatchObject({ tasks_per_iteration: 2, group_size: 2 });
    expect(keptAgent(checkpoint).weights.size).toBeGreaterThan(0);
  });

  it('resumes a checkpoint bit-identically', async () => {
    const file = join(folder, 'agent.safetensors');
    const rows = (out: readonly string[]) =>
      out.map((line) =>
        Object.fromEntries(
          Object.entries(JSON.parse(line)).filter(([key]) => !key.startsWith('time/')),
        ),
      );
    const whole = await run([...small, '--updates', '5', '--json']);
    const first = await run([
      ...small,
      ...['--updates', '3', '--json', '--save', file, '--save-every', '1'],
    ]);
    expect(rows(first.out).slice(0, 3)).toEqual(rows(whole.out).slice(0, 3));
    const rest = await run(['--resume', file, '--updates', '5', '--json']);
    expect(rest.code).toBe(0);
    expect(rest.log).toContain('resumes after iteration 3');
    expect(rows(rest.out)).toEqual(rows(whole.out).slice(3));
  });

  it('warns when a run resumes on another device', async () => {
    const file = join(folder, 'agent.safetensors');
    await run([...small, '--updates', '1', '--save', file]);
    const on = ['--resume', file, '--updates', '2'];
    expect((await run(on)).log.join()).not.toContain('continues on');
    const kept = decodeCheckpoint(readFileSync(file));
    const student = kept.students.get(AGENT);
    if (!student?.training) throw new Error('its training is not kept');
    expect(student.training.device).toBe('a table');
    const training = { ...student.training, device: 'a GPU' };
    const students = new Map([[AGENT, { ...student, training }]]);
    writeFileSync(file, encodeCheckpoint({ ...kept, students }));
    const moved = await run(on);
    expect(moved.code).toBe(0);
    expect(moved.log.join()).toContain('was computed on a GPU and continues on a table');
  });

  it('saves the agent every --save-every iterations', async () => {
    const file = join(folder, 'agent.safetensors');
    const kept: number[] = [];
    const { code } = await run(
      [...small, '--updates', '9', '--save', file, '--save-every', '2'],
      6,
      () => {
        if (existsSync(file)) kept.push(decodeCheckpoint(readFileSync(file)).iteration);
      },
    );
    expect(code).toBe(130);
    expect(new Set(kept)).toEqual(new Set([2, 4]));
  });

  it('rejects changed settings on resuming, files that are not checkpoints, and a misused --save-every', async () => {
    const file = join(folder, 'agent.safetensors');
    await run([...small, '--updates', '1', '--save', file]);
    const other = join(folder, 'notes.txt');
    writeFileSync(other, 'not a checkpoint');
    for (const [args, message] of [
      [
        ['--resume', file, '--set', 'optimizer.learning_rate=1'],
        /cannot change optimizer\.learning_rate/,
      ],
      [['--resume', file, '--seed', '3'], /omit --seed/],
      [['--resume', other], /cannot be used/],
      [['--save-every', '2'], /needs --save/],
      [['--save', file, '--save-every', 'x'], /--save-every must be a whole number/],
    ] as const) {
      const { code, log } = await run(args);
      expect(code).toBe(2);
      expect(log.join(' ')).toMatch(message);
    }
  });

  it('writes the newest episodes and a log of every iteration', async () => {
    const file = join(folder, 'episodes.json');
    const logs = join(folder, 'logs');
    const { code, log } = await run([
      ...small,
      ...['--updates', '3', '--set', 'trajectories.keep=6', '--set', 'evaluation.tasks=2'],
      ...['--trajectories', file, '--rollout-logs', logs],
    ]);
    expect(code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['episodes.json', 'logs']);
    expect(readdirSync(logs).sort()).toEqual(['step1', 'step2', 'step3']);
    const present = [{ id: 'maze/double-t-v1', options: {} }];
    const logged = [1, 2, 3].map((iteration) =>
      importTrajectories(readFileSync(join(logs, rolloutLogPath(iteration)), 'utf8'), present),
    );
    for (const episodes of logged) {
      expect(episodes.map(({ replay }) => replay.kind)).toEqual(Array(4).fill('exact'));
      expect(episodes.every(({ record }) => record.turns.length <= 4)).toBe(true);
    }
    const kept = importTrajectories(readFileSync(file, 'utf8'), present);
    const records = kept.map(({ record }) => record);
    // The newest six training episodes, then as many of the 25 final evaluation episodes as the cap allows.
    expect(kept).toHaveLength(12);
    expect(records.slice(0, 6)).toEqual(
      logged
        .flat()
        .slice(-6)
        .map(({ record }) => record),
    );
    expect(records[6]?.taskId).toBe('maze_0');
    expect(log.at(-1)).toBe(`wrote 12 episodes to ${file}`);
  });

  it('overwrites files only with --force and rejects one path for two outputs', async () => {
    const file = join(folder, 'agent.safetensors');
    const one = [...small, '--updates', '1'];
    expect((await run([...one, '--save', file, '--trajectories', file])).log.join()).toMatch(
      /--trajectories and --save are both/,
    );
    expect((await run([...one, '--save', file])).code).toBe(0);
    const again = await run([...one, '--save', file]);
    expect([again.code, again.opened]).toEqual([2, 0]);
    expect(again.log.join()).toMatch(/agent\.safetensors exists/);
    expect((await run([...one, '--save', file, '--force'])).code).toBe(0);
    const logs = join(folder, 'logs');
    expect((await run([...one, '--rollout-logs', logs])).code).toBe(0);
    expect((await run([...one, '--rollout-logs', logs])).log.join()).toMatch(/step1 exists/);
    // A resumed run writes only the logs of later iterations.
    const on = ['--resume', file, '--updates', '2', '--rollout-logs', logs];
    expect((await run(on)).code).toBe(0);
    expect(readdirSync(logs).sort()).toEqual(['step1', 'step2']);
  });

  it('logs every metric and appends to the log when resumed', async () => {
    const file = join(folder, 'agent.safetensors');
    const logs = join(folder, 'log');
    const one = [...small, '--updates', '2', '--json', '--save', file, '--log', logs];
    const { code, out } = await run(one);
    expect(code).toBe(0);
    expect(readFileSync(join(logs, 'rows.jsonl'), 'utf8')).toBe(
      out.map((line) => `${line}\n`).join(''),
    );
    expect((await run(one)).log.join()).toMatch(/rows\.jsonl exists|tfevents.* exists/);
    // Simulates a kill in the middle of a line.
    appendFileSync(join(logs, 'rows.jsonl'), '{"iteration":3,"rol');
    const on = await run(['--resume', file, '--updates', '4', '--json', '--log', logs]);
    expect(on.code).toBe(0);
    const printed = [...out, ...on.out].map((line) => JSON.parse(line));
    const rows = printed.filter(({ final }) => final !== true);
    expect(rows.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4]);

    const { groups } = await recognizeAll(logFilesAt(logs));
    expect(groups).toHaveLength(1);
    const both = groups.flatMap(({ spare, ...group }) => (spare ? [group, spare] : [group]));
    const runs = (await Promise.all(both.map((group) => readGroup(group, () => {})))).flat();
    expect(runs.map(({ format }) => format)).toEqual([
      'the trainer’s JSON lines',
      'TensorBoard event files',
    ]);
    for (const { tool, axis, series } of runs) {
      expect([tool, axis.unit]).toEqual(['palestra', 'iterations']);
      // The log contains exactly the printed numbers; later ones replace earlier ones.
      const expected = new Map<string, Map<number, number>>();
      for (const row of printed) {
        for (const [key, value] of Object.entries(row)) {
          if (key === 'iteration' || !isMetricKey(key)) continue;
          const column = expected.get(key) ?? new Map<number, number>();
          expected.set(key, column.set(row.iteration, Number(value ?? Number.NaN)));
        }
      }
      const found = new Map(
        series.map(({ key, x, y }) => [key, new Map([...x].map((at, i) => [at, y[i]]))]),
      );
      for (const key of ['time/seconds', 'eval/success_rate', 'eval/score']) {
        // The last evaluation is repeated when a run resumes.
        expect(found.get(key)?.size, key).toBe(expected.get(key)?.size);
        found.delete(key);
        expected.delete(key);
      }
      expect(found).toEqual(expected);
    }
  });

  it('applies --set after --method', async () => {
    const { code, out } = await run([
      ...small,
      ...['--method', 'dapo', '--set', 'algorithm.clip_high=1.4', '--updates', '1', '--json'],
      ...['--set', 'algorithm.entropy_coef=0'],
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out[0] ?? '')).toHaveProperty('rollout/resampled');
    const listed = await run(['--list-methods']);
    expect(listed.code).toBe(0);
    for (const { name, paper } of methods) {
      expect(listed.out.join('\n')).toContain(name);
      expect(listed.out.join('\n')).toContain(paper.url);
    }
    // Adapted settings are listed next to the published ones and their source.
    expect(listed.out.join('\n')).toMatch(/kl_coef=0 {2}adapted; published: 0\.04 \(§4\.2\)\./);
    expect(listed.out.join('\n')).toMatch(/clip_high=1\.28 {2}published \(§4\.1\)/);
  });

  it('applies the published settings of a method', async () => {
    const { code, out } = await run([
      ...small,
      ...['--method', 'rloo', '--published', '--updates', '1', '--json'],
    ]);
    expect(code).toBe(0);
    // In the published settings, the KL penalty is part of the reward.
    expect(JSON.parse(out[0] ?? '')).toHaveProperty('policy/ref_kl');
  });

  it('lists presets and config fields', async () => {
    const listed = await run(['--list-presets']);
    expect(listed.code).toBe(0);
    for (const { name } of presets) expect(listed.out.join('\n')).toContain(name);
    const help = await run(['--help']);
    expect(help.code).toBe(0);
    for (const { path, description } of describeConfig()) {
      expect(help.out.join('\n')).toContain(`${path} = `);
      expect(help.out.join('\n')).toContain(description);
    }
    expect(listed.opened + help.opened).toBe(0);
  });

  it.each([
    [['--preset', 'nothing'], /no preset is called "nothing"/],
    [
      ['--published'],
      /--published selects the settings of a method’s paper; name the method with --method/,
    ],
    [['--method', 'nothing'], /no method is called "nothing"; choose one of grpo, ppo,/],
    [['--set', 'policy.depth=2'], /policy\.depth: unknown key/],
    [['--set', 'policy.layers=99'], /policy\.layers: must be a whole number from 1 to 16/],
    [['--set', 'seed'], /--set must be KEY=VALUE/],
    [['--updates', '0'], /stopping\.iterations: must be/],
    [['--seed', 'x'], /seed: must be a whole number/],
    [['--wrong'], /--wrong/],
    [['surplus'], /surplus/],
    [['--seed'], /--seed/],
    [['--config', 'not-there.json'], /not-there\.json cannot be read \(ENOENT\)/],
    [['--config', '.'], /cannot be read \(EISDIR\)/],
    [['--save', 'not-there/agent.safetensors'], /the folder not-there does not exist/],
    [['--save', '.'], /this is a folder; name a file/],
    [['--config', 'a.json', '--preset', 'maze'], /choose one/],
    [['--trajectories', 'not-there/a.json'], /the folder not-there does not exist/],
    [['--trajectories', 'a.json', '--set', 'trajectories.keep=0'], /set trajectories\.keep/],
    [['--rollout-logs', 'package.json'], /this is a file; name a folder/],
    [['--rollout-logs', 'not-there/logs'], /the folder not-there does not exist/],
  ])('rejects %j with a one-line message and exit code 2', async (args, message) => {
    const { code, out, log, opened } = await run(args);
    expect(code).toBe(2);
    expect(out).toEqual([]);
    expect(opened).toBe(0);
    expect(log).toHaveLength(1);
    expect(log[0]).toMatch(message);
    expect(log[0]).not.toContain('\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['{"seed": ', /is not JSON/],
    ['[1]', /must contain a JSON object/],
    ['{"sed": 1}', /^sed: unknown key/],
    ['{"rollout": 3}', /^rollout: must be an object/],
  ])('rejects a config file that contains %s', async (text, message) => {
    const file = join(folder, 'run.json');
    writeFileSync(file, text);
    const { code, out, log } = await run(['--config', file]);
    expect([code, out.length, log.length]).toEqual([2, 0, 1]);
    expect(log[0]).toMatch(message);
  });

  it('reports a failure with a one-line message and exit code 1', async () => {
    const log: string[] = [];
    const code = await trainCommand([...small], {
      out: () => {},
      log: (line) => log.push(line),
      interrupted: () => false,
      open: async () => {
        throw new Error('no adapter answered');
      },
    });
    expect(code).toBe(1);
    expect(log).toEqual(['Error: no adapter answered']);
  });
});
