/** How environments are drawn. The only door from the page to an environment's view. */

import type { ComponentType } from 'react';
import type { EnvironmentOptions } from './types.ts';

export interface EnvironmentViewProps {
  readonly environmentId: string;
  readonly options: EnvironmentOptions;
  readonly taskId: string;
  /** The state to draw. */
  readonly state: unknown;
  /** Time the agent takes from the state before to this one, in milliseconds; 0 jumps. */
  readonly glide: number;
}

/** What a folder's `view.tsx` exports as `view`. */
export interface EnvironmentView {
  readonly Component: ComponentType<EnvironmentViewProps>;
  /** Action for a key, by `KeyboardEvent.key`. */
  readonly keys: Readonly<Record<string, string>>;
}

const views = import.meta.glob<EnvironmentView>('./*/view.tsx', { eager: true, import: 'view' });

/** The view of an environment by its id's first part, or undefined where its text must do. */
export function environmentView(environmentId: string): EnvironmentView | undefined {
  return views[`./${environmentId.split('/')[0]}/view.tsx`];
}
