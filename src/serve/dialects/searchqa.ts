import { SEARCHQA_ID } from '../../envs/searchqa/options.ts';
import { answerAction, searchAction } from '../../envs/searchqa/text.ts';
import {
  atFirstTurn,
  bareReplies,
  type Dialect,
  own,
  type Presentation,
  plainTurn,
} from '../dialect.ts';

const KINDS = [
  ['<search>', '</search>', searchAction],
  ['<answer>', '</answer>', answerAction],
] as const;

/** The first search or answer in a message, which may also contain thoughts; the message if there is none. */
function firstAction(sent: string): string {
  const found = KINDS.flatMap(([open, close, action]) => {
    const at = sent.indexOf(open);
    const end = at === -1 ? -1 : sent.indexOf(close, at);
    return end === -1 ? [] : [{ at, text: action(sent.slice(at + open.length, end).trim()) }];
  });
  return found.sort((a, b) => a.at - b.at)[0]?.text ?? sent;
}

/** In the original, a question has no turn limit. Earlier searches do not affect later results. */
const original: Presentation = {
  begins: own.begins,
  acts: ({ environment, at }, action) =>
    plainTurn({ environment, at: atFirstTurn(at, { searches: [], answers: [] }) }, action),
};

export const searchqa: Dialect = {
  ...bareReplies,
  path: 'searchqa',
  choices: [SEARCHQA_ID],
  environments: [SEARCHQA_ID],
  options: { wrong_answer: 'retry' },
  taskKey: 'id',
  wraps: false,
  repeatsLastReply: true,
  parseAction: firstAction,
  original,
  stepped: ({ result }) => ({ ...result, info: null }),
};
