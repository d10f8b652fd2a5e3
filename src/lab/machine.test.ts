import { expect, it, vi } from 'vitest';
import { completeConfig } from '../config/check.ts';
import { GpuCommandError, type OpenedDevice } from '../device/index.ts';
import { LabMachine } from './machine.ts';
import { describeError } from './session/errors.ts';

it('closes a failed device before it opens another one', async () => {
  const failing = () => ({
    device: {
      failure: new Error('out of memory'),
      close: vi.fn(),
      onFailure: () => {
        throw new Error('this device runs nothing');
      },
    },
  });
  const opened: ReturnType<typeof failing>[] = [];
  const machine = new LabMachine(
    async () => {
      expect(opened.every(({ device }) => device.close.mock.calls.length === 1)).toBe(true);
      opened.push(failing());
      return opened.at(-1) as unknown as OpenedDevice;
    },
    () => Promise.reject(new Error('no model')),
  );
  const request = { config: completeConfig({}), device: 'auto', from: null } as const;
  for (let run = 0; run < 3; run++) {
    await expect(machine.open(request, () => {})).rejects.toThrow('this device runs nothing');
  }
  expect(opened.map(({ device }) => device.close.mock.calls.length)).toEqual([1, 1, 0]);
});

it('advises to make the run smaller if the GPU is out of memory', () => {
  const error = (kind: string) => new GpuCommandError(kind, 'the buffer cannot be allocated');
  expect(describeError(error('GPUOutOfMemoryError')).advice).toMatch(/Reduce the width/);
  expect(describeError(error('GPUValidationError')).advice).not.toMatch(/Reduce the width/);
});
