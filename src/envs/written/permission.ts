/**
 * Which code may run in this thread. Everything, unless the program restricts it: the page runs only what its visitor
 * has allowed, and files are read without running theirs.
 */
export const permission = {
  mayRun: (_code: string): boolean => true,
};
