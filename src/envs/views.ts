/** How environments are drawn. The page accesses environment views only through this module. */

import type { ComponentType, ReactNode } from 'react';
import type { PlacedAction, PlaceStats, TakenTurn } from './deeds.ts';
import type { Environment, EnvironmentOptions } from './types.ts';

export interface EnvironmentViewProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  readonly taskId: string;
  /** The state to draw. */
  readonly state: unknown;
  /** Duration of the agent's movement from the previous state, in milliseconds; 0 disables the animation. */
  readonly glide: number;
  /** State of another agent that plays the same task, drawn beside the first if the view has room for two. */
  readonly rival?: unknown;
}

/** A column beside an answer, with one cell per line, in order; a line may have none. */
export interface AnswerColumn {
  readonly title: string;
  readonly cells: readonly ReactNode[];
}

/** Props for an answer that is shown step by step. */
export interface AnswerViewProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  /** The state after the answer. */
  readonly state: unknown;
  /** Whether the question is shown above the answer. */
  readonly asked: boolean;
  /** Whether the oracle's judgment is shown beside each step. */
  readonly judged: boolean;
  /** What other agents say about each step. */
  readonly columns: readonly AnswerColumn[];
  /** Indices of the lines that differ from the previous answer. */
  readonly changed: ReadonlySet<number>;
}

/** Delay between painting two consecutive turns, in milliseconds. */
export const PAINT_STEP_MS = 110;

/** Props for a whole episode with a number for each turn. */
export interface PaintedProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  readonly taskId: string;
  /** (T + 1) the state before each turn, and the state after the last. */
  readonly states: readonly unknown[];
  /** (T) positive values are blue, negative ones ochre; the larger the magnitude, the stronger the color. */
  readonly values: readonly number[];
  /** Formats a number compactly. */
  readonly say: (value: number) => string;
  /** Index of the selected turn. */
  readonly turn: number | null;
  /** Whether turns are painted from last to first. */
  readonly backwards: boolean;
}

/** The `view` export of a folder's `view.tsx`. */
export interface EnvironmentView {
  readonly Component: ComponentType<EnvironmentViewProps>;
  /** Action for a key, by `KeyboardEvent.key`. */
  readonly keys: Readonly<Record<string, string>>;
  /** A remark if a turn changed nothing, given the states before and after it; null otherwise. */
  readonly remark?: (before: unknown, after: unknown) => string | null;
  /** Draws an episode with a number for each turn, if turns have positions. */
  readonly Painted?: ComponentType<PaintedProps>;
  /** Draws an answer, if answers have steps. */
  readonly Answer?: ComponentType<AnswerViewProps>;
}

/**
 * The network's action distribution at a position: the probabilities of `TouchableMap.actions`, in that
 * order.
 */
interface PlacePolicy {
  /** Null if the agent writes a thought before each action. */
  readonly actions: readonly number[] | null;
}

/** A map whose positions the user can inspect and choose. */
export interface Touched {
  /** Probabilities by the position's name. */
  readonly policy: ReadonlyMap<string, PlacePolicy>;
  /** The position where the user put the agent. */
  readonly chosen: string;
  /** The state of the agent while it walks from there; null if it stands still. */
  readonly walker: unknown;
  readonly onPoint: (place: string | null) => void;
  readonly onChoose: (place: string) => void;
}

/** A position of the map from which an episode can begin. */
export interface TouchablePlace {
  readonly place: string;
  /** Label: `Row 3, column 4`. */
  readonly title: string;
  readonly taskId: string;
  readonly state: unknown;
  readonly observation: string;
}

/** How to query the network about the positions of a map. */
export interface TouchableMap {
  readonly actions: readonly string[];
  readonly places: (environment: Environment) => readonly TouchablePlace[];
  /** What the marks mean. */
  readonly key: string;
}

/** Props for many episodes in one view. */
export interface TogetherProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  /** Each episode plays a different task. Empty if only the map is drawn. */
  readonly episodes: readonly { readonly taskId: string; readonly state: unknown }[];
  /** Duration of the movement from the previous states, in milliseconds; 0 disables the animation. */
  readonly glide: number;
  /** Policy statistics by position name. If given, the map is drawn instead of the episodes. */
  readonly map: ReadonlyMap<string, PlaceStats> | null;
  /** If given, the map is interactive and shows the network's own probabilities. */
  readonly touched?: Touched | null;
}

/** The `together` export of a folder's `together.tsx`. */
export interface TogetherView {
  readonly Component: ComponentType<TogetherProps>;
  /** Explains the marks of the map in one or two sentences. */
  readonly mapKey: string;
  /** The content of the map in words, one sentence per position. */
  readonly tell: (map: ReadonlyMap<string, PlaceStats>) => readonly string[];
  /** The actions that a turn adds to the map. */
  readonly placedActions: (turn: TakenTurn) => readonly PlacedAction[];
  /** Absent if a position alone does not determine what the network reads. */
  readonly touchable?: TouchableMap;
}

/** Views of many episodes, from the folders that have one. */
const togetherFiles = import.meta.glob<TogetherView>('./*/together.tsx', {
  import: 'together',
});

/** Environments whose tasks all share one layout. */
const ofOneWorld: ReadonlySet<string> = new Set(['maze/double-t-v1', 'maze/drawn-v1']);
/** Folders whose tasks differ but share the positions of the map. */
const inCommon: ReadonlySet<string> = new Set(['wordle', 'babyai']);

const folderOf = (environmentId: string) => environmentId.split('/')[0] ?? '';

/** Whether all tasks of an environment can be drawn in one view, one agent each. */
export const canTogether = (environmentId: string): boolean => ofOneWorld.has(environmentId);

/** Whether the policy map can be drawn across tasks. */
export const canMap = (environmentId: string): boolean =>
  canTogether(environmentId) || inCommon.has(folderOf(environmentId));

/** Loads the view that draws many episodes of an environment; undefined if there is none. */
export const loadTogether = async (environmentId: string): Promise<TogetherView | undefined> =>
  togetherFiles[`./${folderOf(environmentId)}/together.tsx`]?.();

const files = import.meta.glob<EnvironmentView>('./*/view.tsx', { import: 'view' });

const fileOf = (environmentId: string) => `./${folderOf(environmentId)}/view.tsx`;

const views = new Map<string, EnvironmentView>();

/** Loads the views of these environments. Environments without a view are ignored. */
export async function loadViews(ids: readonly string[]): Promise<void> {
  await Promise.all(
    [...new Set(ids.map(fileOf))].map(async (file) => {
      const view = await files[file]?.();
      if (view !== undefined) views.set(file, view);
    }),
  );
}

/** Whether the views of these environments are loaded. Environments without a view count as loaded. */
export function areDrawable(ids: readonly string[]): boolean {
  return ids.map(fileOf).every((file) => files[file] === undefined || views.has(file));
}

/**
 * The view of an environment, by the first part of its id; undefined if it has none or before it is loaded.
 */
export function environmentView(environmentId: string): EnvironmentView | undefined {
  return views.get(fileOf(environmentId));
}
