import { FAMILY_ID } from '../../envs/textcraft/options.ts';
import { NOT_UNDERSTOOD } from '../../envs/textcraft/text.ts';
import {
  atFirstTurn,
  type Dialect,
  fieldReplies,
  type Presentation,
  plainTurn,
} from '../dialect.ts';

const original: Presentation = {
  begins: (_environment, { observation }) =>
    observation.replace(/ (?=craft \d)/g, '\n').replace(' Goal:', '\n\nGoal:'),
  // In the original, a task has no turn limit.
  acts({ environment, at }, action) {
    const turn = plainTurn({ environment, at: atFirstTurn(at) }, action);
    const observation = turn.result.observation.replace(
      NOT_UNDERSTOOD,
      () => `Could not execute ${action}`,
    );
    return { at: turn.at, result: { ...turn.result, observation } };
  },
};

export const textcraft: Dialect = {
  ...fieldReplies,
  path: 'textcraft',
  choices: [FAMILY_ID],
  environments: [FAMILY_ID],
  options: { depth: 4, names: 'ids', inventory: 'asked' },
  taskKey: 'data_idx',
  wraps: true,
  beginsAtOnce: true,
  repeatsLastReply: true,
  parseAction: (sent) => sent.trim(),
  original,
  // The client reads the observation of a new environment.
  created: (id, episode) => (episode === null ? { id } : { id, ...episode.result }),
};
