/** The expert: the shortest path from page to page, by links, searches, tabs and the home page. */

import type { Demonstration } from '../../types.ts';
import { addressesOf, hasBelow, type Seen, viewOf } from './browser.ts';
import type { Step } from './errands.ts';
import { HOME, LABELS } from './labels.ts';
import { frontTab, hereOf, type WebPlace } from './place.ts';
import { pageOf, paths, type WebNode } from './sites.ts';
import type { WebTask } from './tasks.ts';
import { thoughts } from './text.ts';
import { DONE, IMPOSSIBLE, quoted } from './words.ts';

/** The records as text, for comparison. */
const recordsText = (records: unknown): string => JSON.stringify(records);

export const areAsWanted = ({ records }: WebTask, place: WebPlace): boolean =>
  place.records === records || recordsText(place.records) === recordsText(records);

export function advise(task: WebTask, place: WebPlace): Demonstration {
  const step = task.steps.find((one) => !isDone(task, place, one));
  const next = step === undefined ? null : towards(task, place, step);
  if (next !== null) return next;
  const { answer } = task;
  const thought =
    answer === DONE
      ? thoughts.done
      : answer === IMPOSSIBLE
        ? thoughts.none
        : `${thoughts.told} ${quoted(answer)}.`;
  return { thought, action: stopWith(answer) };
}

export const stopWith = (answer: string): string => `stop [${quoted(answer)}]`;

function isDone(task: WebTask, place: WebPlace, { path, whole, press }: Step): boolean {
  if (press !== undefined) return areAsWanted(task, place);
  const here = task.judged.path === path ? hereOf(place).path === path : true;
  return here && (whole === true ? place.read : place.opened).includes(path);
}

/** The next action of a step; null if there is none. */
function towards(task: WebTask, place: WebPlace, step: Step): Demonstration | null {
  const { path, name, whole, fill, press } = step;
  if (hereOf(place).path !== path) return wayTo(task, place, path, name);
  if (fill !== undefined && frontTab(place).typed[fill.box] !== fill.text) {
    return typeInto(task, place, fill.box, fill.text, false);
  }
  if (press !== undefined) {
    return act(
      task,
      place,
      (node) => node.role === 'button' && node.name === press,
      thoughts.press,
    );
  }
  return whole === true && hasBelow(task.web, place)
    ? { thought: thoughts.below, action: 'scroll [down]' }
    : null;
}

/** Pages with a link to a page, nearest first. */
function parentsOf(path: string): readonly string[] {
  const [site = '', page = '', first = ''] = path.split('/');
  if (page === 'route') return [paths.town(Number(first)), 'map'];
  if (site === 'admin')
    return [page.startsWith('order') ? paths.adminOrders : paths.adminProducts, site];
  return page === 'order' ? [paths.orders, site] : [site];
}

function wayTo(task: WebTask, place: WebPlace, path: string, name: string): Demonstration | null {
  const here = hereOf(place).path;
  const parents = parentsOf(path);
  const site = path.split('/')[0] ?? '';
  for (const target of [path, ...parents.filter((parent) => parent !== site)]) {
    if (target === here) continue;
    const found = click(task, place, target);
    if (found !== null) return found;
  }
  if (here === site) return typeInto(task, place, LABELS.search, name, true);
  const onSite = here.split('/')[0] === site;
  if (!onSite) {
    const tab = addressesOf(place).findIndex((address) => address.path.split('/')[0] === site);
    if (tab !== -1) return { thought: thoughts.tab, action: `tab_focus [${tab}]` };
  }
  return click(task, place, site) ?? click(task, place, HOME);
}

const click = (task: WebTask, place: WebPlace, target: string): Demonstration | null =>
  act(
    task,
    place,
    ({ role, leads }) => role === 'link' && leads !== undefined && hereOf(leads()).path === target,
    thoughts.open,
  );

function typeInto(
  task: WebTask,
  place: WebPlace,
  box: string,
  text: string,
  enter: boolean,
): Demonstration | null {
  return act(
    task,
    place,
    ({ role, name }) => role === 'textbox' && name === box,
    `${enter ? thoughts.search : thoughts.write} ${quoted(text)}.`,
    ({ id }) => `type [${id}] [${quoted(text)}] [${enter ? 1 : 0}]`,
  );
}

/**
 * An action on a part of the page, or scrolling that brings it into view; null if the page has no such part.
 */
function act(
  task: WebTask,
  place: WebPlace,
  is: (node: WebNode) => boolean,
  why: string,
  write?: (seen: Seen) => string,
): Demonstration | null {
  const seen = viewOf(task.web, place).find(({ node }) => is(node));
  if (seen !== undefined) {
    return write === undefined
      ? { thought: `${why} ${quoted(seen.node.name)}.`, action: `click [${seen.id}]` }
      : { thought: why, action: write(seen) };
  }
  const at = pageOf(task.web, place).nodes.findIndex(is);
  if (at === -1) return null;
  return at < frontTab(place).scroll
    ? { thought: thoughts.above, action: 'scroll [up]' }
    : { thought: thoughts.below, action: 'scroll [down]' };
}
