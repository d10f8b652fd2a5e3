import { describe, expect, it } from 'vitest';
import { adapterName } from './adapter-name.ts';

describe('adapterName', () => {
  it('prefers the description and uses the vendors’ own spelling', () => {
    const adapter = { vendor: 'nvidia', architecture: 'lovelace', description: '' };
    expect(adapterName(adapter)).toBe('NVIDIA Lovelace');
    expect(adapterName({ ...adapter, description: 'RTX' })).toBe('RTX');
    expect(adapterName({ vendor: '', architecture: '', description: '' })).toMatch(/no name/);
  });
});
