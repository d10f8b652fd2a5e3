/** The expert's result on a task, for comparison with a user or an agent. */

import { useEffect, useState } from 'react';
import type { Environment } from '../../../envs/types.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import { act, beginTask, isOver, reenact } from '../../../runs/reenact.ts';
import { environmentOf } from '../../shell/episode/environments.ts';

/** User code without an expert is searched at each turn, which may take long. In milliseconds. */
const SLICE_MS = 20;
const MOST_MS = 10_000;

interface ExpertResult {
  readonly success: boolean;
  readonly turns: number;
}

/**
 * Plays the expert in slices, so that the page stays responsive.
 *
 * @returns null if the expert fails, as user code may, or takes too long
 */
export async function expertResult(
  environment: Environment,
  env: EnvironmentRef,
  task: string,
  signal: AbortSignal,
): Promise<ExpertResult | null> {
  let spent = 0;
  let slice = performance.now();
  try {
    let episode = reenact(environment, beginTask(environment, env, task));
    while (!isOver(environment, episode)) {
      const taken = performance.now() - slice;
      if (signal.aborted || spent + taken > MOST_MS) return null;
      if (taken > SLICE_MS) {
        spent += taken;
        await new Promise((resolve) => setTimeout(resolve));
        slice = performance.now();
      }
      const { action, thought } = environment.expert(episode.states.at(-1));
      episode = act(environment, episode, action, thought);
    }
    const { success, turns } = episode.record;
    return { success, turns: turns.length };
  } catch {
    return null;
  }
}

/** The expert's result; null until it is known, and if there is none. */
export function useExpertResult(env: EnvironmentRef | null, task: string): ExpertResult | null {
  const [result, setResult] = useState<ExpertResult | null>(null);
  useEffect(() => {
    setResult(null);
    if (env === null) return;
    const ended = new AbortController();
    void expertResult(environmentOf(env), env, task, ended.signal).then((found) => {
      if (!ended.signal.aborted) setResult(found);
    });
    return () => ended.abort();
  }, [env, task]);
  return result;
}
