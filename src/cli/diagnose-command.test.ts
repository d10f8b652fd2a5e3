import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setConfigValues } from '../config/text.ts';
import { configOf, findProvocation } from '../diagnosis/testing/provocations.ts';
import { readRecorded, rowsOf } from '../diagnosis/testing/recorded.ts';
import { eventFile, type Scalar } from '../exchange/logs/testing/files.ts';
import { diagnoseCommand } from './diagnose-command.ts';
import { tableMachine, testFolder } from './testing/commands.ts';

const folder = testFolder();

async function run(...args: readonly string[]) {
  const out: string[] = [];
  const log: string[] = [];
  let open = 0;
  const code = await diagnoseCommand(args, {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
    open: async () => {
      open += 1;
      return {
        ...tableMachine,
        close: () => {
          open -= 1;
        },
      };
    },
  });
  expect(open).toBe(0);
  return { code, out: out.join('\n'), log: log.join('\n') };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** The local header of `run.json`, without the rest of a zip. */
const cutRunFile = `PK\x03\x04${'\0'.repeat(22)}\x08\0\0\0run.json`;

/** A recorded run as printed by `train --json`. */
function logOf(name: string, end: boolean): string {
  const lines: object[] = rowsOf(readRecorded(`${name}.1`)).map(({ metrics }) => metrics);
  const iteration = lines.length;
  const config = configOf(findProvocation(name), 1);
  if (end) lines.push({ final: true, stopped: 'iterations', iteration, config });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const gamma = file('gamma.jsonl', logOf('gamma-1', true));
const sound = file('sound.jsonl', logOf('untouched', true));

const adapted = file(
  'adapted.jsonl',
  logOf('gamma-1', true).replace('"final":true', '"final":true,"model":{"name":"tiny/llama"}'),
);
const remote = file(
  'remote.jsonl',
  logOf('gamma-1', true).replace(/"id":"[^"]+"/, '"id":"remote/openenv-v1"'),
);
const settings = file('settings.json', JSON.stringify(configOf(findProvocation('gamma-1'), 1)));

describe('diagnose', () => {
  it('prints the findings of a failing run and none for a healthy one', async () => {
    const { code, out, log } = await run(gamma, '--json');
    expect([code, log]).toEqual([0, '']);
    const { findings, not_computable } = JSON.parse(out);
    expect(not_computable).toEqual([]);
    expect(findings).toHaveLength(1);
    expect(Object.keys(findings[0])).toEqual([
      ...['mode', 'title', 'text', 'onset', 'interval', 'known', 'confidence'],
      ...['evidence', 'rivals', 'remedies'],
    ]);
    expect(findings[0]).toMatchObject({ mode: 'bootstrapping_at_horizon', onset: 26, known: 27 });
    expect(findings[0].remedies[0]).toMatchObject({ setting: 'algorithm.gamma', value: 0.95 });
    expect(findings[0].rivals[0].separated_by).toMatch(/0\.95/);
    const healthy = JSON.parse((await run(sound, '--json')).out);
    expect(healthy).toMatchObject({ findings: [], not_computable: [] });
    expect(healthy.outcome.state).toBe('learning');
  });

  it('accepts several files and prints a text report', async () => {
    const { code, out } = await run(gamma, sound, '--json');
    expect(code).toBe(0);
    const output = out.split('\n').map((line) => JSON.parse(line));
    expect(output.map((one) => [one.file, one.findings.length])).toEqual([
      [gamma, 1],
      [sound, 0],
    ]);
    const words = (await run(gamma)).out;
    expect(words).toMatch(/55 iterations, slow collapse, 1 finding/);
    expect(words).toMatch(/γ = 1\. \[bootstrapping_at_horizon, since iteration 26 \(26 to 27\)/);
    expect(words).toMatch(/try: .* \(--set algorithm\.gamma=0\.95\)/);
    expect((await run(sound)).out).toMatch(/learning, no findings\n {2}Success rate rose from/);
  });

  it('compares the settings of two runs', async () => {
    const settings = async (other: string) =>
      JSON.parse((await run(gamma, other, '--compare', '--json')).out).settings;
    expect(await settings(gamma)).toEqual([]);
    const changed = logOf('gamma-1', true)
      .replace('"gamma":1,', '"gamma":0.95,')
      .replace('"mixture":[]', '"mixture":[{"id":"maze/double-t-v1"}]');
    expect(await settings(file('changed.jsonl', changed))).toMatchObject([
      { path: 'algorithm.gamma', values: [1, 0.95] },
      { path: 'env.mixture', values: ['[]', expect.stringContaining('maze/double-t-v1')] },
    ]);
  });

  it('lists the settings missing from a truncated log, and reads them from --config', async () => {
    const cut = file('cut.jsonl', logOf('gamma-1', false).slice(0, -20));
    const { out, log } = await run(cut, '--json');
    expect(log).toMatch(/Line 55 is incomplete/);
    const { findings, not_computable } = JSON.parse(out);
    expect(findings.map(({ mode }: { mode: string }) => mode)).not.toContain(
      'bootstrapping_at_horizon',
    );
    expect(not_computable).toContainEqual({
      mode: 'bootstrapping_at_horizon',
      log: ['algorithm.gamma', 'algorithm.advantage'],
    });
    expect((await run(cut, '--config', settings, '--json')).out).toContain(
      '"bootstrapping_at_horizon"',
    );
  });

  it.each([
    [[], /PATH… is required/],
    [[join(folder, 'nowhere')], /cannot be read/],
    [[file('words.txt', 'hello\nyou\n')], /words\.txt is not a log of a known format/],
    [[file('bytes.bin', 'PK and no zip')], /bytes\.bin is not a log of a known format/],
    [[file('cut.run', cutRunFile)], /cut\.run cannot be used: .*zip/],
    [[gamma, '--loud'], /--loud/],
    [[gamma, '--config', gamma], /config file .* is not JSON/],
    [[gamma, '--prove', '--seeds', '0'], /--seeds/],
    [[gamma, '--prove', '--iterations', '1'], /--iterations/],
    [[file('short.jsonl', logOf('gamma-1', false)), '--prove'], /does not contain the settings/],
    [[gamma, file('empty.jsonl', ''), '--json'], /empty\.jsonl is empty/],
    [[gamma, '--webhook', 'http://host'], /^--webhook needs --follow$/],
    [[gamma, '--until-finding'], /^--until-finding needs --follow$/],
    [[gamma, '--every', '2'], /^--every needs --follow$/],
    [[gamma, '--idle', '2'], /^--idle needs --follow$/],
    [[gamma, '--seeds', '1'], /^--seeds needs --prove$/],
    [[gamma, '--iterations', '40'], /^--iterations needs --prove$/],
    [[gamma, sound, '--compare', '--prove'], /^--compare cannot be combined with --prove$/],
    [[adapted, '--prove'], /adapter of the pretrained model tiny\/llama and cannot be replayed/],
    [[adapted, '--prove', '--config', settings], /the pretrained model tiny\/llama/],
    [[remote, '--prove'], /played a remote environment and cannot be replayed/],
  ])('rejects %j with a one-line message', async (args, problem) => {
    const { code, out, log } = await run(...args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(log).toMatch(problem);
    expect(log.split('\n')).toHaveLength(1);
  });

  it('reads another tool’s log folder and lists missing metrics and unmapped series', async () => {
    const place = join(folder, 'runs', 'CartPole__ppo__1');
    mkdirSync(place, { recursive: true });
    const events = eventFile(
      [1, 2, 3].flatMap((update): Scalar[] => [
        { tag: 'losses/approx_kl', step: 2048 * update, value: 0.25 },
        { tag: 'losses/clipfrac', step: 2048 * update, value: 0.5 },
        { tag: 'losses/entropy', step: 2048 * update, value: 0.5 },
        { tag: 'charts/SPS', step: 2048 * update, value: 900 },
        { tag: 'mine', step: 2048 * update, value: update },
      ]),
    );
    writeFileSync(join(place, 'events.out.tfevents.1.host.2.0'), events);
    writeFileSync(join(place, 'notes.txt'), 'nothing');
    const { code, out, log } = await run(join(folder, 'runs'), '--json');
    expect([code, log]).toEqual([0, '']);
    const output = JSON.parse(out);
    expect(output.findings[0]).toMatchObject({ mode: 'learning_rate_too_high', onset: 2048 });
    expect(output.outcome).toBeNull();
    expect(output.summary).toMatch(/^No series of this log is recognized as a score/);
    expect(output.not_computable).toContainEqual({
      mode: 'gradient_spike',
      log: [expect.stringMatching(/writer\.add_scalar\("losses\/grad_norm"/)],
    });
    expect(output.log).toMatchObject({
      ...{ tool: 'cleanrl', format: 'TensorBoard event files', axis: 'environment steps', rows: 3 },
      not_mapped: ['mine'],
    });
    const words = (await run(join(folder, 'runs'))).out;
    expect(words).toMatch(
      /CleanRL, 3 rows up to 6,144 environment steps, no known score, 1 finding/,
    );
    expect(words).toMatch(/since step 2048/);
    expect(words).toMatch(/losses\/clipfrac is mapped to policy\/clip_fraction: counts all/);
    expect(words).toMatch(/not mapped: mine$/);
  });

  it('replays the run with each remedy if --prove is given', async () => {
    const fast = file('fast.jsonl', logOf('learning-rate-0.02', true));
    const small = setConfigValues(configOf(findProvocation('learning-rate-0.02'), 1), [
      ['rollout.tasks_per_iteration', '2'],
      ['rollout.group_size', '2'],
      ['evaluation.tasks', '2'],
    ]);
    const config = file('small.json', JSON.stringify(small));
    const asked = [fast, '--config', config];
    const prove = [...asked, '--prove', '--iterations', '2'];
    const { code, out, log } = await run(...prove, '--json');
    expect(code).toBe(0);
    const [cost, ...forks] = log.split('\n');
    expect(cost).toMatch(
      /0 shared iterations, then 5 forks of 2 iterations each; at most 10 iterations in total/,
    );
    expect(forks[0]).toMatch(/: 2 iterations, \d+ s; seed 1, unchanged: greedy \d+%/);
    // No remedy takes effect within two iterations, so the finding is refuted and its confidence halved.
    const { proof, confidence } = JSON.parse(out).findings.find(
      ({ mode }: { mode: string }) => mode === 'learning_rate_too_high',
    );
    expect(proof).toMatchObject({ outcome: 'refuted', from: 0, to: 2, seeds: [1], iterations: 10 });
    // The replay uses a table instead of a network, so it differs from the log.
    expect(proof.differs_from_log_at).toBe(1);
    expect(proof.cures.map(({ set }: { set: object }) => set)).toEqual([
      { 'optimizer.learning_rate': '0.0067' },
      { 'optimizer.learning_rate': '0.002' },
      { 'optimizer.warmup_updates': '20' },
      { 'algorithm.clip_high': '1.2' },
    ]);
    const [untried] = JSON.parse((await run(...asked, '--json')).out).findings;
    expect(confidence).toBeCloseTo(untried.confidence / 2, 1);
    expect(untried).not.toHaveProperty('proof');
    const words = (await run(...prove)).out;
    expect(words).toMatch(/refuted: none of its remedies helps\. Continued from iteration 0 to 2/);
    expect(words).toMatch(/The replay differs from the run, starting at iteration 1/);
  });

  it('reports skipped parts of a log also with --compare', async () => {
    const cut = file('cut-off.jsonl', logOf('gamma-1', false).slice(0, -20));
    const { code, log } = await run(gamma, cut, '--compare');
    expect(code).toBe(0);
    expect(log).toMatch(/^\S+cut-off\.jsonl: Line 55 is incomplete and was left out\.$/);
  });

  it('reports a device that cannot be opened with a one-line message and exit code 1', async () => {
    const log: string[] = [];
    const code = await diagnoseCommand([gamma, '--prove'], {
      ...{ out: () => {}, log: (line) => log.push(line) },
      open: () => Promise.reject(new Error('no GPU')),
    });
    expect([code, log]).toEqual([1, ['Error: no GPU']]);
  });

  it('replays nothing for a healthy run', async () => {
    expect(await run(sound, '--prove')).toMatchObject({ code: 0, log: '' });
  });

  it('prints its help', async () => {
    expect((await run('--help')).out).toMatch(/diagnose -- PATH/);
  });
});
