/**
 * Decides which code may run in this thread. Everything may, unless the program restricts it: the
 * page runs only code that the user has allowed, and files are read without running theirs.
 */
export const permission = {
  mayRun: (_code: string): boolean => true,
  /** Whether any code may run. If not, no interpreter is needed. */
  anyMayRun: true,
};
