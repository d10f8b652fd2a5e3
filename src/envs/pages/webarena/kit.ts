import type { Kit } from '../core/kit.ts';
import { webarenaId } from '../options.ts';
import { actOn, hasBelow, viewOf, withRead } from './browser.ts';
import { advise, areAsWanted, stopWith } from './expert.ts';
import { frontTab, hereOf, START_TAB, type WebPlace } from './place.ts';
import { drawErrand, type WebTask } from './tasks.ts';
import {
  INSTRUCTION,
  LEXICON,
  MISSED,
  REACHED,
  readWeb,
  THOUGHT_LEXICON,
  TURN_LIMIT,
} from './text.ts';
import { DONE, IMPOSSIBLE, quoted } from './words.ts';

/** Which criteria are met; success requires all of them. */
interface WebJudgement {
  readonly answer: boolean;
  readonly page: boolean;
  readonly records: boolean;
}

/** Answers are compared ignoring case and surrounding spaces. */
const normalized = (answer: string): string => answer.trim().toLowerCase();

export function judgeWeb(task: WebTask, place: WebPlace): WebJudgement {
  const { judged } = task;
  return {
    answer: !judged.answer || normalized(place.stopped ?? '') === normalized(task.answer),
    page: judged.path === null || hereOf(place).path === judged.path,
    records: areAsWanted(task, place),
  };
}

function scoreOf(task: WebTask, place: WebPlace): number | null {
  if (place.stopped === null) return null;
  const { answer, page, records } = judgeWeb(task, place);
  return answer && page && records ? 1 : 0;
}

export const webarena: Kit<WebTask, WebPlace> = {
  id: webarenaId,
  name: 'webarena',
  turnLimit: TURN_LIMIT,
  instruction: INSTRUCTION,
  lexicon: LEXICON,
  thoughtLexicon: THOUGHT_LEXICON,
  holdout: {
    sentence:
      'Evaluation objectives do not occur in training, and the records of their sites are new. Names and kinds of objectives are known from training, but not in these combinations.',
    asked: 'objectives',
    worlds: 'sites',
  },
  draw: drawErrand,
  start({ web, start }): WebPlace {
    return withRead(web, {
      tabs: start.map((path) => ({ ...START_TAB, history: [{ path }] })),
      ...{ tab: 0, records: web.records, opened: [], read: [], previous: null, stopped: null },
    });
  },
  act: ({ web }, place, text) => actOn(web, place, text),
  read(task, place) {
    const score = scoreOf(task, place);
    return score === null ? readWeb(task, place) : score === 1 ? REACHED : MISSED;
  },
  score: scoreOf,
  actions,
  advise,
};

/** Useful actions: clicks, texts to type, scrolling, history, other tabs, and answers found on the page. */
function actions(task: WebTask, place: WebPlace): readonly string[] {
  const { web, steps, answer } = task;
  const words = new Set(steps.flatMap(({ name, fill }) => [name, ...(fill ? [fill.text] : [])]));
  const offered = new Set<string>();
  const answers = new Set<string>();
  for (const { id, node } of viewOf(web, place)) {
    if (node.leads !== undefined) offered.add(`click [${id}]`);
    if (node.role === 'StaticText') answers.add(node.name);
    if (node.role !== 'textbox') continue;
    const enter = node.enter === undefined ? 0 : 1;
    for (const word of words) offered.add(`type [${id}] [${quoted(word)}] [${enter}]`);
  }
  const { scroll, at, history } = frontTab(place);
  if (hasBelow(web, place)) offered.add('scroll [down]');
  if (scroll > 0) offered.add('scroll [up]');
  if (at > 0) offered.add('go_back');
  if (at < history.length - 1) offered.add('go_forward');
  for (const n of place.tabs.keys()) if (n !== place.tab) offered.add(`tab_focus [${n}]`);
  for (const text of [DONE, IMPOSSIBLE, answer, ...answers]) offered.add(stopWith(text));
  offered.add(advise(task, place).action);
  return [...offered];
}
