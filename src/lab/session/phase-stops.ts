import type { Commands } from './commands.ts';
import { RunEnded } from './errors.ts';
import type { DeviceFailure } from './failure.ts';
import type { PagePort } from './page-port.ts';
import type { QuestionQueue } from './questions.ts';
import type { Signal } from './signal.ts';
import type { OnPhase } from './types.ts';

const MID_ITERATION =
  'The run is paused in the middle of an iteration. Finish the iteration, then ask again.';

interface StopOptions {
  readonly commands: Commands;
  readonly questions: QuestionQueue;
  readonly failure: DeviceFailure;
  readonly signal: Signal;
  readonly page: PagePort;
}

/** Pauses an iteration after each phase, until the page requests the next phase or the rest. */
export function stopAtPhases(options: StopOptions): OnPhase {
  const { commands, questions, failure, signal, page } = options;
  let runThrough = false;
  return async (facts) => {
    if (runThrough || !commands.stopsAt(facts)) return;
    page.send({ type: 'phase', facts });
    page.sendStatus('paused');
    await signal.waitUntil(() => {
      const done = failure.happened || commands.ended || commands.hasWork;
      if (!done) questions.refuseAll(MID_ITERATION);
      return done;
    });
    failure.check();
    if (commands.ended) throw new RunEnded();
    page.sendStatus('running');
    runThrough = commands.takeIteration();
  };
}
