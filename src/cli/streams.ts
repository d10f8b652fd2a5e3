/** Output of the command-line programs. */

/** Functions that write one line each, given without its line break. */
export interface Streams {
  /** To standard output. */
  readonly out: (line: string) => void;
  /** To standard error. */
  readonly log: (line: string) => void;
}

export function standardStreams(): Streams {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe (`| head`).
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  return {
    out: (line) => process.stdout.write(`${printable(line)}\n`),
    log: (line) => process.stderr.write(`${printable(line)}\n`),
  };
}

/**
 * Text with control characters escaped as in JSON, such as `\u001b`. Lines may quote a file, and a terminal
 * would act on escape sequences and on characters that reverse the direction of text. `JSON.stringify` leaves
 * some of them raw, and a line of JSON must remain valid.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Ends the process once everything has been written, also through a slow pipe. */
export function endWith(code: number): void {
  process.stdout.write('', () => process.exit(code));
}
