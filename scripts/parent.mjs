/**
 * Calls back once when the parent process has ended, if npm started this program. npm forwards a
 * signal only to its shell, and not every shell passes it on.
 * @param {() => unknown} callback
 */
export function onParentExit(callback) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, 500);
  timer.unref();
}
