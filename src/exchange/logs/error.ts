/** Thrown for an unreadable log; the message completes a sentence that begins with the file's name. */
export class LogError extends Error {
  override readonly name = 'LogError';
}

/** An excerpt of a name or text from a file, short enough for a sentence. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
