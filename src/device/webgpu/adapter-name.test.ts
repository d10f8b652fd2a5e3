import { describe, expect, it } from 'vitest';
import { adapterName, isSoftware } from './adapter-name.ts';

describe('adapterName', () => {
  it('prefers the description and uses the vendors’ own spelling', () => {
    const adapter = { vendor: 'nvidia', architecture: 'lovelace', description: '' };
    expect(adapterName(adapter)).toBe('NVIDIA Lovelace');
    expect(adapterName({ ...adapter, description: 'RTX' })).toBe('RTX');
    expect(adapterName({ vendor: '', architecture: '', description: '' })).toMatch(/no name/);
  });
});

describe('isSoftware', () => {
  it.each([
    ['google', 'swiftshader', '', undefined, true],
    ['microsoft', 'warp', '', undefined, true],
    ['', '', 'Microsoft Basic Render Driver', undefined, true],
    ['', '', '', true, true],
    ['nvidia', 'lovelace', 'RTX', false, false],
    ['intel', 'warpspeed', '', undefined, false],
  ])('recognizes "%s %s %s", fallback %s', (vendor, architecture, description, fallback, is) => {
    const adapter = { vendor, architecture, description };
    expect(
      isSoftware(fallback === undefined ? adapter : { ...adapter, isFallbackAdapter: fallback }),
    ).toBe(is);
  });
});
