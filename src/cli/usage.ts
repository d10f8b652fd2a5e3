import { parse } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Thrown for a command line that cannot be used; the message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Exit code for a command line that cannot be used. */
export const EXIT_USAGE = 2;
/** Exit code for a command that failed. */
export const EXIT_FAILED = 1;
/** Exit code after Ctrl-C, as shells have it. */
export const EXIT_INTERRUPTED = 130;

/**
 * The whole number that a flag gives; undefined where it is not given.
 *
 * @throws {UsageError} for anything but a whole number from `min` to `max`.
 */
export function readWhole(
  flag: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(
    `${flag} takes a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`,
  );
}

/** @throws {UsageError} for flags that do not exist, have no value, or for anything but flags. */
export function parseFlags<const Flags extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Flags,
) {
  return read(() => parseArgs({ args: [...args], options, allowPositionals: false })).values;
}

/** Flags and what stands beside them. @throws {UsageError} for flags that do not exist or have no value. */
export function parseWords<const Flags extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Flags,
) {
  return read(() => parseArgs({ args: [...args], options, allowPositionals: true }));
}

function read<Result>(parsed: () => Result): Result {
  try {
    return parsed();
  } catch (error) {
    // Node's message goes on to explain `--`, which has no use here.
    const message = error instanceof Error ? error.message : String(error);
    const first = (message.split(/\.\s|\n/)[0] ?? message).replace(/\.$/, '');
    throw new UsageError(`${first}; --help lists what there is`);
  }
}

/** What a command is called by here: the installed package has a program for all of them. */
export function calledBy(command: string): string {
  const packed = parse(process.argv[1] ?? '').name === 'palestra';
  return packed ? `palestra ${command}` : `npm run --silent ${command} --`;
}
