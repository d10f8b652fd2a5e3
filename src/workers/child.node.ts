/** A worker process: it plays the segments that its parent sends, one after the other. */
import type { CreatePolicy } from '../policy/types.ts';
import type { FromChild, ToChild } from './messages.ts';
import { playSegment } from './segment.node.ts';
import { SweepFolder } from './sweep-folder.node.ts';

interface ChildMachine {
  readonly folder: string;
  /** Seconds between checkpoints within a segment. */
  readonly keepEvery: number;
  /** Opens the device when the process starts. */
  readonly open: () => Promise<{
    readonly adapter: string;
    readonly kind: string;
    readonly createPolicy: CreatePolicy;
  }>;
}

/** Serves the parent process until it exits. */
export async function serveParent(machine: ChildMachine): Promise<void> {
  const say = (message: FromChild) => {
    // A failed send means that the parent has exited; nothing needs to be done.
    process.send?.(message, () => {});
  };
  let stopping = false;
  // Ctrl-C reaches every process in a terminal, and a scheduler may send SIGTERM to a whole group. The
  // parent decides what happens to the run.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(0));
  try {
    const folder = SweepFolder.open(machine.folder);
    const { adapter, kind, createPolicy } = await machine.open();
    const claimed = folder.claimDevice(kind);
    if (claimed !== kind) {
      throw new Error(
        `this sweep is computed on ${claimed}, but this machine uses ${kind}, which rounds differently; start a separate sweep on this machine`,
      );
    }
    const { sweep } = folder.kept();
    process.on('message', async (message: ToChild) => {
      if (message.type === 'stop') {
        stopping = true;
        return;
      }
      const { segment } = message;
      const end = await playSegment(folder, sweep, segment, {
        createPolicy,
        device: kind,
        keepEvery: machine.keepEvery,
        interrupted: () => stopping,
        onIteration: (iteration) => say({ type: 'iteration', run: segment.run, iteration }),
        log: (line) => say({ type: 'log', line }),
      });
      say({ type: 'end', segment, end });
    });
    say({ type: 'ready', adapter });
  } catch (error) {
    say({ type: 'useless', message: error instanceof Error ? error.message : String(error) });
  }
}
