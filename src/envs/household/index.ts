import type { EnvironmentFamily } from '../types.ts';
import { alfworldCard, sciworldCard } from './cards.ts';
import { createHousehold } from './core/environment.ts';
import type { HouseState } from './core/house.ts';
import { alfworldSetting, sciworldSetting } from './kits.ts';
import type { SciWorldOwn } from './sciworld/world.ts';

const alfworld: EnvironmentFamily<HouseState<null>> = {
  ...alfworldCard,
  create(options) {
    const { kit, rungs } = alfworldSetting(options);
    return createHousehold(kit, rungs);
  },
};

const sciworld: EnvironmentFamily<HouseState<SciWorldOwn>> = {
  ...sciworldCard,
  create(options) {
    const { kit, rungs } = sciworldSetting(options);
    return createHousehold(kit, rungs);
  },
};

export const families: readonly EnvironmentFamily[] = [alfworld, sciworld];
