import { keepLatest } from '../keep-latest.ts';
import { type EnvironmentOptions, UnknownTaskError } from '../types.ts';
import { rememberTasks, type TextCraftState, taskId as writeTaskId } from './environment.ts';
import { FAMILY_ID, TURN_LIMIT } from './options.ts';
import { countOf, plan } from './plan.ts';
import { type Setting, settingOf } from './setting.ts';
import type { Task } from './tasks.ts';

/** An item of the crafting tree. */
export interface TreeItem {
  /** Index of the item. */
  readonly item: number;
  readonly name: string;
  /** The kind of items that its command accepts, e.g. `planks`; null if it requires this item. */
  readonly kind: string | null;
  readonly source: 'craft' | 'get';
  /** Number required for the goal from an empty inventory. */
  readonly asked: number;
  /** Number still missing; items that were made and used up are not missing. */
  readonly lacking: number;
  /** `ready`: can be collected or crafted now; `waiting`: another item must be made first. */
  readonly status: 'enough' | 'ready' | 'waiting';
  /** Horizontal center in its layer, in item widths from the left edge. */
  readonly column: number;
}

/** An item that is made of another. */
interface TreeEdge {
  readonly from: number;
  readonly to: number;
  /** Number needed per craft. */
  readonly count: number;
}

/** An episode, ready to draw. */
export interface TextCraftScene {
  readonly goal: string;
  /** The goal alone, then its ingredients; each item below all items made of it. */
  readonly layers: readonly (readonly TreeItem[])[];
  readonly edges: readonly TreeEdge[];
  /** Items in the widest layer. */
  readonly width: number;
  readonly inventory: readonly { readonly name: string; readonly count: number }[];
  /** Products of the listed commands that the goal does not need. */
  readonly distractors: readonly string[];
  /** The reply to the last action; empty at the start. */
  readonly answer: string;
  /** Whether the last action failed. */
  readonly refused: boolean;
  readonly turn: number;
  readonly turnLimit: number;
  readonly outcome: 'running' | 'success' | 'failure';
}

/** Whether a value from storage or a worker is a state of TextCraft. */
export function isTextCraftState(value: unknown): value is TextCraftState {
  if (typeof value !== 'object' || value === null) return false;
  const { task, turn, held, answer } = value as Partial<TextCraftState>;
  return (
    typeof task === 'number' &&
    typeof turn === 'number' &&
    typeof answer === 'string' &&
    Array.isArray(held) &&
    held.every(
      (entry: unknown) =>
        Array.isArray(entry) && typeof entry[0] === 'number' && typeof entry[1] === 'number',
    )
  );
}

interface Source {
  readonly setting: Setting;
  readonly taskOf: (n: number) => Task;
}

const sourceOf = keepLatest((options: EnvironmentOptions): Source => {
  const setting = settingOf(options);
  return { setting, taskOf: rememberTasks(setting) };
});

/**
 * The scene of an episode.
 * @param options the options that the environment was created with
 * Throws `EnvironmentOptionError`, and `UnknownTaskError` for a state of another task.
 */
export function textCraftScene(
  options: EnvironmentOptions,
  taskId: string,
  state: TextCraftState,
): TextCraftScene {
  if (writeTaskId(state.task) !== taskId) throw new UnknownTaskError(FAMILY_ID, taskId);
  const { setting, taskOf } = sourceOf(options);
  const { world } = setting;
  const task = taskOf(state.task);
  const { goal, members, commands, needed } = task;
  const name = (item: number) => world.names[item] ?? '';

  const lackingFrom = (held: TextCraftState['held']) => {
    const lacking = new Map<number, number>();
    plan(world, goal, members, held, (item, count) => {
      lacking.set(item, (lacking.get(item) ?? 0) + count);
    });
    return lacking;
  };
  const asked = lackingFrom([]);
  const lacking = lackingFrom(state.held);
  const edges = treeEdges(setting, task, asked);
  const layers = treeLayers(goal, edges);
  const kinds = new Map([...members].map(([tag, member]) => [member, name(tag)]));
  const statusOf = (item: number): TreeItem['status'] => {
    if ((lacking.get(item) ?? 0) === 0) return 'enough';
    const ready = edges
      .filter(({ from }) => from === item)
      .every(({ to, count }) => countOf(state.held, to) >= count);
    return ready ? 'ready' : 'waiting';
  };
  const width = Math.max(...layers.map((layer) => layer.length));
  const solved = countOf(state.held, goal) > 0;
  return {
    goal: name(goal),
    layers: layers.map((layer) =>
      layer.map((item, i) => ({
        item,
        name: name(item),
        kind: kinds.get(item) ?? null,
        source: (world.commandOf[item] ?? null) === null ? 'get' : 'craft',
        asked: asked.get(item) ?? 0,
        lacking: Math.min(lacking.get(item) ?? 0, asked.get(item) ?? 0),
        status: statusOf(item),
        column: (width - layer.length) / 2 + i + 0.5,
      })),
    ),
    edges,
    width,
    inventory: state.held.map(([item, count]) => ({ name: name(item), count })),
    distractors: commands
      .filter((command) => !needed.has(command))
      .map(({ product }) => name(product)),
    answer: state.answer,
    refused: state.answer.startsWith('Could not'),
    turn: state.turn,
    turnLimit: TURN_LIMIT,
    outcome: solved ? 'success' : state.turn >= TURN_LIMIT ? 'failure' : 'running',
  };
}

/** Ingredients of the needed items, each tag replaced by its item. */
function treeEdges(
  { world }: Setting,
  { members }: Task,
  items: ReadonlyMap<number, number>,
): TreeEdge[] {
  const edges: TreeEdge[] = [];
  for (const from of items.keys()) {
    const taken = new Map<number, number>();
    for (const { item, count } of world.commandOf[from]?.inputs ?? []) {
      const to = members.get(item) ?? item;
      taken.set(to, (taken.get(to) ?? 0) + count);
    }
    for (const [to, count] of taken) edges.push({ from, to, count });
  }
  return edges;
}

/** Layers of items by greatest distance from the goal, ordered so that items are below their products. */
function treeLayers(goal: number, edges: readonly TreeEdge[]): number[][] {
  const levels = new Map([[goal, 0]]);
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to } of edges) {
      const level = (levels.get(from) ?? 0) + 1;
      if (level > (levels.get(to) ?? 0)) {
        levels.set(to, level);
        changed = true;
      }
    }
  }
  const layers: number[][] = [];
  for (const [item, level] of levels) {
    const layer = layers[level] ?? [];
    layer.push(item);
    layers[level] = layer;
  }
  const places = new Map<number, number>();
  return layers.map((layer) => {
    const middle = (item: number): number => {
      const above = edges.filter(({ to }) => to === item).map(({ from }) => places.get(from) ?? 0);
      return above.reduce((sum, place) => sum + place, 0) / Math.max(1, above.length);
    };
    const sorted = layer
      .map((item) => ({ item, at: middle(item) }))
      .sort((a, b) => a.at - b.at || a.item - b.item)
      .map(({ item }) => item);
    for (const [i, item] of sorted.entries()) places.set(item, (i + 0.5) / sorted.length);
    return sorted;
  });
}

/** The scene in words, for screen readers. */
export function describeScene(scene: TextCraftScene): string {
  const list = (names: readonly string[], none: string) =>
    names.length === 0 ? none : names.join(', ');
  const items = scene.layers.flat();
  const lacking = items.filter((item) => item.lacking > 0);
  const ready = lacking.filter(({ status }) => status === 'ready');
  const named = (of: readonly TreeItem[], source: TreeItem['source']) =>
    of.filter((item) => item.source === source).map(({ name }) => name);
  const end =
    scene.outcome === 'success'
      ? ' The goal is crafted.'
      : scene.outcome === 'failure'
        ? ' No turns are left.'
        : '';
  return [
    `Crafting tree of ${scene.goal}, after ${scene.turn} of ${scene.turnLimit} turns.`,
    `Still needed: ${list(
      lacking.map(({ lacking, name }) => `${lacking} ${name}`),
      'nothing',
    )}.`,
    `Ready to collect: ${list(named(ready, 'get'), 'nothing')}.`,
    `Ready to craft: ${list(named(ready, 'craft'), 'nothing')}.`,
    `Held: ${list(
      scene.inventory.map(({ name, count }) => `${count} ${name}`),
      'nothing',
    )}.`,
    `Last reply: ${scene.answer === '' ? 'none yet' : scene.answer}.${end}`,
  ].join(' ');
}
