import { create } from 'zustand';
import type { RunCost } from '../../../agents/cost.ts';
import { defaultPreset } from '../../../config/preset-names.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import { environmentIds, isRemote, loadEnvironments } from '../../../envs/registry.ts';

/** Cost of a large run, compared with the default preset. */
interface LargeCost {
  readonly cost: RunCost;
  readonly usual: RunCost;
}

/** The run that the address requests and that awaits confirmation; null if there is none. */
export const useLargeRun = create<{ readonly large: LargeCost | null }>()(() => ({ large: null }));

/**
 * The cost of a run that needs confirmation; else null. An unmodified preset with any seed needs
 * none, so a first visit does not load the code that computes it.
 */
export async function largeCost(config: Config, preset: string): Promise<LargeCost | null> {
  const unseeded = (of: Config) => JSON.stringify({ ...of, seed: 0 });
  if (unseeded(config) === unseeded(presetConfig(preset))) return null;
  // The cost depends on the vocabulary, which only the server knows.
  if (isRemote(config.env.id)) return null;
  const [{ isLarge, runCost }] = await Promise.all([
    import('../../../agents/cost.ts'),
    loadEnvironments(
      [config, presetConfig(defaultPreset)].flatMap(({ env }) => environmentIds(env)),
    ),
  ]);
  const cost = runCost(config);
  return isLarge(cost) ? { cost, usual: runCost(presetConfig(defaultPreset)) } : null;
}
