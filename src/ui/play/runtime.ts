/** onnxruntime-web, loaded when play mode is opened; its WebAssembly comes from where the page does. */
import type { OnnxRuntime } from '../../exchange/player.ts';

export type Provider = 'webgpu' | 'wasm';

export const providerTitles: Readonly<Record<Provider, string>> = {
  webgpu: 'GPU (WebGPU)',
  wasm: 'Processor (WebAssembly)',
};

/** Whether this browser can compute on a GPU. */
export async function hasGpu(): Promise<boolean> {
  try {
    return (await navigator.gpu?.requestAdapter()) != null;
  } catch {
    return false;
  }
}

const loaded = new Map<Provider, Promise<OnnxRuntime>>();

export function loadRuntime(provider: Provider): Promise<OnnxRuntime> {
  const known = loaded.get(provider);
  if (known !== undefined) return known;
  const runtime = load(provider);
  loaded.set(provider, runtime);
  // A load that failed, for want of a connection, may be tried again.
  runtime.catch(() => loaded.delete(provider));
  return runtime;
}

async function load(provider: Provider): Promise<OnnxRuntime> {
  const { InferenceSession, Tensor, env } =
    provider === 'webgpu'
      ? await import('onnxruntime-web/webgpu')
      : await import('onnxruntime-web/wasm');
  // Pages that are not isolated from others have no threads, and agents this small need none.
  env.wasm.numThreads = 1;
  env.logLevel = 'error';
  return { InferenceSession, Tensor, provider };
}
