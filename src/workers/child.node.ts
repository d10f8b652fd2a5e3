/** A process that computes: it plays the segments that its parent names, one after the other. */
import type { CreatePolicy } from '../policy/types.ts';
import type { FromChild, ToChild } from './messages.ts';
import { playSegment } from './segment.node.ts';
import { SweepFolder } from './sweep-folder.node.ts';

interface ChildMachine {
  readonly folder: string;
  /** Seconds between checkpoints on the way. */
  readonly keepEvery: number;
  /** What computes, opened when the process begins. */
  readonly open: () => Promise<{
    readonly adapter: string;
    readonly kind: string;
    readonly createPolicy: CreatePolicy;
  }>;
}

/** Serves the parent process, until that is gone. */
export async function serveParent(machine: ChildMachine): Promise<void> {
  const say = (message: FromChild) => {
    // The parent can no longer be notified because it has exited.
    process.send?.(message, () => {});
  };
  let stopping = false;
  // Ctrl-C reaches every process of a terminal; the parent decides what happens to the run.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit(0));
  try {
    const folder = SweepFolder.open(machine.folder);
    const { adapter, kind, createPolicy } = await machine.open();
    const claimed = folder.claimDevice(kind);
    if (claimed !== kind) {
      throw new Error(
        `this sweep is computed by ${claimed}, and here computes ${kind}, which rounds otherwise; start another sweep for it`,
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
