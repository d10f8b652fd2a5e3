import { describe, expect, it } from 'vitest';
import type { UpdateDetail } from '../../../runs/details.ts';
import type { Row } from '../../../runs/row.ts';
import { row, update } from '../../../runs/testing/rows.ts';
import { skippedUpdates } from './run-notices.tsx';
import { browserOf, platformOf, webGpuAdvice } from './webgpu-advice.ts';

const updated = (iteration: number, ...updates: readonly UpdateDetail[]): Row => ({
  ...row(iteration, {}),
  details: { updates, staleness: [] },
});

describe('skippedUpdates', () => {
  it('counts skipped updates and lists their causes', () => {
    expect(skippedUpdates([row(1, {})])).toBeNull();
    const rows = [
      updated(1, update({}), update({ skipped: true, cause: 'ratios' })),
      updated(2, update({ skipped: true, cause: 'ratios' })),
      updated(3, update({})),
    ];
    expect(skippedUpdates(rows)).toEqual({ count: 2, causes: ['ratios'], iteration: 2 });
  });
});

describe('advice without WebGPU', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

  it('detects browsers and platforms', () => {
    expect([browserOf(chrome), platformOf(chrome, 0)]).toEqual(['Chrome', 'Linux']);
    expect(browserOf(`${chrome} Edg/140.0`)).toBe('Edge');
    expect(browserOf(chrome.replace('Chrome', 'HeadlessChrome'))).toBe('Chrome');
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';
    expect([browserOf(firefox), platformOf(firefox, 0)]).toEqual(['Firefox', 'Windows']);
    const safari =
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.4 Safari/605.1';
    expect([browserOf(safari), platformOf(safari, 0)]).toEqual(['Safari', 'macOS']);
    // Safari on an iPad sends the user agent of a Mac.
    expect(platformOf(safari, 5)).toBe('iOS');
    expect(platformOf('Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)', 5)).toBe('iOS');
  });

  it('lists general obstacles first, and names the flags on Linux', () => {
    const navigator = { userAgent: chrome, maxTouchPoints: 0 };
    const { steps } = webGpuAdvice(navigator, false, false);
    expect(steps[0]).toMatch(/https/);
    expect(steps.join(' ')).toContain('chrome://flags/#enable-unsafe-webgpu');
    expect(webGpuAdvice(navigator, true, true).steps.join(' ')).not.toMatch(/https|version 113/);
  });
});
