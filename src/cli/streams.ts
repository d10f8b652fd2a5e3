/** How the command line's programs write, and end. */

/** Writers of one line each, without its line break. */
export interface Streams {
  /** To standard output. */
  readonly out: (line: string) => void;
  /** To standard error. */
  readonly log: (line: string) => void;
}

export function standardStreams(): Streams {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read the output has gone (`| head`): there is nobody left to work for.
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    log: (line) => process.stderr.write(`${line}\n`),
  };
}

/** Ends the process once all that was written has left, also through a slow pipe. */
export function endWith(code: number): void {
  process.stdout.write('', () => process.exit(code));
}
