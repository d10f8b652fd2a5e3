import { describe, expect, it } from 'vitest';
import { deviceName, fasterLine, whatWouldBeFaster } from './words.ts';

describe('the device description', () => {
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

  it('suggests faster devices if there are any', () => {
    expect(line(machine, 'auto', here)).toBe('A GPU would be faster');
    const gpu = { ...machine, adapter: 'Intel', processor: false, threads: 0, withoutGpu: null };
    expect(line(gpu, 'auto', here)).toBeNull();
    expect(line({ ...gpu, software: true }, 'webgpu', here)).toBe(
      'The processor without WebGPU would be faster',
    );
  });

  it('explains how to enable more threads if the page is not isolated and the machine has more cores', () => {
    const one = { ...machine, threads: 1 };
    const apart = { ...here, isolated: false };
    expect(line(one, 'auto', apart)).toBe('A GPU or more threads would be faster');
    expect(line(one, 'auto', { ...apart, cores: 1 })).toBe('A GPU would be faster');
    const threads = (surroundings: typeof here) =>
      whatWouldBeFaster(one, 'auto', surroundings).at(-1)?.text;
    expect(threads(apart)).toMatch(/The server of this page/);
    expect(threads({ ...apart, reloadIsolates: true })).toMatch(/Reload this page/);
    expect(threads({ ...apart, secure: false })).toMatch(/over https/);
  });
});
