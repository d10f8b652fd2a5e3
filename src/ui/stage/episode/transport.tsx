import { ActionIcon, Slider } from '@mantine/core';
import {
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipBack,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
} from '@tabler/icons-react';
import { useKeys } from '../../shell/comfort/keys.ts';
import { setPlaying, showTurn } from '../../shell/episode/playback.ts';

interface TransportProps {
  /** Turns shown, of `length`. */
  readonly turn: number;
  readonly length: number;
  readonly playing: boolean;
}

/** Plays, pauses and steps through an episode. */
export function Transport({ turn, length, playing }: TransportProps) {
  useKeys({
    ArrowLeft: () => showTurn(Math.max(0, turn - 1)),
    ArrowRight: () => showTurn(Math.min(length, turn + 1)),
  });
  return (
    <div className="transport">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Back to the start"
        onClick={() => showTurn(0)}
      >
        <IconPlayerSkipBack size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Previous turn"
        disabled={turn === 0}
        onClick={() => showTurn(turn - 1)}
      >
        <IconPlayerTrackPrev size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={playing ? 'Pause playback' : 'Start playback'}
        onClick={() => setPlaying(!playing)}
      >
        {playing ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Next turn"
        disabled={turn >= length}
        onClick={() => showTurn(turn + 1)}
      >
        <IconPlayerTrackNext size={16} />
      </ActionIcon>
      <Slider
        className="scrub"
        min={0}
        max={Math.max(1, length)}
        value={turn}
        label={null}
        onChange={showTurn}
        thumbLabel="Turn"
      />
      <span className="transport-turn">
        {turn}/{length}
      </span>
    </div>
  );
}
