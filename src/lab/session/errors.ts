/** Errors of a session, and the text that the page shows for any error. */

/** Thrown through the trainer to abort an iteration of an ended run. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';
  constructor() {
    super('the page ended this run');
  }
}

/** The GPU was lost during a run, and the browser provides no other. */
export class GpuGoneError extends Error {
  override readonly name = 'GpuGoneError';
  /** @param stored the newest iteration in storage; 0 if there is none */
  constructor(stored: number, cause: Error) {
    const saved =
      stored === 0 ? 'The run is not saved.' : `The run is saved up to iteration ${stored}.`;
    super(['The GPU was lost, and the browser provides no new one.', saved].join(' '), { cause });
  }
}

export const isDeviceLoss = (error: unknown): boolean =>
  error instanceof Error && error.name === 'DeviceLostError';

export const isUnavailable = (error: unknown): error is Error =>
  error instanceof Error && /^(WebGpu|Processor)UnavailableError$/.test(error.name);

/**
 * An error as the page shows it: what happened, and what to do about it.
 *
 * @param isStored whether the run is stored, so that a reload continues it
 */
export function describeError(
  error: unknown,
  isStored = true,
): {
  readonly name: string;
  readonly message: string;
  readonly advice: string;
} {
  const name = error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  const isRemote = [error, error instanceof Error ? error.cause : null].some(isServerError);
  const advice = isRemote ? serverAdvice(isStored) : adviceFor(name, message, isStored);
  return { name, message, advice };
}

const isServerError = (error: unknown) =>
  error instanceof Error && /^Remote(Fault|Refusal)$/.test(error.name);

const serverAdvice = (isStored: boolean) =>
  [
    'The server failed, not the agent. Check that it is running and accepts connections from this page.',
    isStored
      ? 'Then reload the page to continue from the last checkpoint, or connect to another server.'
      : 'Then press Reset to start the run again, or connect to another server.',
  ].join(' ');

const RESTART = 'Press Reset to start the run again.';

function adviceFor(name: string, message: string, isStored: boolean): string {
  const again = isStored ? 'Reload the page to continue from the last checkpoint.' : RESTART;
  if (name === 'ConfigError') return 'Correct the value in the settings, then apply them again.';
  if (name === 'RunTooLargeError') {
    return 'Change one of these values in the settings, then apply them.';
  }
  if (name === 'KernelArgumentError' || /OutOfMemory/.test(message)) {
    return 'The run does not fit on the device. Reduce the width, layers, micro-batch or group size in the settings, then apply them.';
  }
  if (name === 'EnvironmentFault') {
    return 'The environment failed, not the agent. The message names the task and the action: please report it, and try another seed.';
  }
  if (name === 'ModelMissingError') {
    return 'In the More menu, under Pretrained models, open the folder of this model or download it again. Then press Train there, or open the run again under Runs.';
  }
  if (name === 'RunOpenElsewhereError') {
    return 'Continue in the other tab, or close it and reload this page.';
  }
  if (name === 'DeviceLostError') {
    return [
      'The browser lost the GPU several times: the driver was reset, the computer slept, or memory ran out.',
      again,
      'If it happens again, reduce the group size or the width in the settings.',
    ].join(' ');
  }
  if (name === 'GpuGoneError') {
    return [
      again,
      'If WebGPU is then unavailable, restart the browser: after several losses, the browser blocks the GPU until a restart.',
    ].join(' ');
  }
  return RESTART;
}
