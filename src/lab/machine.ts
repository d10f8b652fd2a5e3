import type { PretrainedModel } from '../agents/pretrained.ts';
import { pretrainedShape } from '../agents/shape.ts';
import type { Config } from '../config/schema.ts';
import type { DeviceChoice, OpenedDevice } from '../device/index.ts';
import { parameterLayout } from '../policy/layout.ts';
import { createPolicy } from '../policy/policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import { decodeCheckpoint, firstStudent, type KeptBase } from '../runs/checkpoint.ts';
import { createRun, resumeRun } from '../training/create-run.ts';
import { checkRoom } from '../training/room.ts';
import type { Trainer } from '../training/trainer.ts';
import type { Machine } from './protocol.ts';
import { sessionRun } from './run.ts';
import type { RunRequest, SessionRun } from './session/types.ts';

/** Keeps one device open across runs, so that its kernels are compiled once. */
export class LabMachine {
  readonly #openDevice: (choice: DeviceChoice) => Promise<OpenedDevice>;
  readonly #openModel: (base: KeptBase) => Promise<PretrainedModel>;
  #opened: (OpenedDevice & { readonly choice: DeviceChoice }) | null = null;

  /**
   * @param openDevice called again after the device has failed, or when another one is requested
   * @param openModel opens the stored pretrained model of a run
   */
  constructor(
    openDevice: (choice: DeviceChoice) => Promise<OpenedDevice>,
    openModel: (base: KeptBase) => Promise<PretrainedModel>,
  ) {
    this.#openDevice = openDevice;
    this.#openModel = openModel;
  }

  /**
   * Opens a run with random weights, from an initial agent or from a checkpoint.
   *
   * @param onFatal called when the device fails, at most once
   * @throws {CheckpointError} for an unusable checkpoint.
   * @throws {ModelMissingError} if its pretrained model is not stored.
   * @throws {WebGpuUnavailableError} or {ProcessorUnavailableError} if there is no such device.
   */
  async open(
    { config, device: choice, from, initial, base }: RunRequest,
    onFatal: (error: Error) => void,
  ): Promise<SessionRun> {
    const checkpoint = from === null ? null : decodeCheckpoint(from.bytes);
    const kept = checkpoint === null ? base : firstStudent(checkpoint).base;
    const model = kept ? await this.#openModel(kept) : null;
    const { device, withoutGpu } = await this.#device(choice);
    const forget = device.onFailure(onFatal);
    try {
      const create: CreatePolicy = (shape, capacity, seed, frozen) =>
        createPolicy(device, shape, capacity, seed, frozen);
      const { room, name } = device.description;
      const checkFits = (wanted: Config) =>
        checkRoom(wanted, room, name, ...(model ? [pretrainedShape(model, wanted)] : []));
      await checkFits(config);
      const options = { config, createPolicy: create, ...(model && { model }) };
      const start = initial === undefined ? {} : { initial };
      const trainer =
        checkpoint === null
          ? await createRun({ ...options, ...start })
          : await resumeRun(checkpoint, options);
      const described = describeMachine({ device, withoutGpu }, trainer);
      return sessionRun(trainer, described, forget, checkFits, from?.episodes ?? null);
    } catch (error) {
      forget();
      throw error;
    }
  }

  /** The open device if it matches the choice and works, else a new one. */
  async #device(choice: DeviceChoice): Promise<OpenedDevice> {
    const before = this.#opened;
    if (before?.choice === choice && before.device.failure === undefined) return before;
    this.#opened = null;
    // A failed device still holds its memory.
    before?.device.close();
    const opened = { ...(await this.#openDevice(choice)), choice };
    this.#opened = opened;
    return opened;
  }

  /** For tests: loses the device, as a driver reset does. */
  loseDevice(): void {
    this.#opened?.device.lose();
  }
}

function describeMachine(
  { device: { kind, description }, withoutGpu }: OpenedDevice,
  { agent, movedFrom }: Trainer,
): Machine {
  const { shape } = agent.policy;
  return {
    adapter: description.name,
    processor: kind === 'processor',
    software: description.software,
    threads: description.threads,
    withoutGpu,
    movedFrom,
    parameters: parameterLayout(shape).parameterCount,
    vocabulary: shape.vocabulary,
  };
}
