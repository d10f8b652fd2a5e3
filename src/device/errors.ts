/** Errors thrown by devices. */

/** WebGPU is unavailable: the API is missing or no adapter was found. */
export class WebGpuUnavailableError extends Error {
  override readonly name = 'WebGpuUnavailableError';
}

/** The processor cannot be used as a device: WebAssembly SIMD or memory is unavailable. */
export class ProcessorUnavailableError extends Error {
  override readonly name = 'ProcessorUnavailableError';
}

/** The device was lost: driver restart, sleep, or revoked by the browser. */
export class DeviceLostError extends Error {
  override readonly name = 'DeviceLostError';
  /** @param device name of the lost device, capitalized to begin a sentence */
  constructor(reason: string, message: string, device: 'The GPU' | 'The processor' = 'The GPU') {
    super(
      `${device} was lost (${reason || 'unknown reason'}): ${message || 'no details given'}. Starting again opens a new one.`,
    );
  }
}

/** The GPU rejected a command: a bug in this program, or out of memory. */
export class GpuCommandError extends Error {
  override readonly name = 'GpuCommandError';
  constructor(kind: string, message: string) {
    super(
      `The GPU refused a command (${kind}): ${message}${kind === 'GPUOutOfMemoryError' ? ' Choose a smaller policy or fewer episodes.' : ''}`,
    );
  }
}

/** Arguments do not match a kernel or tensor. The message names the kernel and the argument. */
export class KernelArgumentError extends Error {
  override readonly name = 'KernelArgumentError';
  constructor(kernel: string, what: string) {
    super(`${kernel}: ${what}`);
  }
}
