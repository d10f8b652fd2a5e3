import { describe, expect, it } from 'vitest';
import { causesOf } from './modes/of-logs.ts';
import { quantitiesIn } from './quantities.ts';
import {
  dialectNames,
  drawVariant,
  failedStories,
  type Story,
  scaleNames,
  soundStories,
  type Variant,
} from './testing/variants.ts';
import { whatChanged } from './what-changed.ts';

/** Each tool's names with each scale, cycling through lengths and kinds of noise. */
const variants: readonly Variant[] = dialectNames.flatMap((dialect, i) =>
  scaleNames.map((scale, j): Variant => {
    const windowed = (i + j) % 2 === 1;
    const rows = [40, 60, 150][(i + 2 * j) % 3] ?? 60;
    return { dialect, scale, rows, windowed, noise: windowed ? 0.03 : 0.06, seed: 10 * i + j + 1 };
  }),
);

function diagnosed(story: Story, variant: Variant) {
  const changed = whatChanged({ series: drawVariant(story, variant), unit: 'step' });
  const causes = causesOf({ changed, unit: 'step' });
  return { state: changed.outcome?.state ?? 'none', mode: causes[0]?.mode.name ?? 'none' };
}

describe('a run that did not fail', () => {
  it.each(Object.entries(soundStories))('yields no finding if the score %s', (_name, story) => {
    const found = variants.map((variant) => diagnosed(story, variant).mode);
    expect(found.filter((mode) => mode !== 'none')).toEqual([]);
  });
});

describe('diagnosis of a failed run', () => {
  it.each(Object.entries(failedStories))('finds the first cause if the run %s', (_name, story) => {
    const all = variants.map((variant) => diagnosed(story, variant));
    const right = all.filter(
      ({ state, mode }) => story.states.includes(state) && story.modes.includes(mode),
    );
    expect(right.length / all.length).toBeGreaterThanOrEqual(0.9);
  });

  it('names no cause whose series is not logged, and still describes the score', () => {
    const { 'loses its entropy': story } = failedStories;
    if (story === undefined) throw new Error('no such story');
    for (const variant of variants) {
      const { state, mode } = diagnosed(story, { ...variant, without: ['entropy'] });
      expect(story.states).toContain(state);
      expect(['none', 'length_runaway', 'kl_drift']).toContain(mode);
    }
  });
});

describe('a score under an unknown name', () => {
  it.each([
    [['step', 'total_reward'], 'total_reward'],
    [['episode', 'Avg Reward (100)', 'epsilon', 'loss'], 'Avg Reward (100)'],
    [['reward_std', 'reward_min', 'mean_env_reward'], 'mean_env_reward'],
    [['rewards/accuracy_reward', 'rewards/format_reward', 'kl'], 'rewards/accuracy_reward'],
    [['value_loss', 'eval_return', 'running_reward'], 'running_reward'],
    [['r', 'l', 't'], 'r'],
  ])('is found among %j', (keys, wanted) => {
    expect(quantitiesIn(keys).get('score')).toBe(wanted);
  });

  it.each([
    [['reward_std', 'advantage_mean', 'returns_min', 'value_loss', 'kl']],
    [['format_reward', 'length_reward', 'shaping_reward']],
  ])('is not guessed from %j', (keys) => {
    expect(quantitiesIn(keys).get('score')).toBeUndefined();
  });
});
