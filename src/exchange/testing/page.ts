/** The page in which `e2e/agreement.spec.ts` compares the trainer with play mode's runtimes in Chromium. */

import { Gpu } from '../../device/index.ts';
import { loadEnvironments, offeredFamilies } from '../../envs/registry.ts';
import { loadRuntime, type Provider } from '../../ui/stage/play/runtime.ts';
import { type Agreement, agreement } from './agreement.ts';

await loadEnvironments();
const gpu = await Gpu.open(navigator.gpu);

const exchange = {
  environments: offeredFamilies.map(({ id }) => id),
  agreement: async (id: string, provider: Provider, dialogues: number): Promise<Agreement> =>
    agreement(gpu, await loadRuntime(provider), id as 'maze/double-t-v1', dialogues),
};

declare global {
  interface Window {
    exchange?: typeof exchange;
  }
}

window.exchange = exchange;
