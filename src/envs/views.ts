/** How environments are drawn. The only door from the page to an environment's view. */

import type { ComponentType } from 'react';
import { isMaze } from './maze/scene.ts';
import { MazeView, mazeKeys } from './maze/view.tsx';

export interface EnvironmentViewProps {
  readonly environmentId: string;
  readonly options: Readonly<Record<string, number>>;
  readonly taskId: string;
  /** The state to draw. */
  readonly state: unknown;
  /** Time the agent takes from the state before to this one, in milliseconds; 0 jumps. */
  readonly glide: number;
}

export interface EnvironmentView {
  readonly Component: ComponentType<EnvironmentViewProps>;
  /** Action for a key, by `KeyboardEvent.key`. */
  readonly keys: Readonly<Record<string, string>>;
}

const maze: EnvironmentView = { Component: MazeView, keys: mazeKeys };

/** The view of an environment, or undefined where it has none and its text must do. */
export function environmentView(environmentId: string): EnvironmentView | undefined {
  return isMaze(environmentId) ? maze : undefined;
}
