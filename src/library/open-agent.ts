import type { Agent } from '../agents/agent.ts';
import type { Config } from '../config/schema.ts';
import { decodeCheckpoint, keptAgent } from '../runs/checkpoint.ts';
import { restoreAgent } from '../training/restore-agent.ts';
import { type DeviceOptions, openMachine } from './machine.ts';

/** An agent that can play, and the config of its run. */
export interface OpenedAgent {
  readonly agent: Agent;
  readonly config: Config;
  /** Releases its memory and the device. */
  close(): void;
}

/**
 * Opens the agent of a checkpoint to play with it.
 *
 * @param checkpoint the bytes of a file written by `train`, the command line or the lab
 * @throws {CheckpointError}
 * @throws WebGpuUnavailableError if `webgpu` is requested but unavailable
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
