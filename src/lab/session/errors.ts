/** Errors of a session, and all errors in the words of the page. */

/** Thrown through the trainer to leave an iteration whose run has been ended. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';
  constructor() {
    super('the page ended this run');
  }
}

/** The GPU was lost in the midst of a run, and there is no other. */
export class GpuGoneError extends Error {
  override readonly name = 'GpuGoneError';
  constructor(iteration: number, cause: Error) {
    super(
      `The GPU was lost, and the browser gives no new one. The run stands after iteration ${iteration}.`,
      { cause },
    );
  }
}

export const isDeviceLoss = (error: unknown): boolean =>
  error instanceof Error && error.name === 'DeviceLostError';

export const isUnavailable = (error: unknown): error is Error =>
  error instanceof Error && /^(WebGpu|Processor)UnavailableError$/.test(error.name);

/** An error in the words of the page: what happened, and what to do about it. */
export function describeError(error: unknown): {
  readonly name: string;
  readonly message: string;
  readonly advice: string;
} {
  const name = error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  return { name, message, advice: adviceFor(name) };
}

function adviceFor(name: string): string {
  if (name === 'ConfigError') return 'Correct the value in the settings and apply them again.';
  if (name === 'RunTooLargeError') {
    return 'Change one of them in the settings, and apply it.';
  }
  if (name === 'KernelArgumentError') {
    return 'The device cannot hold the run. Lower the width, the layers, the micro-batch or the group size in the settings, and apply them.';
  }
  if (name === 'EnvironmentFault') {
    return 'The environment failed, not the agent. The message names the task and the action; try another seed, and report it.';
  }
  if (name === 'RunOpenElsewhereError') {
    return 'Go on in the other tab, or close it and reload this page.';
  }
  if (name === 'DeviceLostError') {
    return 'The browser took the GPU away several times in a row: the driver was reset, the computer slept, or memory ran out. Reload the page to go on from what was kept; if it is lost again, lower the group size or the width in the settings.';
  }
  if (name === 'GpuGoneError') {
    return 'Reload the page to go on from what was kept. If it then finds no WebGPU, close the browser and open it again: after losses it may hold the GPU back until then.';
  }
  if (/Memory/.test(name)) {
    return 'Lower the micro-batch, the group size or the width in the settings, and apply them.';
  }
  return 'The curves are kept. Press Reset to begin again from random weights.';
}
