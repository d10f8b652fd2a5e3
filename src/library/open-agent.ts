import type { Agent } from '../agents/agent.ts';
import type { Config } from '../config/schema.ts';
import { decodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { type DeviceOptions, openMachine } from './machine.ts';

/** An agent that can play, and the config of the run that it comes from. */
export interface OpenedAgent {
  readonly agent: Agent;
  readonly config: Config;
  /** Gives its memory and the device back. */
  close(): void;
}

/**
 * The agent of a checkpoint, ready to play.
 *
 * @param checkpoint the bytes of a file that `train`, the command line or the lab has made
 * @throws {CheckpointError}
 * @throws WebGpuUnavailableError where `webgpu` was asked for and there is none.
 */
export async function openAgent(
  checkpoint: Uint8Array,
  options: DeviceOptions = {},
): Promise<OpenedAgent> {
  const kept = keptAgent(decodeCheckpoint(checkpoint));
  const machine = await openMachine(options);
  try {
    const agent = await restoreAgent(kept, machine.createPolicy);
    const close = () => {
      agent.policy.destroy();
      machine.close();
    };
    return { agent, config: kept.config, close };
  } catch (error) {
    machine.close();
    throw error;
  }
}
