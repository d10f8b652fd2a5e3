import type { Streams } from './streams.ts';

/** Thrown for an invalid command line; the message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code for an invalid command line. */
export const EXIT_USAGE = 2;
/** Exit code for a command that failed. */
export const EXIT_FAILED = 1;
/** Exit code after Ctrl-C, by shell convention. */
export const EXIT_INTERRUPTED = 130;

type ErrorClass = abstract new (...args: never[]) => Error;

/**
 * Runs a command. An error becomes one line on standard error.
 *
 * @param usageErrors error classes, besides `UsageError`, that the user can fix
 * @returns the exit code
 */
export async function exitCode(
  { log }: Pick<Streams, 'log'>,
  usageErrors: readonly ErrorClass[],
  command: () => Promise<number>,
): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if ([UsageError, ...usageErrors].some((kind) => error instanceof kind)) {
      log((error as Error).message);
      return EXIT_USAGE;
    }
    log(messageOf(error));
    return EXIT_FAILED;
  }
}

/** An error's message; preceded by its name for JavaScript's own errors, such as `TypeError`. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name in globalThis ? `${error.name}: ${error.message}` : error.message;
}
