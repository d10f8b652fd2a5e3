/** Returns an `AbortSignal` that SIGINT (Ctrl-C) or SIGTERM aborts; a second one exits immediately. */
export function stopSignal(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopped.signal.aborted) process.exit(130);
      stopped.abort();
      process.stderr.write('Saving runs in progress; press Ctrl-C again to quit now.\n');
    });
  }
  return stopped.signal;
}
