/**
 * Decides which code may run in this thread. By default all code may run. The page runs only code that the
 * user has allowed, and reading a file never runs code from it.
 */
export const permission = {
  mayRun: (_code: string): boolean => true,
  /** False if no code may run; then no interpreter is needed. */
  anyMayRun: true,
};
