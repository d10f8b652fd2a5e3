import { performAutopsy, type Runs } from '../autopsy/perform.ts';
import type { DeviceChoice, OpenedDevice } from '../device/index.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { checkRoom } from '../training/room.ts';
import { Trainer } from '../training/trainer.ts';
import type { ProveAnswer, ProveRequest } from './autopsy-messages.ts';

/**
 * Plays the forks of a plan on a separate device.
 *
 * @throws errors of the trainers and of the device; `describeError` turns them into text for the page.
 */
export async function prove(
  { plan, device: choice }: ProveRequest,
  openDevice: (choice: DeviceChoice) => Promise<OpenedDevice>,
  post: (answer: ProveAnswer) => void,
): Promise<void> {
  const { device } = await openDevice(choice);
  const { room, name } = device.description;
  const create: CreatePolicy = (shape, capacity, seed) =>
    createPolicy(device, shape, capacity, seed);
  const runs: Runs = {
    create: async (config) => {
      await checkRoom(config, room, name);
      return await Trainer.create({ config, createPolicy: create });
    },
    resume: async (checkpoint, config) => {
      await checkRoom(config, room, name);
      return await Trainer.resume(checkpoint, { config, createPolicy: create });
    },
  };
  try {
    for await (const event of performAutopsy(plan, runs)) post({ type: 'played', event });
    post({ type: 'done' });
  } finally {
    device.close();
  }
}
