import { zipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { foreignLimits } from '../../files/log-limits.ts';
import { readZip } from '../../files/zip.ts';
import { LogError } from './error.ts';
import { recognizeAll } from './read-logs.ts';
import { type LogFile, textFile } from './source.ts';
import { verlLine, wandbFile, wandbHistory } from './testing/files.ts';
import {
  column,
  type Files,
  filesOf,
  keysWithout,
  pairs,
  readAll,
  readOnly,
} from './testing/read.ts';
import { writeLog } from './write.ts';

const lines = (...values: readonly object[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('a verl log', () => {
  const metrics = (score: number) => ({
    'critic/score/mean': score,
    'critic/score/min': 0,
    'critic/score/max': 1,
    'actor/entropy': 0.5,
    'actor/ppo_kl': -0.001,
    'actor/pg_clipfrac_lower': 0,
    'num_turns/mean': 3,
    'val-core/gsm8k/acc/mean@8': 0.25,
    'response_length/mean': 120,
  });

  it('contains the mismatch between sampler and trainer probabilities', async () => {
    const logged = { ...metrics(0.5), 'training/rollout_probs_diff_mean': 0.004 };
    const run = await readOnly({
      'exp.jsonl': lines(
        { step: 1, data: logged },
        { step: 2, data: { ...logged, 'rollout_corr/kl': -0.2 } },
      ),
    });
    expect(column(run, 'policy/sampler_gap')).toEqual([0.004, 0.004]);
    expect(column(run, 'policy/sampler_kl')).toEqual([null, -0.2]);
  });

  it('has one JSON line per step, with null for non-finite values', async () => {
    const run = await readOnly({
      'project/exp.jsonl': `${lines(
        { step: 0, data: { 'val-core/gsm8k/acc/mean@8': 0.125 } },
        { step: 1, data: metrics(0.25) },
        { step: 2, data: { ...metrics(0.5), 'actor/entropy': null } },
      )}{"step": 3, "da`,
    });
    expect([run.tool, run.axis.unit, run.name]).toEqual(['verl', 'iterations', 'exp.jsonl']);
    expect(run.evidence.rows.map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(column(run, 'policy/entropy')).toEqual([0.5, Number.NaN]);
    expect(column(run, 'policy/approx_kl')).toEqual([-0.001, -0.001]);
    // Every reward is 0 or 1, so their mean is the success rate.
    expect(column(run, 'rollout/success_rate')).toEqual([0.25, 0.5]);
    expect(run.notes.join()).toMatch(/critic\/score\/mean is used as the success rate/);
    expect(run.evidence.evaluations).toEqual([
      { iteration: 0, metrics: { iteration: 0, 'eval/success_rate': 0.125 } },
      { iteration: 1, metrics: { iteration: 1, 'eval/success_rate': 0.25 } },
      { iteration: 2, metrics: { iteration: 2, 'eval/success_rate': 0.25 } },
    ]);
    // `num_turns` counts messages, and no metric matches the length; both are kept as plain series.
    expect(keysWithout(run)).toEqual([
      'critic/score/min',
      'critic/score/max',
      'num_turns/mean',
      'response_length/mean',
    ]);
    expect(run.series.find(({ metric }) => metric === 'policy/clip_fraction_dual')?.key).toBe(
      'actor/pg_clipfrac_lower',
    );
    expect(run.series.find(({ metric }) => metric === 'policy/approx_kl')?.differs).toMatch(
      /negative/,
    );
  });

  it('keeps only the later lines of repeated steps after a resume', async () => {
    const step = (at: number, entropy: number) => ({
      step: at,
      data: { 'actor/pg_loss': 0, 'actor/entropy': entropy },
    });
    const run = await readOnly({
      'a.jsonl': lines(step(1, 1), step(2, 2), step(3, 3), step(2, 20)),
    });
    expect(pairs(run, 'actor/entropy')).toEqual([
      [1, 1],
      [2, 20],
    ]);
    expect(run.notes).toContain(
      'Line 4 goes back to step 2; the later lines replace the earlier ones.',
    );
  });

  it('may have two lines for one step', async () => {
    const text = lines(
      { step: 0, data: { 'val-core/gsm8k/acc/mean@8': 0.125 } },
      { step: 1, data: { 'actor/pg_loss': 1, 'actor/entropy': 1 } },
      { step: 1, data: { 'actor/entropy': 2, 'val-core/gsm8k/acc/mean@8': 0.25 } },
    );
    const consoleText = [
      verlLine(0, { 'val-core/gsm8k/acc/mean@8': 0.125 }),
      verlLine(1, { 'actor/pg_loss': 1, 'actor/entropy': 1 }),
      verlLine(1, { 'actor/entropy': 2, 'val-core/gsm8k/acc/mean@8': 0.25 }),
    ].join('');
    for (const files of [{ 'a.jsonl': text }, { 'a.log': consoleText }]) {
      const run = await readOnly(files);
      expect(pairs(run, 'actor/pg_loss')).toEqual([[1, 1]]);
      expect(pairs(run, 'actor/entropy')).toEqual([[1, 2]]);
      expect(pairs(run, 'val-core/gsm8k/acc/mean@8')).toEqual([
        [0, 0.125],
        [1, 0.25],
      ]);
    }
  });

  it('has one console line per step among other output, with colors and wrapped numbers', async () => {
    const text = [
      "{'actor_rollout_ref': {'actor': {'clip_ratio': 0.2, 'entropy_coeff': 0.001, 'kl_loss_coef': 0.01,\n",
      "                                'use_kl_loss': True, 'ppo_epochs': 1},\n",
      "                      'rollout': {'n': 8}},\n 'algorithm': {'adv_estimator': 'grpo', 'gamma': 1.0}}\n",
      'Training Progress:   1%|          | 1/435 [00:31<3:47:11, 31.41s/it]\n',
      verlLine(1, {
        'actor/entropy': '0.512',
        'actor/lr': '1e-06',
        'critic/score/mean': 'np.float64(0.25)',
      }),
      'WARNING step: nothing\n',
      verlLine(2, { 'actor/entropy': 'nan', 'actor/lr': '1e-06', 'critic/score/mean': '0.5' }),
      '(main_task pid=1) step:3 - actor/entropy:0.4 - critic/score/mean:0.',
    ].join('');
    const run = await readOnly({ 'train.log': text });
    expect([run.tool, run.format]).toEqual(['verl', 'verl’s console']);
    expect(pairs(run, 'actor/entropy')).toEqual([
      [1, 0.512],
      [2, Number.NaN],
      [3, 0.4],
    ]);
    expect(column(run, 'rollout/score')).toEqual([0.25, 0.5, null]);
    expect(column(run, 'policy/learning_rate')).toEqual([1e-6, 1e-6, null]);
    expect(run.evidence.facts).toEqual({
      algorithm: { gamma: 1, entropy_coef: 0.001, kl_coef: 0.01, epochs: 1, advantage: 'grpo' },
      rollout: { group_size: 8 },
    });
  });

  it('is recognized when it is a table with underscores instead of slashes', async () => {
    const run = await readOnly({
      'metrics.csv':
        'step,critic_score_mean,actor_ppo_kl,actor_entropy,actor_grad_norm,actor_lr\n1,0.5,0.01,0.4,1,1e-6\n2,0.6,0.02,0.3,2,1e-6\n',
    });
    expect(run.tool).toBe('verl');
    expect(column(run, 'rollout/score')).toEqual([0.5, 0.6]);
    expect(column(run, 'policy/entropy')).toEqual([0.4, 0.3]);
  });

  it('is distinguished from logs of AgentGym-RL and BAPO, which use the same keys', async () => {
    const agentgym = await readOnly({
      'a.log': verlLine(1, {
        'critic/task_score/mean': 0.5,
        'critic/task_round/mean': 6,
        'critic/task_round/max': 10,
      }),
    });
    expect(agentgym.tool).toBe('agentgym_rl');
    expect(agentgym.evidence.rows[0]?.metrics).toMatchObject({
      'rollout/score': 0.5,
      'rollout/turns': 6,
    });
    const bapo = await readOnly({
      'b.log': verlLine(1, {
        'actor/bapo_clip_low': 0.7,
        'actor/bapo_clip_high': 1.4,
        'actor/bapo_pos_neg_ratio': 3,
      }),
    });
    expect(bapo.tool).toBe('bapo');
    expect(bapo.evidence.rows[0]?.metrics).toMatchObject({
      'policy/clip_low': 0.7,
      'policy/clip_high': 1.4,
      'policy/positive_share': 0.75,
    });
  });
});

describe('a TRL log', () => {
  const history = [
    {
      loss: 0.0,
      grad_norm: 0.5,
      learning_rate: 1e-6,
      reward: 0.25,
      reward_std: 0.4,
      entropy: 0.7,
      frac_reward_zero_std: 0.5,
      kl: 0.001,
      'clip_ratio/region_mean': 0.02,
      'completions/mean_length': 90,
      epoch: 0.1,
      step: 10,
    },
    { eval_reward: 0.5, epoch: 0.1, step: 10 },
    {
      loss: 0.0,
      grad_norm: 0.25,
      learning_rate: 5e-7,
      reward: 0.5,
      reward_std: 0.3,
      entropy: 0.6,
      frac_reward_zero_std: 0.25,
      kl: 0.002,
      'clip_ratio/region_mean': 0.01,
      'completions/mean_length': 80,
      epoch: 0.2,
      step: 20,
    },
    { train_runtime: 100, train_loss: 0, epoch: 0.2, step: 20 },
  ];
  const state = (rows: readonly object[]) =>
    JSON.stringify({ best_metric: null, global_step: 20, log_history: rows }, null, 2);

  it('has its complete history in the last checkpoint’s trainer_state.json', async () => {
    const run = await readOnly({
      'out/checkpoint-9/trainer_state.json': state(history.slice(0, 1)),
      'out/checkpoint-20/trainer_state.json': state(history),
    });
    expect([run.tool, run.axis.unit]).toEqual(['trl', 'optimizer steps']);
    expect(run.evidence.rows.map(({ iteration }) => iteration)).toEqual([10, 20]);
    expect(run.evidence.rows[1]?.metrics).toEqual({
      iteration: 20,
      'policy/grad_norm': 0.25,
      'policy/learning_rate': 5e-7,
      'rollout/score': 0.5,
      'policy/entropy': 0.6,
      'rollout/group_zero_std': 0.25,
      'policy/ref_kl': 0.002,
      'policy/clip_fraction': 0.01,
    });
    expect(run.evidence.evaluations).toEqual([
      { iteration: 10, metrics: { iteration: 10, 'eval/score': 0.5 } },
    ]);
    expect(keysWithout(run)).toEqual(['loss', 'reward_std', 'completions/mean_length', 'epoch']);
  });

  it('may contain NaN, and is rejected if truncated', async () => {
    const text = state(history).replace('"grad_norm": 0.5', '"grad_norm": NaN');
    const run = await readOnly({ 'trainer_state.json': text });
    expect(column(run, 'policy/grad_norm')).toEqual([Number.NaN, 0.25]);
    for (let end = 1; end < text.trimEnd().length; end++) {
      await expect(readAll({ 'trainer_state.json': text.slice(0, end) })).rejects.toThrow(LogError);
    }
  });

  it('may consist of printed dicts without a step', async () => {
    const text = `Loading…\n{'loss': 0.0, 'reward': 0.25, 'reward_std': 0.4, 'entropy': np.float64(0.5), 'epoch': 0.1}\n 50%|█████     | 1/2\n{'eval_reward': 0.5, 'epoch': 0.1}\n{'loss': nan, 'reward': 0.5, 'reward_std': 0.3, 'entropy': 0.25, 'epoch': 0.2}\n{'train_runtime': 1.0, 'epoch': 0.2}\n`;
    const run = await readOnly({ 'out.log': text });
    expect([run.tool, run.axis.unit]).toEqual(['trl', 'logged rows']);
    expect(pairs(run, 'entropy')).toEqual([
      [1, 0.5],
      [2, 0.25],
    ]);
    expect(pairs(run, 'loss')).toEqual([
      [1, 0],
      [2, Number.NaN],
    ]);
    expect(pairs(run, 'eval_reward')).toEqual([[1, 0.5]]);
  });

  it('is split into two runs where epoch and num_tokens restart', async () => {
    const row = (reward: number, epoch: number, tokens: number) =>
      `{'loss': 0.1, 'reward': ${reward}, 'reward_std': 0.2, 'num_tokens': ${tokens}, 'epoch': ${epoch}}\n`;
    const text = row(0.1, 0.1, 100) + row(0.2, 0.2, 200) + row(0.7, 0.1, 90) + row(0.8, 0.2, 190);
    const runs = await readAll({ 'out.log': text });
    expect(runs.map((run) => pairs(run, 'reward'))).toEqual([
      [
        [1, 0.1],
        [2, 0.2],
      ],
      [
        [1, 0.7],
        [2, 0.8],
      ],
    ]);
    expect(runs.map(({ part }) => part)).toEqual(['run 1 of 2', 'run 2 of 2']);
  });

  it('keeps PPO’s per-sequence sums separate from per-token means', async () => {
    const run = await readOnly({
      'trainer_state.json': state([
        {
          'objective/kl': 12,
          'objective/entropy': 40,
          'policy/approxkl_avg': 0.01,
          'policy/entropy_avg': 0.5,
          'val/ratio': 1,
          step: 1,
        },
      ]),
    });
    expect(run.tool).toBe('trl');
    expect(run.evidence.rows[0]?.metrics).toEqual({
      iteration: 1,
      'policy/approx_kl': 0.01,
      'policy/entropy': 0.5,
    });
    expect(keysWithout(run)).toEqual(['objective/kl', 'objective/entropy', 'val/ratio']);
  });
});

describe('the log reader', () => {
  it('reads separate evaluation rows of Stable-Baselines3', async () => {
    const csv =
      'train/approx_kl,rollout/ep_rew_mean,time/total_timesteps,eval/mean_reward,time/iterations\r\n0.01,20,2048,,1\r\n,,3000,25,\r\n0.02,30,4096,,2\r\n';
    const run = await readOnly({ 'logs/progress.csv': csv, 'logs/log.txt': sb3Table });
    expect([run.tool, run.name, run.axis.unit]).toEqual(['sb3', 'logs', 'environment steps']);
    expect(column(run, 'policy/approx_kl')).toEqual([0.01, 0.02]);
    expect(column(run, 'progress/turns')).toEqual([2048, 4096]);
    expect(run.evidence.evaluations).toEqual([
      { iteration: 1, metrics: { iteration: 1, 'eval/score': 25 } },
    ]);
  });

  it('gives the same result for Stable-Baselines3’s console output and JSON lines', async () => {
    const json = await readOnly({
      'progress.json': lines({
        'time/total_timesteps': 2048,
        'rollout/ep_rew_mean': 22.5,
        'train/approx_kl': 0.01,
      }),
    });
    const text = await readOnly({ 'log.txt': sb3Table });
    for (const run of [json, text]) {
      expect(run.tool).toBe('sb3');
      expect(run.evidence.rows).toEqual([
        {
          iteration: 1,
          metrics: {
            iteration: 1,
            'progress/turns': 2048,
            'rollout/score': 22.5,
            'policy/approx_kl': 0.01,
          },
        },
      ]);
    }
  });

  it('merges the workers of Stable-Baselines3’s monitor by time', async () => {
    const run = await readOnly({
      'm/0.monitor.csv': '#{"t_start": 100.0, "env_id": "x"}\nr,l,t\n1.0,10,1.0\n3.0,10,5.0\n',
      'm/1.monitor.csv': '#{"t_start": 100.5, "env_id": "x"}\nr,l,t\n2.0,20,2.0\n',
    });
    expect(run.tool).toBe('sb3');
    expect(pairs(run, 'monitor/r')).toEqual([
      [10, 1],
      [30, 2],
      [40, 3],
    ]);
  });

  it('prefers RLlib’s JSON lines, which contain the settings, to its CSV table', async () => {
    const row = (n: number) => ({
      training_iteration: n,
      env_runners: { episode_return_mean: n, episode_len_mean: 4 },
      num_env_steps_sampled_lifetime: 4000 * n,
      learners: { default_policy: { entropy: 0.5, vf_loss_unclipped: 8, mean_kl_loss: 0 } },
      config: { gamma: 0.9, num_epochs: 30, env: 'x' },
    });
    const run = await readOnly({
      'PPO/result.json': lines(row(1), row(2)),
      'PPO/progress.csv': 'training_iteration,env_runners/episode_return_mean\n1,1\n2,2\n',
    });
    expect([run.tool, run.format, run.axis.unit]).toEqual(['rllib', 'JSON lines', 'iterations']);
    expect(run.evidence.rows[1]?.metrics).toEqual({
      iteration: 2,
      'rollout/score': 2,
      'rollout/turns': 4,
      'progress/turns': 8000,
      'policy/entropy': 0.5,
      'policy/approx_kl': 0,
      'value/loss': 4,
    });
    expect(run.evidence.facts.algorithm).toEqual({ gamma: 0.9, epochs: 30, advantage: 'gae' });
  });

  it('reads several runs from a W&B chart export, whose names may contain dashes', async () => {
    const head = [
      'Step',
      'run - a - reward',
      'run - a - reward__MIN',
      'run - a - reward__MAX',
      'b - reward',
      'b - reward__MIN',
      'b - reward__MAX',
    ];
    const csv = `\ufeff${head.map((cell) => `"${cell}"`).join(',')}\n"0","1","0","2","","",""\n"5","3","3","3","4","4","4"\n`;
    const runs = await readAll({ 'wandb_export.csv': csv });
    expect(runs.map(({ name, axis }) => [name, axis.unit])).toEqual([
      ['run - a', 'logged rows'],
      ['b', 'logged rows'],
    ]);
    const [a, b] = runs;
    if (a === undefined || b === undefined) throw new Error('two runs are in it');
    expect(pairs(a, 'reward')).toEqual([
      [0, 1],
      [5, 3],
    ]);
    expect(pairs(a, 'reward__MIN')).toEqual([
      [0, 0],
      [5, 3],
    ]);
    expect(pairs(b, 'reward')).toEqual([[5, 4]]);
  });

  it('uses the logged step of W&B’s history, not the call count', async () => {
    const rows = [1, 2, 3].map((n) => ({
      _step: 5 * n,
      _runtime: n,
      'train/global_step': 100 * n,
      'train/reward': n,
      'train/frac_reward_zero_std': 0.5,
    }));
    const extra = { _step: 16, 'eval/other': 1 };
    const files: Files[] = [
      { 'history.jsonl': lines(...rows, extra) },
      { 'history.json': JSON.stringify([...rows, extra]) },
      {
        'run-x.wandb': wandbFile(
          [...rows, extra].map(({ _step, ...rest }) => wandbHistory(_step, rest)),
        ),
      },
    ];
    for (const file of files) {
      const run = await readOnly(file);
      expect([run.tool, run.axis]).toEqual([
        'trl',
        { key: 'train/global_step', unit: 'optimizer steps', iterations: false },
      ]);
      expect(pairs(run, 'train/reward')).toEqual([
        [100, 1],
        [200, 2],
        [300, 3],
      ]);
      expect(run.notes.join()).toMatch(/logged without train\/global_step/);
    }
  });

  it('maps columns of unknown tools as the user assigns them', async () => {
    const csv = 'when;Reward (mean);Ent\n10;0.25;NaN\n20;;0.5\n30;inf;0.25\n';
    const plain = await readOnly({ 'mine.csv': csv });
    expect([plain.tool, plain.axis.unit]).toEqual(['unknown', 'rows']);
    expect(plain.evidence.rows).toEqual([]);
    const run = await readOnly(
      { 'mine.csv': csv },
      { x: 'when', metrics: { 'Reward (mean)': 'rollout/score', Ent: 'policy/entropy' } },
    );
    expect(run.axis).toEqual({ key: 'when', unit: 'when', iterations: false });
    expect(column(run, 'rollout/score')).toEqual([0.25, null, Number.POSITIVE_INFINITY]);
    expect(column(run, 'policy/entropy')).toEqual([Number.NaN, 0.5, 0.25]);
    expect([...run.places]).toEqual([10, 20, 30]);
  });

  it('reads Parquet files', async () => {
    const step = [1, 2, 3];
    const bytes = (codec: 'SNAPPY' | 'UNCOMPRESSED') =>
      new Uint8Array(
        parquetWriteBuffer({
          codec,
          columnData: [
            { name: 'step', data: step.map(BigInt), type: 'INT64' },
            { name: 'reward', data: [0.5, null, Number.NaN], type: 'DOUBLE' },
            { name: 'text', data: ['a', 'b', 'c'], type: 'STRING' },
          ],
        }),
      );
    for (const codec of ['SNAPPY', 'UNCOMPRESSED'] as const) {
      const run = await readOnly({ 'a.parquet': bytes(codec) });
      expect(pairs(run, 'reward')).toEqual([
        [1, 0.5],
        [3, Number.NaN],
      ]);
    }
    // Long columns with runs, dictionaries and gaps that span several pages and row groups.
    const many = Array.from({ length: 5000 }, (_, i) => i);
    const columns = {
      step: many,
      level: many.map((i) => (i % 7 === 0 ? null : Math.floor(i / 100) / 8)),
      loss: many.map((i) => Math.sin(i)),
      done: many.map((i) => i % 3 === 0),
    };
    const large = new Uint8Array(
      parquetWriteBuffer({
        pageSize: 4096,
        rowGroupSize: 2000,
        columnData: [
          { name: 'step', data: columns.step, type: 'INT32' },
          { name: 'level', data: columns.level, type: 'DOUBLE' },
          { name: 'loss', data: columns.loss, type: 'DOUBLE', encoding: 'BYTE_STREAM_SPLIT' },
          { name: 'done', data: columns.done, type: 'BOOLEAN' },
        ],
      }),
    );
    const run = await readOnly({ 'b.parquet': large });
    for (const key of ['level', 'loss', 'done'] as const) {
      const expected = columns[key].flatMap((value, i) =>
        value === null ? [] : [[i, Number(value)]],
      );
      expect(pairs(run, key), key).toEqual(expected);
    }
    const whole = bytes('SNAPPY');
    for (let end = 4; end < whole.length; end++) {
      await expect(readAll({ 'a.parquet': whole.subarray(0, end) })).rejects.toThrow(LogError);
    }
  });
});

const sb3Table = `---------------------------------
| rollout/           |          |
|    ep_rew_mean     | 22.5     |
| time/              |          |
|    total_timesteps | 2048     |
| train/             |          |
|    approx_kl       | 0.01     |
---------------------------------
`;

describe('a W&B file', () => {
  const records = [1, 2, 3].map((step) =>
    wandbHistory(step, { 'a.b': step, c: Number.NaN, d: { _type: 'histogram', values: [1] } }),
  );

  it('may have records that span several blocks', async () => {
    const long = 'x'.repeat(70_000);
    const run = await readOnly({
      'run-1.wandb': wandbFile([
        ...records,
        wandbHistory(4, { 'a.b': 4, text: long }),
        wandbHistory(5, { 'a.b': 5 }),
      ]),
    });
    expect(run.axis.unit).toBe('logged rows');
    expect(pairs(run, 'a.b')).toEqual([1, 2, 3, 4, 5].map((n) => [n, n]));
    expect(pairs(run, 'c')[0]).toEqual([1, Number.NaN]);
    expect(run.series.map(({ key }) => key)).toEqual(['a.b', 'c']);
  });

  it('keeps intact records when truncated at any byte or damaged', async () => {
    const whole = wandbFile(records);
    const size = (whole.length - 7) / 3;
    for (let end = 7; end < whole.length; end++) {
      const reading = readOnly({ 'run-1.wandb': whole.subarray(0, end) });
      const full = Math.floor((end - 7) / size);
      if (full === 0) await expect(reading).rejects.toThrow(/no measurement/);
      else expect(pairs(await reading, 'a.b')).toHaveLength(full);
    }
    const damaged = whole.slice();
    damaged[7 + size + 10] = 0xff;
    const run = await readOnly({ 'run-1.wandb': damaged });
    expect(pairs(run, 'a.b')).toHaveLength(1);
    expect(run.notes.join()).toMatch(`damaged at byte ${7 + size}: wrong checksum`);
  });
});

describe('a W&B run folder', () => {
  const folder = 'wandb/run-20260101_000000-ab';
  const own = wandbFile([1, 2].map((step) => wandbHistory(step, { 'actor/entropy': 0.5 })));
  const printed = 'step:1 - actor/entropy:0.500\nstep:2 - actor/entropy:0.500\n';
  const files = (wandb: Uint8Array) => ({
    [`${folder}/run-ab.wandb`]: wandb,
    [`${folder}/files/output.log`]: printed,
  });

  it('is read as one run, although it also contains the console output', async () => {
    const { groups, others } = await recognizeAll(filesOf(files(own)));
    expect(groups).toHaveLength(1);
    expect(others.map(({ path }) => path)).toEqual([`${folder}/files/output.log`]);
    expect((await readOnly(files(own))).format).toBe('a W&B file');
    // Another run's console output is not skipped.
    const apart = { [`${folder}/run-ab.wandb`]: own, 'wandb/run-2-cd/files/output.log': printed };
    expect(await readAll(apart)).toHaveLength(2);
  });

  it('falls back to the console output if its own file is empty', async () => {
    const run = await readOnly(files(own.subarray(0, 20)));
    expect(run.format).toBe('verl’s console');
    expect(run.notes[0]).toMatch(
      /run-ab\.wandb has no measurements; .*output\.log is read instead/,
    );
  });
});

it('reads the folder of train --log as one run', async () => {
  const runs = [{ name: 'run', began: 1.7e9, rows: [{ iteration: 1, 'policy/entropy': 0.5 }] }];
  const [events] = readZip(writeLog(runs, 'events').bytes, () => 2 ** 20, 2 ** 20).values();
  const files = {
    'log/events.out.tfevents.1700000000.palestra.0.0': events ?? new Uint8Array(),
    'log/events.out.tfevents.1700000000.palestra.0.1': (events ?? new Uint8Array()).subarray(0, 40),
    'log/rows.jsonl': lines({ iteration: 1, 'policy/entropy': 0.5 }),
  };
  const { others } = await recognizeAll(filesOf(files));
  expect(others.map(({ why }) => why)).toEqual(Array(2).fill('duplicates log/rows.jsonl'));
  expect((await readOnly(files)).format).toBe('the trainer’s JSON lines');
  const damaged = { ...files, 'log/rows.jsonl': `${files['log/rows.jsonl']}{\n{}\n` };
  expect((await readOnly(damaged)).format).toBe('TensorBoard event files');
});

it('reads an MLflow folder and restores names that MLflow cannot write', async () => {
  const run = await readOnly({
    'mlruns/0/abc/metrics/critic/score/mean': '1700000000000 0.25 1\n1700000000001 0.5 2\n',
    'mlruns/0/abc/metrics/val-core/gsm8k/acc/mean_at_8': '1700000000000 0.75 2\n',
    'mlruns/0/abc/params/algorithm.gamma': '0.9',
    'mlruns/0/abc/meta.yaml': 'run_id: abc\n',
  });
  expect([run.tool, run.name]).toEqual(['verl', 'abc']);
  expect(column(run, 'rollout/score')).toEqual([0.25, 0.5]);
  expect(run.evidence.evaluations).toEqual([
    { iteration: 2, metrics: { iteration: 2, 'eval/success_rate': 0.75 } },
  ]);
  expect(run.evidence.facts.algorithm).toEqual({ gamma: 0.9 });
});

it('does not treat OpenRLHF’s return as a score', async () => {
  const run = await readOnly({
    'a.jsonl': lines({
      'train/global_step': 1,
      'train/reward': 0.5,
      'train/return': 0.01,
      'train/ppo_kl': -0.001,
      'train/entropy_loss': 0.4,
      'train/actor_lr': 1e-6,
      'eval/eval_math_pass1': 0.25,
    }),
  });
  expect([run.tool, run.axis.unit]).toEqual(['openrlhf', 'optimizer steps']);
  expect(run.evidence.rows[0]?.metrics).toEqual({
    iteration: 1,
    'rollout/score': 0.5,
    'policy/approx_kl': -0.001,
    'policy/entropy': 0.4,
    'policy/learning_rate': 1e-6,
  });
  expect(run.evidence.evaluations[0]?.metrics['eval/score']).toBe(0.25);
  expect(keysWithout(run)).toEqual(['train/return']);
});

it('combines rows of a long log for the diagnosis', async () => {
  const csv = `step,policy/entropy,rollout/truncated\n${Array.from({ length: 12_000 }, (_, i) => `${i + 1},${i % 3},0`).join('\n')}\n`;
  const run = await readOnly({ 'a.csv': csv });
  expect(run.evidence.rows).toHaveLength(4000);
  expect(run.evidence.rows.at(-1)?.metrics).toMatchObject({
    iteration: 12_000,
    'policy/entropy': 1,
  });
  expect(run.notes).toContain('For the diagnosis, every 3 rows of the log are combined into one.');
  expect(run.series.find(({ key }) => key === 'policy/entropy')?.x).toHaveLength(12_000);
});

it.each([
  ['an empty file', '', /is empty/],
  ['plain text', 'hello\nyou\n', /not a log of a known format/],
  ['a table of runs', 'Name,State,reward\na,finished,1\n', /has no history/],
  ['one JSON object', '{\n  "a": 1\n}\n', /single JSON object/],
  ['a gzip file', Uint8Array.of(0x1f, 0x8b, 8, 0), /unpack it first/],
  ['a file of zeros', new Uint8Array(1000), /not a log of a known format/],
] as const)('ignores %s', async (_, content, why) => {
  const { groups, others } = await recognizeAll(filesOf({ a: content }));
  expect(groups).toEqual([]);
  expect(others[0]?.why).toMatch(why);
});

it('limits the size of logs only, not of files beside them', async () => {
  const checkpoint = (path: string, read: LogFile['read']): LogFile => ({
    ...{ path, read, size: 2 * foreignLimits.bytes },
  });
  const log = textFile('train.log', 'step:1 - actor/entropy:0.500\n');
  const zeros = checkpoint('model.pt', async () => new Uint8Array(64));
  const zip = zipSync({ 'model/data.pkl': new Uint8Array(64) });
  const zipped = checkpoint('optimizer.pt', async (from, to) => zip.subarray(from, to));
  const { groups, others } = await recognizeAll([log, zeros, zipped]);
  expect(groups.map(({ kind }) => kind)).toEqual(['verl-console']);
  expect(others).toContainEqual({
    path: 'optimizer.pt',
    why: 'is not a log of a known format',
  });
  const huge = checkpoint('huge.log', log.read);
  await expect(recognizeAll([log, huge])).rejects.toThrow(/bytes in total; the limit is/);
});

it('reads the other logs if a file cannot be read', async () => {
  const log = textFile('b.log', 'step:1 - actor/entropy:0.500\n');
  const read = () => Promise.reject(new LogError('cannot be read (EACCES)'));
  const { groups, others } = await recognizeAll([{ path: 'a.log', size: 10, read }, log]);
  expect(groups.map(({ files: [file] }) => file?.path)).toEqual(['b.log']);
  expect(others).toEqual([{ path: 'a.log', why: 'cannot be read (EACCES)', unreadable: true }]);
});

it('ignores W&B’s summary, which has no history', async () => {
  const { groups, others } = await recognizeAll(
    filesOf({ 'files/wandb-summary.json': '{"a": 1}' }),
  );
  expect([groups, others]).toEqual([
    [],
    [{ path: 'files/wandb-summary.json', why: 'contains only the last values' }],
  ]);
});

it.each([
  ['a line that is too long', `{"a": 1}\n{"a": "${'x'.repeat(2 ** 21)}"}\n`, /line 2/],
  ['a line that is not JSON', '{"a": 1}\noops\n{"a": 2}\n', /line 2 is not JSON/],
  [
    'too many columns',
    `step,a\n1,2\n`.replace('a', Array.from({ length: 6000 }, (_, i) => `c${i}`).join(',')),
    /6001 columns/,
  ],
  ['an unclosed cell', `a,b\n1,"${'x'.repeat(2 ** 23)}`, /row/],
] as const)('rejects %s', async (_, content, why) => {
  const reading = readAll({ 'a.log': content });
  await expect(reading).rejects.toThrow(LogError);
  await expect(reading).rejects.toThrow(why);
});
