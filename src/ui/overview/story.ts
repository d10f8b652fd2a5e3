/** The sentence at the top of the page: what is happening now, told for a first-time visitor. */

import { type Story, tell } from '../../diagnosis/story.ts';
import { evidenceOf, type LabState } from '../lab/store.ts';

/** What the lab is doing, or what the run has come to. */
export function storyOf(lab: LabState): Story {
  const { rows, status, phase } = lab;
  if (status === 'failed') {
    return {
      headline: 'The run stopped.',
      detail:
        rows.length > 0
          ? `Its ${rows.length} iterations are kept below.`
          : 'Nothing had been computed yet.',
    };
  }
  const told = tell(evidenceOf(lab), status === 'finished');
  if (told !== null) return told;
  if (phase === 'imitate') {
    return {
      headline: 'It learns the expert’s words by heart.',
      detail:
        'Before it tries for itself, it reads how the expert solves tasks and makes each of the expert’s words more probable.',
    };
  }
  if (phase === 'prefer') {
    return {
      headline: 'It compares its own tries.',
      detail:
        'Of two episodes of the same task, the words of the better one become more probable than those of the worse.',
    };
  }
  if (status === 'asked') {
    return {
      headline: 'Nothing has been started.',
      detail: 'This address asks for a large run; what it takes stands below.',
    };
  }
  if (status === 'paused') {
    return {
      headline: 'Fresh random weights, nothing learned yet.',
      detail: 'Press Start to train without pause, or Step for a single iteration.',
    };
  }
  return {
    headline: 'The agent knows nothing yet.',
    detail:
      'Its first episodes are pure chance: every word of its vocabulary is as likely as any other.',
  };
}
