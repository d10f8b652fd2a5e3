/** The data that the view draws: the objective, the browser with its tabs, the page, and the result. */

import type { Desk, PagesState } from '../core/episode.ts';
import type { Role } from '../core/page.ts';
import { viewOf } from './browser.ts';
import { judgeWeb } from './kit.ts';
import { frontTab, hereOf, type WebPlace } from './place.ts';
import { pageOf } from './sites.ts';
import type { WebTask } from './tasks.ts';
import { IMPOSSIBLE } from './words.ts';

export interface ShownPart {
  readonly id: number;
  readonly role: Role;
  readonly name: string;
  /** The text in a box. */
  readonly value: string;
  /** Whether the last action was on it. */
  readonly touched: boolean;
}

/** A piece of the objective: fixed words, or a name. */
interface ObjectivePiece {
  readonly text: string;
  readonly name: boolean;
}

export interface WebScene {
  readonly objective: readonly ObjectivePiece[];
  readonly tabs: readonly { readonly title: string; readonly front: boolean }[];
  readonly address: string;
  readonly parts: readonly ShownPart[];
  /** Number of parts above and below the view. */
  readonly above: number;
  readonly below: number;
  /** The last action and its target, or the text if it was not understood. */
  readonly last: { readonly said: string; readonly understood: boolean } | null;
  readonly turn: number;
  readonly turnLimit: number;
  /** The agent's answer; null until it stops. */
  readonly answer: string | null;
  /** What is wrong at the end, in sentences. */
  readonly faults: readonly string[];
  readonly outcome: 'running' | 'success' | 'missed' | 'out of turns';
}

export function webScene(desk: Desk<WebTask, WebPlace>, state: PagesState): WebScene {
  const { task, turns, place, score, over } = desk.read(state);
  const last = turns.at(-1);
  const { scroll } = frontTab(place);
  const { nodes } = pageOf(task.web, place);
  const seen = viewOf(task.web, place);
  const before = turns.at(-2)?.place ?? desk.kit.start(task);
  const touched = last?.understood === true ? touchedIn(task, before, place, last.text) : null;
  return {
    objective: piecesOf(task.objective),
    tabs: place.tabs.map((_tab, n) => ({
      title: pageOf(task.web, { ...place, tab: n }).title,
      front: n === place.tab,
    })),
    address: hereOf(place).path,
    parts: seen.map(({ id, node: { role, name, value = '' } }) => ({
      ...{ id, role, name: presentable(name), value: presentable(value) },
      touched: id === touched,
    })),
    above: scroll,
    below: nodes.length - scroll - seen.length,
    last:
      last === undefined
        ? null
        : {
            said: (last.understood && place.previous) || presentable(last.text) || '(nothing)',
            understood: last.understood,
          },
    turn: turns.length,
    turnLimit: desk.kit.turnLimit,
    answer: place.stopped === null ? null : presentable(place.stopped),
    faults: score === 0 ? faultsOf(task, place) : [],
    outcome: score === 1 ? 'success' : score === 0 ? 'missed' : over ? 'out of turns' : 'running',
  };
}

/** Replaces control characters and lone surrogates, which a page cannot show, with spaces. */
const presentable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}]/gu, ' ').trim();

/** The part that an action was on, if it is still on the page. */
function touchedIn(task: WebTask, before: WebPlace, after: WebPlace, said: string): number | null {
  const id = Number(/^(?:click|type|hover) \[(\d+)\]/.exec(said)?.[1]);
  const [from, to] = [hereOf(before), hereOf(after)];
  if (from.path !== to.path || from.query !== to.query) return null;
  const [was, is] = [before, after].map((place) => pageOf(task.web, place).nodes[id - 1]);
  return was !== undefined && was.name === is?.name && was.role === is.role ? id : null;
}

function piecesOf(objective: string): readonly ObjectivePiece[] {
  return objective
    .split(/('(?:[^']|'(?=\w))*')/)
    .filter((text) => text !== '')
    .map((text) => ({
      text: text.startsWith("'") ? text.slice(1, -1) : text,
      name: text.startsWith("'"),
    }));
}

function faultsOf(task: WebTask, place: WebPlace): readonly string[] {
  const { answer, page, records } = judgeWeb(task, place);
  const right =
    task.answer === IMPOSSIBLE
      ? 'The objective is impossible; the correct answer is N/A.'
      : `The correct answer is ${task.answer}.`;
  return [
    ...(answer ? [] : [right]),
    ...(page ? [] : ['The wrong page is open.']),
    ...(records ? [] : ['The records do not match the objective.']),
  ];
}

/** Text description of the scene for screen readers. */
export function describeWeb(scene: WebScene): string {
  const { objective, tabs, address, parts, below, last, answer, faults, outcome } = scene;
  const sentences = [`Objective: ${objective.map(({ text }) => text).join('')}`];
  if (tabs.length > 1) sentences.push(`Tabs: ${tabs.map(({ title }) => title).join(', ')}.`);
  if (last !== null) {
    sentences.push(`${last.understood ? 'Last action' : 'Not understood'}: ${last.said}.`);
  }
  const shown = parts.map(({ id, role, name, value }) =>
    [id, role === 'StaticText' ? 'text' : role, name, value]
      .filter((part) => part !== '')
      .join(' '),
  );
  sentences.push(`The page ${address} shows ${shown.join(', ')}.`);
  if (below > 0) sentences.push(`${below} more below.`);
  if (answer !== null) {
    sentences.push(
      `Stopped with ${answer}: the objective is ${outcome === 'success' ? '' : 'not '}reached.`,
    );
  }
  if (outcome === 'out of turns') sentences.push('No turns are left.');
  sentences.push(...faults, `Turn ${scene.turn} of ${scene.turnLimit}.`);
  return sentences.join(' ');
}
