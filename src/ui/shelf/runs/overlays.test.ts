import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { setConfigValue } from '../../../config/text.ts';
import type { RunEntry } from '../../../runs/record.ts';
import { readAddress } from '../../shell/address/address.ts';
import { entryOf, overlayText, withOverlayTexts } from './overlays.ts';

const config = presetConfig('maze');
const seeded = { preset: 'maze', config: setConfigValue(config, 'seed', '7'), name: 'Seven' };

describe('an overlay in the address', () => {
  it('identifies a run by its settings', () => {
    expect(overlayText(seeded)).toBe('seed=7');
    expect(overlayText({ preset: 'maze', config, name: 'Plain' })).toBe('preset=maze');
    expect(readAddress(`?${overlayText(seeded)}`).config).toEqual(seeded.config);
  });

  it('identifies a run by its name if the settings are too long', () => {
    const words = Array.from({ length: 80 }, (_, i) => `w${i}`).join(' ');
    const long = { ...seeded, config: { ...config, changes: words } };
    expect(overlayText(long)).toBe('name=Seven');
  });

  it('appends each run once after the other parameters', () => {
    const texts = ['seed=7', 'name=A+run'];
    const address = '?method=bapo&over=seed%3D7&over=name%3DA%2Brun';
    expect(withOverlayTexts('?method=bapo', texts)).toBe(address);
    expect(withOverlayTexts(address, texts)).toBe(address);
    expect(withOverlayTexts(address, [])).toBe('?method=bapo');
    expect(withOverlayTexts('', ['seed=7'])).toBe('?over=seed%3D7');
    expect(withOverlayTexts('#?a=b', ['seed=7'])).toBe('#?a=b&over=seed%3D7');
    expect(withOverlayTexts('?over=seed%3D7', [])).toBe('');
    const params = new URLSearchParams(address);
    expect(params.getAll('over')).toEqual(texts);
    // Not a setting of the run.
    expect(readAddress(address).notes).toEqual([]);
  });

  it('matches the stored run with the most iterations, ignoring the current run', () => {
    const entry = (id: string, over: Partial<RunEntry>) =>
      ({
        id,
        preset: 'maze',
        config: seeded.config,
        name: id,
        iterations: 0,
        updated: 0,
        ...over,
      }) as RunEntry;
    const entries = [
      entry('short', { iterations: 3 }),
      entry('long', { iterations: 9 }),
      entry('other', { iterations: 20, config }),
      entry('present', { iterations: 30 }),
    ];
    expect(entryOf('seed=7', entries, 'present')?.id).toBe('long');
    expect(entryOf('preset=maze', entries, 'present')?.id).toBe('other');
    expect(entryOf('name=short', entries, 'present')?.id).toBe('short');
    expect(entryOf('seed=8', entries, 'present')).toBeUndefined();
    expect(entryOf('name=none', entries, 'present')).toBeUndefined();
  });
});
