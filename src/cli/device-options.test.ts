import { describe, expect, it } from 'vitest';
import { evaluateHelp, parseEvaluateCommand } from './evaluate-options.ts';
import { exportHelp } from './export-command.ts';
import { helpText, parseCommand } from './options.ts';
import { UsageError } from './usage.ts';

const request = (...args: readonly string[]) => {
  const command = parseCommand(args);
  return command.command === 'train' ? command.device : null;
};

describe('--device', () => {
  it('defaults to auto', () => {
    expect(request()).toEqual({ device: 'auto' });
    expect(parseEvaluateCommand(['--checkpoint', 'x'])).toMatchObject({
      device: { device: 'auto' },
    });
  });

  it('selects a device, whose thread count --threads sets', () => {
    expect(request('--device', 'webgpu')).toEqual({ device: 'webgpu' });
    expect(request('--device', 'processor', '--threads', '2')).toEqual({
      device: 'processor',
      threads: 2,
    });
    expect(request('--threads', '2')).toEqual({ device: 'auto', threads: 2 });
  });

  it.each([
    ['--device', 'gpu'],
    ['--device', ''],
    ['--device', 'webgpu', '--threads', '2'],
    ['--device', 'processor', '--threads', '0'],
    ['--threads', '1.5'],
    ['--threads', '1e9'],
  ])('rejects %s %s with a one-line message', (...args) => {
    expect(() => request(...args)).toThrow(UsageError);
    expect(() => request(...args)).toThrow(/^[^\n]*--(device|threads)[^\n]*$/);
  });

  it('appears in the help of every command that computes', () => {
    for (const help of [helpText(), evaluateHelp(), exportHelp()]) {
      expect(help).toMatch(/^ {2}--device NAME {2,}auto, webgpu, processor/m);
      expect(help).toMatch(/^ {2}--threads N /m);
    }
  });
});
