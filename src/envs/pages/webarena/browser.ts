/** The browser's actions: how they are written, what they do, and how they are told afterwards. */

import { MAX_ACTION_LENGTH } from '../core/episode.ts';
import type { Acted } from '../core/kit.ts';
import { HOME } from './labels.ts';
import {
  type Address,
  addressOf,
  frontTab,
  hereOf,
  openAddress,
  START_TAB,
  type WebPlace,
  withFront,
} from './place.ts';
import { PATHS, pageOf, type WebNode } from './sites.ts';
import { quoted } from './words.ts';
import type { World } from './world.ts';

/** Parts of a page that are seen at once. */
export const VIEW = 16;
/** Tabs that can be open. */
export const MOST_TABS = 3;

/** Why a text does nothing, as the agent is told. */
export const problems = {
  parse: 'Cannot parse action from response.',
  id: 'Invalid action: nothing in view has this id.',
  box: 'Invalid action: this element takes no text.',
  address: 'Invalid action: there is no such address.',
  tab: 'Invalid action: there is no such tab.',
  tabs: 'Invalid action: no more tabs can be opened.',
} as const;

/** A part of the page that is in view, with its id, which counts the parts of the page from 1. */
export interface Seen {
  readonly id: number;
  readonly node: WebNode;
}

/** What is in view of the page in front. */
export function viewOf(world: World, place: WebPlace): readonly Seen[] {
  const { scroll } = frontTab(place);
  return pageOf(world, place)
    .nodes.map((node, i) => ({ id: i + 1, node }))
    .slice(scroll, scroll + VIEW);
}

/** Whether there is more of the page below what is in view. */
export const hasBelow = (world: World, place: WebPlace): boolean =>
  pageOf(world, place).nodes.length > frontTab(place).scroll + VIEW;

const ACTION = /^(\w+)(?: \[([^\]]*)\])?(?: \[([^\]]*)\])?(?: \[([^\]]*)\])?$/;
const FENCE = '```';

interface Said {
  readonly name: string;
  readonly args: readonly string[];
}

/** Reads `type [5] ['tea'] [1]`, with or without the backticks of the original. */
function readAction(text: string): Said | null {
  if (text.length > MAX_ACTION_LENGTH) return null;
  const fenced = text.length > 6 && text.startsWith(FENCE) && text.endsWith(FENCE);
  const match = ACTION.exec(fenced ? text.slice(3, -3) : text);
  if (match === null) return null;
  const [, name = '', ...args] = match;
  return { name, args: args.filter((arg) => arg !== undefined) };
}

/** A text without the quotes that names have. */
export const unquoted = (text: string): string => /^'(.*)'$/.exec(text)?.[1] ?? text;

type Problem = keyof typeof problems;
/** Where an action leads and how it is told, or why it does nothing. */
type Done = { readonly place: WebPlace; readonly told: string } | Problem;
type Doing = (world: World, place: WebPlace, args: readonly string[]) => Done;

function seenBy(world: World, place: WebPlace, id: string | undefined): Seen | undefined {
  return viewOf(world, place).find((seen) => String(seen.id) === id);
}

const where = (name: string, { id, node }: Seen): string =>
  `${name} [${id}] where [${id}] is ${node.role} ${quoted(node.name)}`;

/** Moves through the history of the tab in front. */
const walk =
  (name: string, by: number): Doing =>
  (_world, place) => {
    const { history, at } = frontTab(place);
    const next = Math.min(history.length - 1, Math.max(0, at + by));
    return { place: withFront(place, { ...START_TAB, history, at: next }), told: name };
  };

function scrolled(world: World, place: WebPlace, down: boolean): WebPlace {
  const tab = frontTab(place);
  const end = Math.max(0, pageOf(world, place).nodes.length - VIEW);
  const scroll = Math.min(end, Math.max(0, tab.scroll + (down ? VIEW : -VIEW)));
  return withFront(place, { ...tab, scroll });
}

/** Types into a box, and presses Enter in it. */
const type: Doing = (world, place, [id, text = '', enter = '1']) => {
  const seen = seenBy(world, place, id);
  if (seen === undefined) return 'id';
  const { node } = seen;
  if (node.role !== 'textbox') return 'box';
  const tab = frontTab(place);
  const typed = { ...tab.typed, [node.name]: unquoted(text) };
  const filled = withFront(place, { ...tab, typed });
  const told = where('type', seen);
  return enter === '1' && node.enter !== undefined
    ? { place: node.enter(unquoted(text)), told }
    : { place: filled, told };
};

const actions: ReadonlyMap<
  string,
  { readonly least: number; readonly most: number; readonly do: Doing }
> = new Map([
  [
    'click',
    {
      least: 1,
      most: 1,
      do: (world, place, [id]) => {
        const seen = seenBy(world, place, id);
        if (seen === undefined) return 'id';
        return { place: seen.node.leads?.() ?? place, told: where('click', seen) };
      },
    },
  ],
  [
    'hover',
    {
      least: 1,
      most: 1,
      do: (world, place, [id]) => {
        const seen = seenBy(world, place, id);
        return seen === undefined ? 'id' : { place, told: where('hover', seen) };
      },
    },
  ],
  ['type', { least: 2, most: 3, do: type }],
  [
    'press',
    {
      least: 1,
      most: 1,
      do: (world, place, [key]) => ({
        place:
          key === 'PageDown' || key === 'PageUp'
            ? scrolled(world, place, key === 'PageDown')
            : place,
        told: 'press',
      }),
    },
  ],
  [
    'scroll',
    {
      least: 1,
      most: 1,
      do: (world, place, [way]) =>
        way === 'down' || way === 'up'
          ? { place: scrolled(world, place, way === 'down'), told: `scroll [${way}]` }
          : 'parse',
    },
  ],
  [
    'new_tab',
    {
      least: 0,
      most: 0,
      do: (_world, place) => {
        if (place.tabs.length >= MOST_TABS) return 'tabs';
        const tabs = [...place.tabs, { ...START_TAB, history: [{ path: HOME }] }];
        return { place: { ...place, tabs, tab: tabs.length - 1 }, told: 'new_tab' };
      },
    },
  ],
  [
    'tab_focus',
    {
      least: 1,
      most: 1,
      do: (_world, place, [n = '']) =>
        /^\d$/.test(n) && Number(n) < place.tabs.length
          ? { place: { ...place, tab: Number(n) }, told: `tab_focus [${n}]` }
          : 'tab',
    },
  ],
  [
    'close_tab',
    {
      least: 0,
      most: 0,
      do: (_world, place) => {
        if (place.tabs.length === 1) return 'tab';
        const tabs = place.tabs.filter((_, i) => i !== place.tab);
        return { place: { ...place, tabs, tab: Math.max(0, place.tab - 1) }, told: 'close_tab' };
      },
    },
  ],
  [
    'goto',
    {
      least: 1,
      most: 1,
      do: (_world, place, [path = '']) =>
        PATHS.has(path)
          ? { place: openAddress(place, { path }), told: `goto [${path}]` }
          : 'address',
    },
  ],
  ['go_back', { least: 0, most: 0, do: walk('go_back', -1) }],
  ['go_forward', { least: 0, most: 0, do: walk('go_forward', 1) }],
  [
    'stop',
    {
      least: 0,
      most: 1,
      do: (_world, place, [answer = '']) => ({
        place: { ...place, stopped: unquoted(answer) },
        told: 'stop',
      }),
    },
  ],
]);

export const ACTION_NAMES: readonly string[] = [...actions.keys()];

export function actOn(world: World, place: WebPlace, text: string): Acted<WebPlace> {
  const said = readAction(text);
  const action = said === null ? undefined : actions.get(said.name);
  const done =
    said === null ||
    action === undefined ||
    said.args.length < action.least ||
    said.args.length > action.most
      ? 'parse'
      : action.do(world, place, said.args);
  if (typeof done === 'string') {
    return { place: { ...place, previous: problems[done] }, understood: false };
  }
  return { place: { ...withRead(world, done.place), previous: done.told }, understood: true };
}

/** Notes which pages were opened, and which were read to their end. */
export function withRead(world: World, place: WebPlace): WebPlace {
  const { path } = hereOf(place);
  const opened = place.opened.includes(path) ? place.opened : [...place.opened, path];
  const whole = hasBelow(world, place) || place.read.includes(path);
  return { ...place, opened, read: whole ? place.read : [...place.read, path] };
}

export const addressesOf = ({ tabs }: WebPlace): readonly Address[] => tabs.map(addressOf);
