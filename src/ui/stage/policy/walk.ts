import { useReducedMotion } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import type { Reenactment } from '../../../runs/reenact.ts';
import { usePlayback } from '../../shell/episode/playback.ts';

/** Duration of a turn, and of the pause at the end of an episode, in milliseconds. */
const TURN_MS = 200;
const END_MS = 700;

/**
 * Replays an episode in a loop, and switches to a newer one at the end.
 *
 * @returns the state to draw; null if nothing moves
 */
export function useWalk(episode: Reenactment | null): unknown {
  const { playing } = usePlayback();
  const still = useReducedMotion();
  const [walk, setWalk] = useState<{ readonly of: Reenactment; readonly turn: number } | null>(
    null,
  );
  const newest = useRef(episode);
  newest.current = episode;
  const task = episode?.record.taskId;
  const walks = walk !== null && walk.of.record.taskId === task ? walk : null;
  useEffect(() => {
    if (!playing || still || task === undefined) return;
    const over = walks === null || walks.turn >= walks.of.states.length - 1;
    const timer = setTimeout(
      () => {
        const { current } = newest;
        if (over) setWalk(current === null ? null : { of: current, turn: 0 });
        else setWalk({ of: walks.of, turn: walks.turn + 1 });
      },
      walks === null ? 0 : over ? END_MS : TURN_MS,
    );
    return () => clearTimeout(timer);
  }, [playing, still, task, walks]);
  return walks === null ? null : (walks.of.states[walks.turn] ?? null);
}
