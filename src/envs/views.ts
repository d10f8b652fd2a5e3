/** How environments are drawn. The only door from the page to an environment's view. */

import type { ComponentType, ReactNode } from 'react';
import type { Deed, PlaceFacts, TakenTurn } from './deeds.ts';
import type { EnvironmentOptions } from './types.ts';

export interface EnvironmentViewProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  readonly taskId: string;
  /** The state to draw. */
  readonly state: unknown;
  /** Time the agent takes from the state before to this one, in milliseconds; 0 jumps. */
  readonly glide: number;
  /** State of another that plays the same task, to be drawn beside it where there is room for two. */
  readonly rival?: unknown;
}

/** Something of each line of an answer, in order; a line may have none. */
export interface AnswerColumn {
  readonly title: string;
  readonly cells: readonly ReactNode[];
}

/** An answer in steps, to be looked at step by step. */
export interface AnswerViewProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  /** The state after the answer. */
  readonly state: unknown;
  /** Whether what is asked stands above it. */
  readonly asked: boolean;
  /** Whether each step has the oracle's judgement beside it. */
  readonly judged: boolean;
  /** What others say of each step. */
  readonly columns: readonly AnswerColumn[];
  /** Lines, from 0, that are not as they were in the answer before. */
  readonly changed: ReadonlySet<number>;
}

/** Between two turns that are painted one after the other, in milliseconds. */
export const PAINT_STEP_MS = 110;

/** An episode as a whole, with a number on each of its turns. */
export interface PaintedProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  readonly taskId: string;
  /** (T + 1) the state before each turn, and the one after the last. */
  readonly states: readonly unknown[];
  /** (T) blue above zero and ochre below it, the stronger the greater. */
  readonly values: readonly number[];
  /** A number in few characters. */
  readonly say: (value: number) => string;
  /** The turn that is looked at, from 0. */
  readonly turn: number | null;
  /** Whether turns are painted one after the other, from the last one back. */
  readonly backwards: boolean;
}

/** What a folder's `view.tsx` exports as `view`. */
export interface EnvironmentView {
  readonly Component: ComponentType<EnvironmentViewProps>;
  /** Action for a key, by `KeyboardEvent.key`. */
  readonly keys: Readonly<Record<string, string>>;
  /** A word on a turn that changed nothing, from the states before it and after it; null where there is none. */
  readonly remark?: (before: unknown, after: unknown) => string | null;
  /** Draws an episode with a number on each turn, where turns have places. */
  readonly Painted?: ComponentType<PaintedProps>;
  /** Draws an answer, where answers have steps. */
  readonly Answer?: ComponentType<AnswerViewProps>;
}

/** Many episodes in one picture. */
export interface TogetherProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  /** Each of another task, with the state to draw; none where only the map is drawn. */
  readonly episodes: readonly { readonly taskId: string; readonly state: unknown }[];
  /** Time from the states before to these, in milliseconds; 0 jumps. */
  readonly glide: number;
  /** What the policy does at each place, by the place’s name: drawn in place of the episodes. */
  readonly map: ReadonlyMap<string, PlaceFacts> | null;
}

/** What a folder's `together.tsx` exports as `together`. */
export interface TogetherView {
  readonly Component: ComponentType<TogetherProps>;
  /** What the marks of the map mean, in a sentence or two. */
  readonly mapKey: string;
  /** All that the map shows, a sentence a place. */
  readonly tell: (map: ReadonlyMap<string, PlaceFacts>) => readonly string[];
  /** What the map counts of a turn. */
  readonly deedsOf: (turn: TakenTurn) => readonly Deed[];
}

/** What draws many episodes of an environment, in the folders that have such environments. */
const togetherFiles = import.meta.glob<TogetherView>('./*/together.tsx', {
  import: 'together',
});

/** Environments whose tasks all begin in one world. */
const ofOneWorld: ReadonlySet<string> = new Set(['maze/double-t-v1']);
/** Folders where turns of different tasks have places in common. */
const inCommon: ReadonlySet<string> = new Set(['wordle', 'babyai']);

const folderOf = (environmentId: string) => environmentId.split('/')[0] ?? '';

/** Whether the tasks of an environment can be drawn in one picture, an agent for each. */
export const canTogether = (environmentId: string): boolean => ofOneWorld.has(environmentId);

/** Whether what the policy does where can be drawn over many tasks. */
export const canMap = (environmentId: string): boolean =>
  canTogether(environmentId) || inCommon.has(folderOf(environmentId));

/** What draws episodes of an environment together; undefined where nothing does. */
export const loadTogether = async (environmentId: string): Promise<TogetherView | undefined> =>
  togetherFiles[`./${folderOf(environmentId)}/together.tsx`]?.();

const files = import.meta.glob<EnvironmentView>('./*/view.tsx', { import: 'view' });

const fileOf = (environmentId: string) => `./${folderOf(environmentId)}/view.tsx`;

const views = new Map<string, EnvironmentView>();

/** Loads the views of these environments; one without a view is passed over. */
export async function loadViews(ids: readonly string[]): Promise<void> {
  await Promise.all(
    [...new Set(ids.map(fileOf))].map(async (file) => {
      const view = await files[file]?.();
      if (view !== undefined) views.set(file, view);
    }),
  );
}

/** Whether the views of these environments are there, as far as they have any. */
export function areDrawable(ids: readonly string[]): boolean {
  return ids.map(fileOf).every((file) => files[file] === undefined || views.has(file));
}

/**
 * The view of an environment by its id's first part; undefined where its text must do, and before it
 * has been loaded.
 */
export function environmentView(environmentId: string): EnvironmentView | undefined {
  return views.get(fileOf(environmentId));
}
