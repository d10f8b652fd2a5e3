/** Thrown for an environment id that is not registered. */
export class UnknownEnvironmentError extends Error {
  override readonly name = 'UnknownEnvironmentError';
  constructor(environmentId: string, known: readonly string[]) {
    super(`There is no environment "${environmentId}". Choose one of: ${known.join(', ')}.`);
  }
}
