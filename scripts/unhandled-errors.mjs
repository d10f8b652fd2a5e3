/**
 * A Vitest reporter that writes errors outside of any test to PALESTRA_UNHANDLED_ERRORS, one JSON
 * string per line. Vitest's own JSON report omits them.
 */
import { writeFileSync } from 'node:fs';

/** Implements the Reporter of vitest/node. */
export default class UnhandledErrors {
  /**
   * @param {unknown} _modules
   * @param {readonly { message?: string }[]} errors
   */
  onTestRunEnd(_modules, errors) {
    const file = process.env.PALESTRA_UNHANDLED_ERRORS;
    if (file === undefined) return;
    const lines = errors.map(({ message = 'unknown error' }) => `${JSON.stringify(message)}\n`);
    writeFileSync(file, lines.join(''));
  }
}
