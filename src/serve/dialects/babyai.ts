import { familyId, levels } from '../../envs/babyai/levels.ts';
import { AVAILABLE, GOAL } from '../../envs/babyai/text.ts';
import type { Standing } from '../../envs/episode.ts';
import type { Environment } from '../../envs/types.ts';
import { type Dialect, type Episode, type Presentation, plainTurn } from '../dialect.ts';
import type { Json } from '../protocol.ts';

const CHECK = 'check available actions';
const GOAL_SENTENCE = new RegExp(`^${GOAL} ([^.]*)[.] `);
/** Words that order a mission's parts. They become "and", because the original's goal states no order. */
const ORDERS = /\b(?:then|after you)\b/g;
const PICK_UP = /^pick up /;

/** Goal, view and actions on separate lines. */
function lines(environment: Environment, { state, observation }: Standing): string {
  const text = observation.replace(
    GOAL_SENTENCE,
    (_sentence, goal: string) => `${GOAL} ${goal.replace(ORDERS, 'and')}\n`,
  );
  const list = text.indexOf(` ${AVAILABLE}`);
  if (list === -1) return text;
  const actions = environment.admissibleActions(state);
  const listed = [...actions.map((action) => action.replace(PICK_UP, 'pickup ')), CHECK];
  return `${text.slice(0, list)}\n${AVAILABLE} [${listed.map((action) => `"${action}"`).join(', ')}]`;
}

const original: Presentation = {
  begins: lines,
  acts(episode, action) {
    const { environment, at } = episode;
    // Costs no turn, because the actions are in every observation.
    if (action === CHECK) {
      return { at, result: { observation: lines(environment, at), reward: 0, done: false } };
    }
    const turn = plainTurn(episode, action);
    return { at: turn.at, result: { ...turn.result, observation: lines(environment, turn.at) } };
  },
};

/** The client uses `score` as the reward. */
const scored = ({ result, score }: Episode): { readonly [key: string]: Json } => ({
  ...result,
  score,
});

export const babyai: Dialect = {
  path: 'babyai',
  choices: levels.map(familyId),
  environments: levels.map(familyId),
  options: { actions: 'listed', goal: 'first' },
  taskKey: 'data_idx',
  // In the original, any number seeds a layout.
  wraps: true,
  // The client's prompt uses one spelling, its server the other.
  parseAction: (sent) => sent.trim().replace(/^pickup /, 'pick up '),
  original,
  idKey: 'id',
  created: (id) => ({ id }),
  began: (_id, episode) => ({ ...scored(episode), deleted: false }),
  stepped: scored,
};
