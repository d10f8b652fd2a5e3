import { describe, expect, it } from 'vitest';
import { openDevice } from './choice.ts';
import type { Device } from './device.ts';
import { ProcessorUnavailableError, WebGpuUnavailableError } from './errors.ts';

/** A mock device that records whether it was closed. */
function device(name: string, software = false) {
  const made = { closed: false, description: { name, software }, close: () => {} };
  made.close = () => {
    made.closed = true;
  };
  return made as unknown as Device & { closed: boolean };
}

const gpu = device('a GPU');
const processor = device('processor');
const none = async (): Promise<Device> => {
  throw new WebGpuUnavailableError('There is none.');
};
const noProcessor = (): Device => {
  throw new ProcessorUnavailableError('It cannot.');
};

describe('device selection', () => {
  it('chooses a real GPU if there is one', async () => {
    const ways = { webgpu: async () => gpu, processor: noProcessor };
    expect(await openDevice('auto', ways)).toEqual({ device: gpu, withoutGpu: null });
    expect(gpu.closed).toBe(false);
  });

  it('chooses the processor if there is no GPU or only a software adapter, which it closes', async () => {
    const ways = { webgpu: none, processor: () => processor };
    expect(await openDevice('auto', ways)).toEqual({
      device: processor,
      withoutGpu: 'There is none.',
    });
    const imitation = device('SwiftShader', true);
    const opened = await openDevice('auto', { ...ways, webgpu: async () => imitation });
    expect(opened.device).toBe(processor);
    expect(opened.withoutGpu).toMatch(/SwiftShader only imitates a GPU/);
    expect(imitation.closed).toBe(true);
  });

  it('chooses the software adapter if the processor device is unavailable', async () => {
    const imitation = device('SwiftShader', true);
    const ways = { webgpu: async () => imitation, processor: noProcessor };
    expect((await openDevice('auto', ways)).device).toBe(imitation);
    expect(imitation.closed).toBe(false);
    await expect(openDevice('auto', { ...ways, webgpu: none })).rejects.toThrow(
      ProcessorUnavailableError,
    );
  });

  it('opens the requested device or throws', async () => {
    const imitation = device('SwiftShader', true);
    const both = { webgpu: async () => imitation, processor: () => processor };
    expect((await openDevice('webgpu', both)).device).toBe(imitation);
    expect((await openDevice('processor', { ...both, webgpu: none })).device).toBe(processor);
    await expect(openDevice('webgpu', { ...both, webgpu: none })).rejects.toThrow(
      WebGpuUnavailableError,
    );
    await expect(openDevice('processor', { ...both, processor: noProcessor })).rejects.toThrow(
      ProcessorUnavailableError,
    );
  });

  it('rethrows an unexpected GPU error instead of falling back', async () => {
    const broken = async (): Promise<Device> => {
      throw new TypeError('a defect');
    };
    await expect(
      openDevice('auto', { webgpu: broken, processor: () => processor }),
    ).rejects.toThrow('a defect');
  });
});
