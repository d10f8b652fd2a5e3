import { describe, expect, it } from 'vitest';
import { findMethod, matchMethod, methods, withMethod } from './methods.ts';
import { presetConfig } from './presets.ts';

describe('methods', () => {
  it('are recognised by what tells them apart, on top of any preset', () => {
    for (const { name } of methods) {
      expect(matchMethod(withMethod(presetConfig('maze'), name))?.name).toBe(name);
    }
  });

  it('leave nothing behind of the method that was there before', () => {
    for (const first of methods) {
      for (const second of methods) {
        const config = presetConfig('maze');
        expect(withMethod(withMethod(config, first.name), second.name)).toEqual(
          withMethod(config, second.name),
        );
      }
    }
  });

  it('keep their name when bounds are tuned, and lose it in a mixture', () => {
    const bapo = withMethod(presetConfig('maze'), 'bapo');
    const tuned = { ...bapo, algorithm: { ...bapo.algorithm, dual_clip: 5 } };
    expect(matchMethod(tuned)?.name).toBe('bapo');
    const mixture = { ...bapo, algorithm: { ...bapo.algorithm, advantage: 'remax' as const } };
    expect(matchMethod(mixture)).toBeNull();
  });

  it('name what there is for one that does not exist', () => {
    expect(() => findMethod('ppo2')).toThrow(/no method is called "ppo2"; there are grpo, ppo,/);
  });
});
