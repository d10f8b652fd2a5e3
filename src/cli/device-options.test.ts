import { describe, expect, it } from 'vitest';
import { readDeviceWish } from './device-options.ts';
import { evaluateHelp, parseEvaluateCommand } from './evaluate-options.ts';
import { exportHelp } from './export-command.ts';
import { helpText, parseCommand } from './options.ts';
import { UsageError } from './usage.ts';

describe('--device and --threads', () => {
  it('say what computes; nothing said is WebGPU', () => {
    expect(readDeviceWish({})).toEqual({ device: 'webgpu' });
    expect(readDeviceWish({ device: 'auto' })).toEqual({ device: 'auto' });
    expect(readDeviceWish({ device: 'processor', threads: '2' })).toEqual({
      device: 'processor',
      threads: 2,
    });
  });

  it('are refused in one line where they make no sense', () => {
    for (const wrong of [
      { device: 'gpu' },
      { device: '' },
      { threads: '2' },
      { device: 'webgpu', threads: '2' },
      { device: 'processor', threads: '0' },
      { device: 'processor', threads: '1.5' },
      { device: 'processor', threads: '1e9' },
    ]) {
      expect(() => readDeviceWish(wrong)).toThrow(UsageError);
      expect(() => readDeviceWish(wrong)).toThrow(/^[^\n]*--(device|threads)[^\n]*$/);
    }
  });

  it('are taken by every command that computes, and are in its help', () => {
    const asked = ['--device', 'processor', '--threads', '3'];
    const wish = { device: 'processor', threads: 3 };
    expect(parseCommand(asked)).toMatchObject({ wish });
    expect(parseEvaluateCommand(['--checkpoint', 'x', ...asked])).toMatchObject({ wish });
    for (const help of [helpText(), evaluateHelp(), exportHelp]) {
      expect(help).toMatch(/^ {2}--device NAME {2,}auto, webgpu, processor/m);
      expect(help).toMatch(/^ {2}--threads N /m);
    }
  });
});
