/** Thrown if an environment is created before its family's code has been loaded. */
export class EnvironmentNotLoadedError extends Error {
  override readonly name = 'EnvironmentNotLoadedError';
  constructor(environmentId: string) {
    super(`The code of "${environmentId}" has not been loaded; await loadEnvironments first.`);
  }
}

/** Thrown for an environment id that is not registered. */
export class UnknownEnvironmentError extends Error {
  override readonly name = 'UnknownEnvironmentError';
  constructor(environmentId: string, known: readonly string[]) {
    super(`There is no environment "${environmentId}". Choose one of: ${known.join(', ')}.`);
  }
}
