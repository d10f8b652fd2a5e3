import type { Commands } from './commands.ts';
import { RunEnded } from './errors.ts';
import type { DeviceFailure } from './failure.ts';
import type { RunPage } from './page.ts';
import type { Questions } from './questions.ts';
import type { Signal } from './signal.ts';
import type { LookAtPhase } from './types.ts';

/** Why a question has to wait for another time. */
const MID_ITERATION =
  'The run is being taken phase by phase and is in the midst of an iteration; finish the iteration first.';

interface LookOptions {
  readonly commands: Commands;
  readonly questions: Questions;
  readonly failure: DeviceFailure;
  readonly signal: Signal;
  readonly page: RunPage;
}

/** Looks at one iteration: tells the page of each phase, and waits until it asks for the next one or for the rest. */
export function phaseByPhase(options: LookOptions): LookAtPhase {
  const { commands, questions, failure, signal, page } = options;
  let rest = false;
  return async (facts) => {
    const last = facts.phase === 'loss' && facts.index === facts.of;
    if (rest || !commands.reaches(last)) return;
    page.tell({ type: 'phase', facts });
    page.status('paused');
    await signal.until(() => {
      const over = failure.happened || commands.ended || commands.asked;
      if (!over) questions.refuse(MID_ITERATION);
      return over;
    });
    failure.check();
    if (commands.ended) throw new RunEnded();
    page.status('running');
    rest = commands.takeWhole();
  };
}
