import type { PretrainedModel } from '../agents/pretrained.ts';
import { pretrainedShape } from '../agents/shape.ts';
import { performAutopsy, type Runs } from '../autopsy/perform.ts';
import type { Config } from '../config/schema.ts';
import type { DeviceChoice, OpenedDevice } from '../device/index.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import type { KeptBase } from '../runs/checkpoint.ts';
import { createRun, resumeRun } from '../training/create-run.ts';
import { checkRoom } from '../training/room.ts';
import type { ProveAnswer, ProveRequest } from './autopsy-messages.ts';

/**
 * Plays the forks of a plan on a separate device.
 *
 * @throws errors of the trainers and of the device; `describeError` turns them into text for the
 *   page.
 */
export async function prove(
  { plan, device: choice, base }: ProveRequest,
  openDevice: (choice: DeviceChoice) => Promise<OpenedDevice>,
  openModel: (base: KeptBase) => Promise<PretrainedModel>,
  post: (answer: ProveAnswer) => void,
): Promise<void> {
  const model = base === null ? null : await openModel(base);
  const { device } = await openDevice(choice);
  const { room, name } = device.description;
  const create: CreatePolicy = (shape, capacity, seed, frozen) =>
    createPolicy(device, shape, capacity, seed, frozen);
  const checkFits = (config: Config) =>
    checkRoom(config, room, name, ...(model ? [pretrainedShape(model, config)] : []));
  const parts = { createPolicy: create, ...(model && { model }) };
  const runs: Runs = {
    create: async (config) => {
      await checkFits(config);
      return await createRun({ config, ...parts });
    },
    resume: async (checkpoint, config) => {
      await checkFits(config);
      return await resumeRun(checkpoint, { config, ...parts });
    },
  };
  try {
    for await (const event of performAutopsy(plan, runs)) post({ type: 'played', event });
    post({ type: 'done' });
  } finally {
    device.close();
  }
}
