/** Observations on the web, the instruction, and all lexemes. */

import { NO_TURNS_LEFT } from '../core/environment.ts';
import { ACTION_NAMES, MOST_TABS, problems, type Seen, viewOf } from './browser.ts';
import { templates } from './errands.ts';
import { hereOf, type WebPlace } from './place.ts';
import { PATHS, pageOf } from './sites.ts';
import type { WebTask } from './tasks.ts';
import { NAME_LEXEMES, quoted } from './words.ts';

export const TURN_LIMIT = 25;

const ROLES = ['heading', 'link', 'button', 'textbox', 'StaticText'] as const;
const REQUIRED = 'required: False';
const PREVIOUS = 'PREVIOUS ACTION:';
const NONE = 'None';
export const REACHED = 'The objective is reached.';
export const MISSED = 'The objective is not reached.';

/** A part of the page in an observation: `[5] textbox 'Search' required: False`. */
export function printed({ id, node: { role, name, note, value = '' } }: Seen): string {
  const said = [`[${id}]`, role, quoted(name)];
  if (note !== undefined) said.push(note);
  if (value !== '') said.push(quoted(value));
  return said.join(' ');
}

/** The tabs, the parts in view, the address, the objective, and the last action. */
export function readWeb({ web, objective }: WebTask, place: WebPlace): string {
  const tabs = place.tabs.map((_tab, n) => {
    const title = quoted(pageOf(web, { ...place, tab: n }).title);
    return `Tab ${n}${n === place.tab ? ' (current)' : ''}: ${title}`;
  });
  return [
    'OBSERVATION:',
    ...tabs,
    ...viewOf(web, place).map(printed),
    `URL: ${hereOf(place).path}`,
    `OBJECTIVE: ${objective}`,
    `${PREVIOUS} ${place.previous ?? NONE}`,
  ].join(' ');
}

export const INSTRUCTION = `You use a web of five sites: a shop, its back office, a forum, a wiki and a map. You read which tabs are open, the parts of the page in front that are in view, each with its id, the page's address, the objective, and your previous action.
Write one action each turn:
click [id], hover [id], type [id] [text] [1] to type into a box and press Enter, or with [0] without Enter, press [keys], scroll [down] or scroll [up].
new_tab, tab_focus [n], close_tab.
goto [address], go_back, go_forward.
stop [answer] when the objective is reached: with the answer where it asks for one, with ['done'] otherwise, with ['N/A'] where it cannot be reached.
Names are written in quotes, as you read them. The first page of the web is home. You have ${TURN_LIMIT} turns.`;

export const thoughts = {
  open: 'I open',
  search: 'I search for',
  write: 'I write',
  press: 'I press',
  below: 'There is more below.',
  above: 'What I need is above.',
  tab: 'The other tab has the site.',
  told: 'The answer is',
  done: 'That was all the objective asks for.',
  none: 'There is no such thing.',
} as const;

export const THOUGHT_LEXICON: readonly string[] = Object.values(thoughts);

const IDS = Array.from({ length: 24 }, (_, i) => `[${i + 1}]`);

export const LEXICON: readonly string[] = [
  ...new Set([
    ...['OBSERVATION:', 'URL:', 'OBJECTIVE:', PREVIOUS, NONE, REQUIRED, NO_TURNS_LEFT],
    ...[REACHED, MISSED, '.', '?', '[', ']', '[0]', '[down]', '[up]', 'where', 'is'],
    ...Array.from({ length: MOST_TABS }, (_, n) => [`Tab ${n}:`, `Tab ${n} (current):`]).flat(),
    ...[...IDS, ...ROLES, ...ACTION_NAMES, ...PATHS, ...NAME_LEXEMES],
    ...Object.values(problems),
    ...templates.flatMap(({ phrases }) => phrases),
  ]),
];
