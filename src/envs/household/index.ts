import type { EnvironmentFamily } from '../types.ts';
import { alfworldCard } from './cards.ts';
import { createHousehold } from './core/environment.ts';
import type { HouseState } from './core/house.ts';
import { alfworldSetting } from './kits.ts';

const alfworld: EnvironmentFamily<HouseState<null>> = {
  ...alfworldCard,
  create(options) {
    const { kit, rungs } = alfworldSetting(options);
    return createHousehold(kit, rungs);
  },
};

export const families: readonly EnvironmentFamily[] = [alfworld];
