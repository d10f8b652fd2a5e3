import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/check.ts';
import { describeConfig } from '../config/fields.ts';
import { methodDifferences } from '../config/method-differences.ts';
import { findMethod, withMethod } from '../config/methods.ts';
import { optionFields, panelFields, textOf } from '../config/panel-fields.ts';
import { presetConfig } from '../config/presets.ts';
import { inForce } from '../config/relevance.ts';
import { setConfigValues } from '../config/text.ts';
import { createEnvironment, environmentFamilies } from '../envs/registry.ts';
import type { WorkerMessage } from '../lab/protocol.ts';
import type { EnvironmentResult, TokenSample, UpdateDetail } from '../runs/details.ts';
import type { MetricRow } from '../runs/metrics.ts';
import type { Row } from '../runs/row.ts';
import { ageBins } from './charts/age-bins.ts';
import { imitationLevel } from './charts/charts.tsx';
import { environmentSeries } from './charts/environments.tsx';
import { axesOf, ratioTicks } from './charts/quadrant-axes.ts';
import { waitingForDiagnosis } from './charts/waiting.ts';
import { deviceName, fasterLine, whatWouldBeFaster } from './device/words.ts';
import { grouped, groupName } from './environments/families.ts';
import { choiceOf, matching, meantAction } from './episode/actions.ts';
import { outcome } from './episode/dialogue.tsx';
import { environmentOf, environmentsOf } from './episode/environments.ts';
import { act, beginTask, expertEpisode, isOver, reenact } from './episode/reenact.ts';
import { isGlued, partTokens, startOf } from './episode/tokens.ts';
import { beginRun, KEPT_DIAGNOSES, receive, useLab } from './lab/store.ts';
import { skippedUpdates } from './notices/notices.tsx';
import { browserOf, platformOf, webGpuAdvice } from './notices/webgpu-advice.ts';
import { secondsLeft } from './overview/overview.tsx';
import { storyOf } from './overview/story.ts';
import { Boundary } from './page/boundary.tsx';
import {
  firstMixture,
  percentages,
  withImitationWeight,
  withOption,
  withPart,
  withShare,
} from './settings/mixture-parts.ts';
import { horizonOf } from './settings/settings-horizon.tsx';
import {
  chooseMethod,
  discardEdits,
  draft,
  edit,
  errorOf,
  inChosen,
  useSettings,
} from './settings/store-settings.ts';

const row = (iteration: number, metrics: MetricRow): Row => ({
  iteration,
  metrics,
  details: { updates: [], staleness: [] },
  milliseconds: 500,
});
const updated = (iteration: number, ...updates: readonly UpdateDetail[]): Row => ({
  ...row(iteration, {}),
  details: { updates, staleness: [] },
});
const config = presetConfig('maze');
const [maze, wordle] = ['maze/double-t-v1', 'wordle/wordle-v1'];
/** An agent of two environments. */
const mixed = parseConfig({ env: { mixture: [{ id: maze }, { id: wordle, share: 3 }] } });

const update = (given: Partial<UpdateDetail>): UpdateDetail => ({
  update: 1,
  loss: 0,
  entropy: 1,
  clipLow: 0.8,
  clipHigh: 1.2,
  positiveShare: 0.5,
  clippedLow: 0,
  clippedHigh: 0,
  gradNorm: 1,
  skipped: false,
  positiveCounts: [0, 1, 0],
  negativeCounts: [0, 1, 0],
  positivePull: [0, 1, 0],
  negativePull: [0, 1, 0],
  ...given,
});

describe('the store', () => {
  const runId = 'run-test';
  const iteration = (number: number): Extract<WorkerMessage, { type: 'iteration' }> => ({
    type: 'iteration',
    runId,
    iteration: number,
    metrics: { iteration: number, 'rollout/success_rate': 0.5 },
    details: { updates: [], staleness: [[number, 5]] },
    episodes: [],
    milliseconds: 100,
  });

  it('keeps one row per iteration, puts evaluations into it and drops other runs', () => {
    beginRun(runId, config, 'maze');
    receive(iteration(1));
    receive({ ...iteration(9), runId: 'run-before' });
    receive({
      type: 'evaluation',
      runId,
      iteration: 1,
      metrics: { 'eval/success_rate': 0.75 },
      episodes: [],
    });
    receive(iteration(2));
    const { rows, evaluations } = useLab.getState();
    expect(rows.map((kept) => kept.iteration)).toEqual([1, 2]);
    expect(rows[0]?.metrics['eval/success_rate']).toBe(0.75);
    expect(evaluations).toHaveLength(1);
    expect(secondsLeft({ rows, config })).toBeCloseTo((config.stopping.iterations - 2) * 0.1);
  });

  it('keeps every update, the newest staleness and the newest diagnoses', () => {
    beginRun(runId, config, 'maze');
    const last = KEPT_DIAGNOSES + 3;
    for (let number = 1; number <= last; number++) {
      receive({
        ...iteration(number),
        details: {
          updates: [update({ update: number })],
          staleness: [[number, 5]],
          diagnosis: { update: number, clipLow: 0.8, clipHigh: 1.2, samples: [] },
        },
      });
    }
    receive(iteration(last + 1));
    const lab = useLab.getState();
    expect(lab.rows.flatMap(({ details }) => details.updates)).toHaveLength(last);
    expect(lab.staleness).toEqual([[last + 1, 5]]);
    expect(lab.diagnoses).toHaveLength(KEPT_DIAGNOSES);
    // Their samples are large: the rows do not hold them a second time.
    expect(lab.rows.some(({ details }) => details.diagnosis !== undefined)).toBe(false);
    expect(lab.diagnoses[0]?.iteration).toBe(4);
    expect(lab.diagnoses.at(-1)?.diagnosis.update).toBe(last);
    beginRun(runId, config, 'maze');
    expect(useLab.getState().diagnoses).toEqual([]);
  });

  it('keeps the results of each environment of a mixture', () => {
    const result = (id: string, successRate: number): EnvironmentResult => ({
      id,
      episodes: 8,
      successRate,
      score: successRate,
      turns: 4,
    });
    beginRun(runId, mixed, 'maze');
    receive({
      ...iteration(1),
      details: { updates: [], staleness: [], environments: [result(maze, 0.25)] },
    });
    receive({
      type: 'evaluation',
      runId,
      iteration: 1,
      metrics: { 'eval/success_rate': 0.75 },
      environments: [result(maze, 0.5), result(wordle, 1)],
      episodes: [],
    });
    const [first] = useLab.getState().rows;
    const values = environmentSeries(mixed).map(({ name, read }) => [
      name,
      first === undefined ? undefined : read(first),
    ]);
    expect(values).toEqual([
      ['Double-T maze, training', 0.25],
      ['Double-T maze', 0.5],
      ['Wordle, training', undefined],
      ['Wordle', 1],
    ]);
    const unevaluated = parseConfig({ ...mixed, evaluation: { interval: 0 } });
    expect(environmentSeries(unevaluated).map(({ name }) => name)).toEqual([
      'Double-T maze',
      'Wordle',
    ]);
    expect(environmentSeries(config)).toEqual([]);
  });

  it('keeps the record of a run that failed', () => {
    beginRun(runId, config, 'maze');
    receive(iteration(1));
    receive({ type: 'error', runId, name: 'DeviceLostError', message: 'gone', advice: 'again' });
    receive({ type: 'status', runId, status: 'failed' });
    const lab = useLab.getState();
    expect(lab.status).toBe('failed');
    expect(lab.error?.name).toBe('DeviceLostError');
    expect(lab.rows).toHaveLength(1);
    expect(storyOf(lab).detail).toContain('kept');
  });
});

describe('the story and the charts', () => {
  const token = (logp: number, ratio: number, advantage: number): TokenSample => ({
    logp,
    ratio,
    advantage,
    entropy: 1,
  });

  it('says what the lab does before the first row, and marks what imitation had come to', () => {
    const lab = { ...useLab.getState(), rows: [], status: 'running' as const };
    expect(storyOf({ ...lab, phase: 'imitate' }).headline).toMatch(/by heart/);
    expect(storyOf({ ...lab, status: 'asked' }).detail).toMatch(/large run/);
    expect(storyOf({ ...lab, status: 'paused' }).detail).toMatch(/Press Start/);
    expect(storyOf({ ...lab, status: 'failed' }).detail).toBe('Nothing had been computed yet.');
    const rows = [row(1, { 'rollout/success_rate': 0.2 })];
    expect(imitationLevel(rows)).toEqual([]);
    const copied = [row(1, { 'imitation/success_rate': 0.4, 'rollout/success_rate': 0.3 })];
    expect(imitationLevel(copied)).toEqual([
      { value: 0.4, name: 'after imitation 40%', above: true },
    ]);
    expect(storyOf({ ...lab, rows: copied }).detail).toMatch(/40% of the evaluation tasks/);
    expect(storyOf({ ...lab, rows: copied, status: 'failed' }).detail).toMatch(/1 iterations/);
  });

  it('says when the first diagnosis comes', () => {
    expect(waitingForDiagnosis(config)).toMatch(/after iteration 5/);
    expect(waitingForDiagnosis(parseConfig({ diagnostics: { interval: 0 } }))).toMatch(/are off/);
  });

  it('holds both bounds and nearly all tokens on its axes, with room to mark ratios', () => {
    const ratios = fc.double({ min: 0.1, max: 10, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(ratios, fc.double({ min: -3, max: 3, noNaN: true })), { maxLength: 120 }),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        fc.double({ min: 1, max: 4, noNaN: true }),
        (tokens, clipLow, clipHigh) => {
          const samples = tokens.map(([ratio, advantage]) => token(-1, ratio, advantage));
          const { ratio, advantage } = axesOf([{ update: 1, clipLow, clipHigh, samples }]);
          for (const value of [clipLow, clipHigh, 1]) {
            expect(value).toBeGreaterThan(ratio[0]);
            expect(value).toBeLessThan(ratio[1]);
          }
          const outside = samples.filter((s) => s.ratio < ratio[0] || s.ratio > ratio[1]);
          expect(outside.length).toBeLessThanOrEqual(0.04 * samples.length);
          for (const sample of samples) {
            expect(Math.abs(sample.advantage)).toBeLessThanOrEqual(advantage);
          }
          const ticks = ratioTicks(ratio, 600, 44);
          expect(ticks).toContain(1);
          const at = ticks.map((tick) => (600 * Math.log(tick)) / Math.log(ratio[1] / ratio[0]));
          for (let i = 1; i < at.length; i++) {
            expect((at[i] ?? 0) - (at[i - 1] ?? 0)).toBeGreaterThanOrEqual(44 - 1e-9);
          }
        },
      ),
    );
  });

  it('sorts ages into bins that double, and loses no token', () => {
    expect(
      ageBins([
        [0, 10],
        [2, 4],
        [3, 1],
        [4, 2],
        [9, 5],
      ]),
    ).toEqual([
      { name: '0', tokens: 10 },
      { name: '1', tokens: 0 },
      { name: '2', tokens: 4 },
      { name: '3–4', tokens: 3 },
      { name: '5–8', tokens: 0 },
      { name: '9–16', tokens: 5 },
    ]);
    expect(ageBins([])).toEqual([]);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5000), fc.nat(1000)), { maxLength: 40 }),
        (staleness) => {
          const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
          expect(sum(ageBins(staleness).map(({ tokens }) => tokens))).toBe(
            sum(staleness.map(([, tokens]) => tokens)),
          );
        },
      ),
    );
  });

  it('counts skipped updates with their causes', () => {
    expect(skippedUpdates([row(1, {})])).toBeNull();
    const rows = [
      updated(1, update({}), update({ skipped: true, cause: 'ratios' })),
      updated(2, update({ skipped: true, cause: 'ratios' })),
      updated(3, update({})),
    ];
    expect(skippedUpdates(rows)).toEqual({ count: 2, causes: ['ratios'], iteration: 2 });
  });
});

describe('settings', () => {
  it('shows every field of the schema, with the options of the environment in place', () => {
    for (const { id, options } of environmentFamilies) {
      const paths = panelFields(id).map(({ path }) => path);
      for (const { path } of describeConfig()) {
        if (path !== 'env.options') expect(paths).toContain(path);
      }
      for (const name of Object.keys(options)) expect(paths).toContain(`env.options.${name}`);
    }
  });

  it('makes a field of every kind of option', () => {
    const fields = new Map(optionFields(wordle, 'env').map((field) => [field.path, field]));
    expect(fields.get('env.options.openings')).toMatchObject({ type: 'integer', min: 0, max: 3 });
    expect(fields.get('env.options.list')).toMatchObject({
      type: 'choice',
      choices: ['small', 'medium', 'large'],
    });
    expect(fields.get('env.options.words')?.option?.type).toBe('text');
    for (const { id } of environmentFamilies) {
      const edits = { 'env.id': id, 'env.mixture': '[]' };
      for (const field of optionFields(id, 'env')) {
        const text = String(field.default);
        expect(draft(config, { ...edits, [field.path]: text }).errors).toEqual({});
      }
    }
    const wrong = draft(config, { 'env.id': wordle, 'env.options.words': 'crane, toolong' });
    expect(wrong.config).toBeNull();
    const message = errorOf(wrong.errors, 'env.options.words');
    expect(message).toMatch(/toolong/);
    expect(message).not.toMatch(/, got/);
  });

  it('groups environments by the first part of their ids', () => {
    expect(groupName('maze/generated-v2')).toBe('Maze');
    expect(groupName('babyai/goto-obj-v1')).toBe('BabyAI');
    expect(groupName('textcraft/textcraft-v1')).toBe('TextCraft');
    expect(groupName('searchqa/searchqa-v1')).toBe('Question answering by search');
    expect(grouped([1, 2, 3, 4], (n) => (n % 2 === 0 ? 'even' : 'odd'))).toEqual([
      { group: 'odd', items: [1, 3] },
      { group: 'even', items: [2, 4] },
    ]);
  });

  it('shares the tasks of a mixture out in whole percent', () => {
    const shares = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), {
      minLength: 1,
      maxLength: 32,
    });
    fc.assert(
      fc.property(shares, fc.nat(31), fc.integer({ min: -20, max: 120 }), (given, at, wanted) => {
        const index = at % given.length;
        const next = withShare(given, index, wanted);
        expect(next.reduce((sum, share) => sum + share, 0)).toBe(100);
        for (const share of next) {
          expect(Number.isInteger(share)).toBe(true);
          expect(share).toBeGreaterThanOrEqual(1);
        }
        if (given.length > 1) {
          expect(next[index]).toBe(Math.min(101 - given.length, Math.max(1, wanted)));
        }
      }),
    );
    expect(withShare([50, 30, 20], 0, 75)).toEqual([75, 15, 10]);
    expect(percentages([1, 3])).toEqual([25, 75]);
  });

  it('edits the parts of a mixture into a config, and names what is wrong in one', () => {
    const parts = withPart(firstMixture({ id: maze, options: {} }), {
      id: 'maze/generated-v2',
      options: {},
    });
    expect(parts).toHaveLength(3);
    expect(parts[1]?.id).not.toMatch(/^maze/);
    const read = (next: typeof parts) => draft(config, { 'env.mixture': JSON.stringify(next) });
    expect(read(parts).config?.env.mixture).toEqual(parts);
    const sized = withOption(parts, 2, 'size', '9');
    expect(read(sized).config?.env.mixture[2]?.options).toEqual({ size: 9 });
    // A default is not kept, and what is no size is named where it stands.
    expect(withOption(sized, 2, 'size', '7')).toEqual(parts);
    const wrong = read(withOption(parts, 2, 'size', 'many'));
    expect(wrong.config).toBeNull();
    expect(errorOf(wrong.errors, 'env.mixture.2.options.size')).toMatch(/from 5 to 15/);
    expect(errorOf(wrong.errors, 'env.mixture.1')).toBeUndefined();
    const weighed = read(withImitationWeight(parts, 1, '2.5'));
    expect(weighed.config?.env.mixture[1]?.imitation_weight).toBe(2.5);
    for (const text of ['', 'much', '0']) {
      const { config: none, errors } = read(withImitationWeight(parts, 1, text));
      expect(none).toBeNull();
      expect(errorOf(errors, 'env.mixture.1.imitation_weight')).toBeDefined();
    }
  });

  it('reads edits together and names every value at fault', () => {
    const good = draft(config, {
      'policy.width': '64',
      'policy.heads': '4',
      'policy.kv_heads': '4',
    });
    expect(good.errors).toEqual({});
    expect(good.config?.policy.heads).toBe(4);

    const bad = draft(config, {
      'rollout.group_size': '0',
      'horizon.rounds': '6, 4',
      seed: '7',
    });
    expect(bad.config).toBeNull();
    expect(Object.keys(bad.errors).sort()).toEqual(['horizon.rounds', 'rollout.group_size']);
    expect(errorOf(bad.errors, 'horizon.rounds')).toMatch(/never decrease/);
    expect(errorOf(bad.errors, 'seed')).toBeUndefined();
    expect(errorOf(draft(config, { 'horizon.rounds': '3, x' }).errors, 'horizon.rounds')).toMatch(
      /list/,
    );
  });

  it('enters a method as edits, which the config then is recognised by', () => {
    discardEdits();
    const config = {
      ...presetConfig('maze'),
      algorithm: { ...withMethod(presetConfig('maze'), 'grpo').algorithm, clip_high: 1.5 },
    };
    chooseMethod(config, 'bapo');
    const { edits } = useSettings.getState();
    // The config's own bound 1.5 differs from the method's; the lower bound 0.8 does not.
    expect(Object.keys(edits).sort()).toEqual([
      'algorithm.clip_high',
      'algorithm.dual_clip',
      'algorithm.objective',
    ]);
    const next = draft(config, edits).config;
    expect(next).toEqual(withMethod(config, 'bapo'));
    // One more method on top of the edits leaves nothing of the first behind.
    chooseMethod(config, 'rloo');
    expect(draft(config, useSettings.getState().edits).config).toEqual(withMethod(config, 'rloo'));
    discardEdits();
  });

  it('says which settings of a method are not its paper’s, and whose they are', () => {
    const preset = presetConfig('maze');
    const grpo = findMethod('grpo');
    expect(methodDifferences(grpo, withMethod(preset, 'grpo', 'published'), preset)).toEqual([]);
    const adapted = methodDifferences(grpo, withMethod(preset, 'grpo'), preset);
    expect(adapted.map(({ path, here, published }) => [path, here, published])).toEqual([
      ['algorithm.loss_aggregation', 'token_mean', 'seq_mean_token_mean'],
      ['algorithm.kl_coef', '0', '0.04'],
    ]);
    expect(adapted[1]?.why).toMatch(/random weights/);
    const tuned = setConfigValues(preset, [['algorithm.value_coef', '1']]);
    const ppo = methodDifferences(findMethod('ppo'), tuned, preset);
    const whyOf = (path: string) => ppo.find((difference) => difference.path === path)?.why;
    expect(whyOf('algorithm.clip_high')).toBe('The preset’s.');
    expect(whyOf('algorithm.value_coef')).toBe('Yours.');
  });

  it('reads the edits that are valid while others are not', () => {
    const { config: next, readable } = draft(config, {
      'rollout.group_size': '0',
      'algorithm.objective': 'cispo',
    });
    expect(next).toBeNull();
    expect(readable.algorithm.objective).toBe('cispo');
    expect(readable.rollout.group_size).toBe(config.rollout.group_size);
  });

  it('hides what changes nothing', () => {
    const config = withMethod(presetConfig('maze'), 'grpo');
    const shown = (given: Readonly<Record<string, string>>) => {
      const read = (path: string) => given[path] ?? textOf(config, path);
      return new Set(
        panelFields(config.env.id)
          .map(({ path }) => path)
          .filter((path) => inForce(path, read)),
      );
    };
    const plain = shown({});
    expect(plain).toContain('algorithm.clip_high');
    for (const path of ['bapo.target', 'covariance.fraction', 'algorithm.gae_lambda']) {
      expect(plain).not.toContain(path);
    }
    const bapo = shown({ 'algorithm.objective': 'bapo' });
    expect(bapo).toContain('bapo.target');
    expect(bapo).not.toContain('algorithm.clip_high');
    const klCov = shown({ 'algorithm.objective': 'kl_cov' });
    expect(klCov).toContain('covariance.kl_coef');
    expect(klCov).not.toContain('covariance.low');
    expect(shown({ 'algorithm.advantage': 'gae' })).toContain('algorithm.gae_lambda');
    // What switches a section on is always in sight.
    for (const path of ['replay.share', 'imitation.epochs', 'preference.epochs']) {
      expect(plain).toContain(path);
    }
    expect(plain).not.toContain('replay.max_age');
    expect(shown({ 'replay.share': '0.5' })).toContain('replay.max_age');
  });

  it('drops the options of another environment', () => {
    const generated = presetConfig('maze-generated');
    const { config: next } = draft(generated, { 'env.id': 'maze/double-t-v1' });
    expect(next?.env.options).toEqual({});
    expect(textOf(generated, 'env.options.size')).toBe('7');
  });

  it('shows the defaults of an environment that was just chosen, and takes edits of them back', () => {
    discardEdits();
    edit(config, 'env.id', wordle);
    const { edits } = useSettings.getState();
    expect(textOf(inChosen(config, edits), 'env.options.list')).toBe('small');
    edit(config, 'env.options.list', 'medium');
    expect(useSettings.getState().edits['env.options.list']).toBe('medium');
    edit(config, 'env.options.list', 'small');
    expect(useSettings.getState().edits).toEqual({ 'env.id': wordle });
    edit(config, 'env.id', maze);
    expect(useSettings.getState().edits).toEqual({});
  });

  it('draws the schedule that trains', () => {
    const scaling = parseConfig({
      horizon: { schedule: 'scaling_inter', rounds: [4, 8], interval: 10 },
    });
    expect([1, 10, 11, 99].map(horizonOf(scaling))).toEqual([4, 4, 8, 8]);
  });
});

describe('episodes played again', () => {
  it.each(environmentFamilies.map(({ id }) => id))('%s: the expert reaches the goal', (id) => {
    const environment = createEnvironment(id);
    const source = { id, options: {} };
    const task = environment.evalTasks[0] ?? '';
    const episode = expertEpisode(environment, source, task);
    expect(episode.record.success).toBe(true);
    expect(episode.states).toHaveLength(episode.record.turns.length + 1);
    for (const { thought } of episode.record.turns) expect(thought).not.toBe('');
    expect(outcome(episode.record)).toMatch(/^Solved in \d+ turns?\. Reward \d/);
    expect(reenact(environment, episode.record).states).toEqual(episode.states);
  });

  it('lets a visitor act, also wrongly, until the turns are used up', () => {
    const id = 'maze/double-t-v1';
    const environment = createEnvironment(id);
    let episode = reenact(environment, beginTask(environment, { id, options: {} }, 'maze_0'));
    episode = act(environment, episode, 'sing');
    expect(episode.record.turns[0]?.understood).toBe(false);
    while (!isOver(environment, episode)) episode = act(environment, episode, 'move up');
    expect(episode.record.success).toBe(false);
    expect(episode.record.turns).toHaveLength(environment.turnLimit);
  });
});

describe('the stage', () => {
  it('plays the parts of a mixture, and makes an environment once', () => {
    expect(environmentsOf(config.env)).toEqual([{ id: maze, options: {} }]);
    expect(environmentsOf(mixed.env).map(({ id }) => id)).toEqual([maze, wordle]);
    const small = environmentOf({ id: wordle, options: {} });
    expect(environmentOf({ id: wordle, options: {} })).toBe(small);
    expect(environmentOf({ id: wordle, options: { list: 'medium' } })).not.toBe(small);
  });

  it('cuts tokens into thought and action', () => {
    const token = (text: string) => ({ text, probability: 0.5 });
    const words = (tokens: readonly { readonly text: string }[]) => tokens.map(({ text }) => text);
    const react = partTokens(
      ['Thought:', 'go', 'down', '.', 'Action:', 'move down', '<end>'].map(token),
    );
    expect(words(react.thought)).toEqual(['go', 'down', '.']);
    expect(words(react.action)).toEqual(['move down', '<end>']);
    expect(words(partTokens([token('move up')]).action)).toEqual(['move up']);
    // An agent that writes another `Action:` means the last one.
    const twice = partTokens(['Action:', 'a', 'Action:', 'b'].map(token));
    expect(words(twice.thought)).toEqual(['Action:', 'a']);
    expect(words(twice.action)).toEqual(['b']);
    expect(isGlued(token('.'), token('down'))).toBe(true);
    expect(isGlued(token('Gravik'), token('<search>'))).toBe(true);
    expect(isGlued(token('down'), token('go'))).toBe(false);
  });

  it('folds what is long at a word', () => {
    expect(startOf('short', 320)).toBeNull();
    const text = Array.from({ length: 200 }, () => 'word').join(' ');
    const start = startOf(text, 100);
    expect(start).toHaveLength(99);
    expect(text.startsWith(`${start} `)).toBe(true);
    expect(startOf('x'.repeat(500), 100)).toHaveLength(100);
  });

  it('offers keys, buttons or a list', () => {
    const keys = { ArrowUp: 'move up', w: 'move up', ArrowDown: 'move down' };
    const walk = choiceOf(keys, ['move down']);
    expect(walk.pad).toEqual([
      { key: 'ArrowUp', action: 'move up' },
      { key: 'ArrowDown', action: 'move down' },
    ]);
    expect(walk.padAlone).toBe(true);
    expect(choiceOf(keys, ['move up', 'pick up ball'])).toMatchObject({
      others: ['pick up ball'],
      padAlone: false,
    });
    // Without keys there is always a line to write in.
    expect(choiceOf({}, []).padAlone).toBe(false);
  });

  it('understands what is typed without spaces or in capitals', () => {
    const actions = ['a p p l e', 'g r a p e', 'get 1 oak logs'];
    expect(meantAction(' Apple ', actions)).toBe('a p p l e');
    expect(meantAction('GET 1 oak  logs', actions)).toBe('get 1 oak logs');
    expect(meantAction('<search>Gravik</search>', actions)).toBe('<search>Gravik</search>');
    expect(matching('ap', actions)).toEqual(['a p p l e', 'g r a p e']);
    expect(matching('g', actions)).toEqual(['g r a p e', 'get 1 oak logs']);
    expect(matching('', actions)).toEqual(actions);
  });

  it('keeps a picture that fails from the page, and tries again with the next', () => {
    const props = { children: 'picture', fallback: (message: string) => `failed: ${message}` };
    const failed = Boundary.getDerivedStateFromError(new Error('no such tile'));
    const noted = Boundary.getDerivedStateFromProps({ ...props, resetKey: 'one' }, failed);
    expect(noted?.failed?.message).toBe('no such tile');
    const state = noted ?? failed;
    expect(Boundary.getDerivedStateFromProps({ ...props, resetKey: 'one' }, state)).toBeNull();
    expect(Boundary.getDerivedStateFromProps({ ...props, resetKey: 'two' }, state)).toEqual({
      failed: null,
    });
  });
});

describe('advice without WebGPU', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

  it('tells browsers and platforms apart', () => {
    expect([browserOf(chrome), platformOf(chrome)]).toEqual(['Chrome', 'Linux']);
    expect(browserOf(`${chrome} Edg/140.0`)).toBe('Edge');
    expect(browserOf(chrome.replace('Chrome', 'HeadlessChrome'))).toBe('Chrome');
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';
    expect([browserOf(firefox), platformOf(firefox)]).toEqual(['Firefox', 'Windows']);
    const safari =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.4 Safari/605.1';
    expect([browserOf(safari), platformOf(safari)]).toEqual(['Safari', 'macOS']);
    expect(platformOf('Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)')).toBe('iOS');
  });

  it('says first what blocks every browser, and names the flags on Linux', () => {
    const { steps } = webGpuAdvice(chrome, false, false);
    expect(steps[0]).toMatch(/https/);
    expect(steps.join(' ')).toContain('chrome://flags/#enable-unsafe-webgpu');
    expect(webGpuAdvice(chrome, true, true).steps.join(' ')).not.toMatch(/https|version 113/);
  });
});

describe('what computes, in words', () => {
  const machine = {
    ...{ adapter: 'processor', processor: true, software: false, threads: 2 },
    ...{ withoutGpu: 'There is no WebGPU.', movedFrom: null, parameters: 1, vocabulary: 1 },
  };
  const here = { isolated: true, cores: 2, secure: true, reloadIsolates: false };
  const line = (...args: Parameters<typeof whatWouldBeFaster>) =>
    fasterLine(whatWouldBeFaster(...args));

  it('names the device and its threads', () => {
    expect(deviceName(machine)).toBe('Processor, 2 threads');
    expect(deviceName({ ...machine, threads: 1 })).toBe('Processor, 1 thread');
    expect(deviceName({ ...machine, adapter: 'Intel', processor: false, threads: 0 })).toBe(
      'Intel',
    );
  });

  it('says what would be faster, and nothing where nothing would', () => {
    expect(line(machine, 'auto', here)).toBe('A GPU would be faster');
    const gpu = { ...machine, adapter: 'Intel', processor: false, threads: 0, withoutGpu: null };
    expect(line(gpu, 'auto', here)).toBeNull();
    expect(line({ ...gpu, software: true }, 'webgpu', here)).toBe(
      'The processor itself would be faster',
    );
  });

  it('says how to have more threads, where the page is not isolated and there are more cores', () => {
    const one = { ...machine, threads: 1 };
    const apart = { ...here, isolated: false };
    expect(line(one, 'auto', apart)).toBe('A GPU or more threads would be faster');
    expect(line(one, 'auto', { ...apart, cores: 1 })).toBe('A GPU would be faster');
    const threads = (surroundings: typeof here) =>
      whatWouldBeFaster(one, 'auto', surroundings).at(-1)?.text;
    expect(threads(apart)).toMatch(/Whoever serves this page/);
    expect(threads({ ...apart, reloadIsolates: true })).toMatch(/Reload this page/);
    expect(threads({ ...apart, secure: false })).toMatch(/over https/);
  });
});
