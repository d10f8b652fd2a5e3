/**
 * The worker in which the benchmark's page measures a device: only a worker may block on threads.
 */
import { type Device, Gpu } from '../../src/device/index.ts';
import { openBrowserProcessor } from '../../src/device/processor/browser.ts';
import { Profiler } from '../../src/device/webgpu/profiler.ts';
import { processorKernels } from '../../src/kernels/processor/index.ts';
import { allowOwnScripts } from '../../src/lab/own-scripts.ts';
import { processorLimits } from '../speed/limits.ts';
import { type Measurement, measureDevice } from './measure.ts';

/** A request of the page. */
export interface BenchRequest {
  readonly device: 'webgpu' | 'processor';
  readonly quick: boolean;
}

/**
 * Messages to the page: first the device's name, then its numbers, then the end or the reason for
 * stopping.
 */
export type BenchMessage =
  | { readonly kind: 'device'; readonly name: string }
  | { readonly kind: 'measurement'; readonly measurement: Measurement }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string };

const scope = self as unknown as DedicatedWorkerGlobalScope;

allowOwnScripts(import.meta.url);

const tell = (message: BenchMessage) => scope.postMessage(message);

async function open(request: BenchRequest): Promise<Device> {
  return request.device === 'webgpu'
    ? await Gpu.open(navigator.gpu, { profiler: Profiler })
    : openBrowserProcessor({ ...processorKernels, ...processorLimits });
}

scope.onmessage = async ({ data }: MessageEvent<BenchRequest>) => {
  try {
    const device = await open(data);
    const { name, software, threads } = device.description;
    const detail = threads > 0 ? `${threads} ${threads === 1 ? 'thread' : 'threads'}` : '';
    const parts = [name, detail, software ? 'software' : ''].filter((part) => part !== '');
    tell({ kind: 'device', name: parts.join(', ') });
    await measureDevice(device, data.quick, (measurement) =>
      tell({ kind: 'measurement', measurement }),
    );
    device.close();
    tell({ kind: 'done' });
  } catch (error) {
    tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
};
