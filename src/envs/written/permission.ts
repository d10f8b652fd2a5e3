/**
 * Decides which code may run in this thread. All code may, unless the program restricts it: the page runs
 * only code that the user has allowed, and reading a file never runs code from it.
 */
export const permission = {
  mayRun: (_code: string): boolean => true,
  /** Whether any code may run. If not, no interpreter is needed. */
  anyMayRun: true,
};
