/** Errors of the devices. Each message says what to do next. */

/** No WebGPU here: the API is missing or no adapter answered. */
export class WebGpuUnavailableError extends Error {
  override readonly name = 'WebGpuUnavailableError';
}

/** The processor cannot be used as a device: WebAssembly, or memory for it, is missing. */
export class ProcessorUnavailableError extends Error {
  override readonly name = 'ProcessorUnavailableError';
}

/** The device went away: driver restart, sleep, or the browser took it back. */
export class DeviceLostError extends Error {
  override readonly name = 'DeviceLostError';
  /** @param device what was lost, at the beginning of a sentence */
  constructor(reason: string, message: string, device: 'The GPU' | 'The processor' = 'The GPU') {
    super(
      `${device} was lost (${reason || 'unknown reason'}): ${message || 'no details given'}. Starting again opens a new one.`,
    );
  }
}

/** The GPU refused a command; a defect of this program, or memory ran out. */
export class GpuCommandError extends Error {
  override readonly name = 'GpuCommandError';
  constructor(kind: string, message: string) {
    super(
      `The GPU refused a command (${kind}): ${message}${kind === 'GPUOutOfMemoryError' ? ' Choose a smaller policy or fewer episodes.' : ''}`,
    );
  }
}

/** Arguments of a dispatch do not fit its kernel; names the kernel and the argument. */
export class KernelArgumentError extends Error {
  override readonly name = 'KernelArgumentError';
  constructor(kernel: string, what: string) {
    super(`${kernel}: ${what}`);
  }
}
