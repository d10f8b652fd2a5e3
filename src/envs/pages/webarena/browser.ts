/** The browser's actions: their syntax, their effects, and their descriptions in later observations. */

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

/** Number of page parts in view. */
export const VIEW = 16;
/** Maximum number of open tabs. */
export const MOST_TABS = 3;

/** Why a text has no effect, as worded in observations. */
export const problems = {
  parse: 'Cannot parse action from response.',
  id: 'Invalid action: nothing in view has this id.',
  box: 'Invalid action: this element takes no text.',
  address: 'Invalid action: there is no such address.',
  tab: 'Invalid action: there is no such tab.',
  tabs: 'Invalid action: no more tabs can be opened.',
} as const;

/** A part of the page in view, with its id; ids count the parts of the page from 1. */
export interface Seen {
  readonly id: number;
  readonly node: WebNode;
}

/** The visible parts of the page in the front tab. */
export function viewOf(world: World, place: WebPlace): readonly Seen[] {
  const { scroll } = frontTab(place);
  return pageOf(world, place)
    .nodes.map((node, i) => ({ id: i + 1, node }))
    .slice(scroll, scroll + VIEW);
}

/** Whether the page continues below the view. */
export const hasBelow = (world: World, place: WebPlace): boolean =>
  pageOf(world, place).nodes.length > frontTab(place).scroll + VIEW;

const ACTION = /^(\w+)(?: \[([^\]]*)\])?(?: \[([^\]]*)\])?(?: \[([^\]]*)\])?$/;
const FENCE = '```';

interface Said {
  readonly name: string;
  readonly args: readonly string[];
}

/** Parses `type [5] ['tea'] [1]`, with or without the original's backticks. */
function readAction(text: string): Said | null {
  if (text.length > MAX_ACTION_LENGTH) return null;
  const fenced = text.length > 6 && text.startsWith(FENCE) && text.endsWith(FENCE);
  const match = ACTION.exec(fenced ? text.slice(3, -3) : text);
  if (match === null) return null;
  const [, name = '', ...args] = match;
  return { name, args: args.filter((arg) => arg !== undefined) };
}

/** A text without the quotes around names. */
export const unquoted = (text: string): string => /^'(.*)'$/.exec(text)?.[1] ?? text;

type Problem = keyof typeof problems;
/** The place after an action and the action's description, or why it has no effect. */
type Done = { readonly place: WebPlace; readonly description: string } | Problem;
type Doing = (world: World, place: WebPlace, args: readonly string[]) => Done;

function seenBy(world: World, place: WebPlace, id: string | undefined): Seen | undefined {
  return viewOf(world, place).find((seen) => String(seen.id) === id);
}

const where = (name: string, { id, node }: Seen): string =>
  `${name} [${id}] where [${id}] is ${node.role} ${quoted(node.name)}`;

/** Moves through the history of the front tab. */
const walk =
  (name: string, by: number): Doing =>
  (_world, place) => {
    const { history, at } = frontTab(place);
    const next = Math.min(history.length - 1, Math.max(0, at + by));
    return { place: withFront(place, { ...START_TAB, history, at: next }), description: name };
  };

function scrolled(world: World, place: WebPlace, down: boolean): WebPlace {
  const tab = frontTab(place);
  const end = Math.max(0, pageOf(world, place).nodes.length - VIEW);
  const scroll = Math.min(end, Math.max(0, tab.scroll + (down ? VIEW : -VIEW)));
  return withFront(place, { ...tab, scroll });
}

/** Types into a box and optionally presses Enter. */
const type: Doing = (world, place, [id, text = '', enter = '1']) => {
  const seen = seenBy(world, place, id);
  if (seen === undefined) return 'id';
  const { node } = seen;
  if (node.role !== 'textbox') return 'box';
  const tab = frontTab(place);
  const typed = { ...tab.typed, [node.name]: unquoted(text) };
  const filled = withFront(place, { ...tab, typed });
  const description = where('type', seen);
  return enter === '1' && node.enter !== undefined
    ? { place: node.enter(unquoted(text)), description }
    : { place: filled, description };
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
        return { place: seen.node.leads?.() ?? place, description: where('click', seen) };
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
        return seen === undefined ? 'id' : { place, description: where('hover', seen) };
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
        description: 'press',
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
          ? { place: scrolled(world, place, way === 'down'), description: `scroll [${way}]` }
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
        return { place: { ...place, tabs, tab: tabs.length - 1 }, description: 'new_tab' };
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
          ? { place: { ...place, tab: Number(n) }, description: `tab_focus [${n}]` }
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
        return {
          place: { ...place, tabs, tab: Math.max(0, place.tab - 1) },
          description: 'close_tab',
        };
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
          ? { place: openAddress(place, { path }), description: `goto [${path}]` }
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
        description: 'stop',
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
  return {
    place: { ...withRead(world, done.place), previous: done.description },
    understood: true,
  };
}

/** Records which pages were opened, and which were read to the end. */
export function withRead(world: World, place: WebPlace): WebPlace {
  const { path } = hereOf(place);
  const opened = place.opened.includes(path) ? place.opened : [...place.opened, path];
  const whole = hasBelow(world, place) || place.read.includes(path);
  return { ...place, opened, read: whole ? place.read : [...place.read, path] };
}

export const addressesOf = ({ tabs }: WebPlace): readonly Address[] => tabs.map(addressOf);
