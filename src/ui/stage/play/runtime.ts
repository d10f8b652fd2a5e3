/** onnxruntime-web, loaded when play mode opens; its WebAssembly is served by the same site. */
import type { OnnxRuntime } from '../../../exchange/player.ts';

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
  // A failed download may be retried.
  runtime.catch(() => loaded.delete(provider));
  return runtime;
}

async function load(provider: Provider): Promise<OnnxRuntime> {
  const { InferenceSession, Tensor, env } =
    provider === 'webgpu'
      ? await import('onnxruntime-web/webgpu')
      : await import('onnxruntime-web/wasm');
  // Pages without cross-origin isolation have no threads, which such small agents do not need.
  env.wasm.numThreads = 1;
  env.logLevel = 'error';
  return { InferenceSession, Tensor, provider };
}
