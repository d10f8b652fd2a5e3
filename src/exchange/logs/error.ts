/** Thrown for a log that cannot be read; the message goes on after the file's name and names the place. */
export class LogError extends Error {
  override readonly name = 'LogError';
}

/** A name or a text out of a file, short enough for a sentence. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
