import './lapse.css';
import { ActionIcon, SegmentedControl, Slider } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { Environment } from '../../envs/types.ts';
import { loadTogether, type TogetherProps, type TogetherView } from '../../envs/views.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { useLab } from '../lab/store.ts';
import { setPlaying, usePlayback } from './playback.ts';
import {
  type LapsePlace,
  lengthOf,
  nextInLapse,
  type Starts,
  solvedOf,
  stateAt,
  updateStarts,
  useStarts,
} from './starts.ts';
import { useThen } from './then.ts';
import { waitingFor } from './waiting.ts';
import { Where } from './where.tsx';

/** How long a turn stays, and the last one of an iteration; shorter while newer ones keep coming. */
const pace = { running: { turn: 70, end: 400 }, over: { turn: 90, end: 900 } };

interface LapseProps {
  readonly env: EnvironmentRef;
  readonly environment: Environment;
  readonly hint: string;
}

/** The agent in every start at once, iteration after iteration. */
export function Lapse({ env, environment, hint }: LapseProps) {
  const kept = useKeptStarts();
  const { place, turn, look } = usePlace(kept);
  const [mapped, setMapped] = useState(false);
  const words = useLab(({ status, phase }) => waitingFor('starts', status, phase));
  const shown = kept[place] ?? kept.at(-1);
  const from = (taskId: string) => ({ taskId, state: environment.reset(taskId).state });
  const dots =
    shown === undefined
      ? environment.trainTasks.map(from)
      : shown.episodes.map((one) => ({ taskId: one.record.taskId, state: stateAt(one, turn) }));
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <Where id={env.id} environment={environment} />
          <TogetherPicture
            env={env}
            dots={dots}
            glide={turn === 0 ? 0 : pace.running.turn}
            map={mapped ? (shown?.map ?? null) : null}
          />
          <Reel kept={kept} place={place} look={look} />
        </div>
        <div className="lapse" data-testid="lapse">
          {shown === undefined ? <p className="stage-wait">{words}</p> : <Count shown={shown} />}
          {mapped ? (
            <p className="lapse-key">
              Arrows: what it does most often there, the stronger the surer. Green: how often it
              reaches the goal from there.
            </p>
          ) : (
            <p className="lapse-key">
              <span className="lapse-dot" aria-hidden /> on its way
              <span className="lapse-dot lapse-dot-there" aria-hidden /> at the goal
            </p>
          )}
          <SegmentedControl
            className="lapse-view"
            size="xs"
            aria-label="What the picture shows"
            value={mapped ? 'map' : 'agents'}
            onChange={(value) => setMapped(value === 'map')}
            data={[
              { value: 'agents', label: 'Agents' },
              { value: 'map', label: 'What it does where' },
            ]}
          />
        </div>
      </div>
      <p className="stage-foot">
        <span>{hint}</span>
        <span>{shown === undefined ? '' : `Turn ${turn} of ${lengthOf(shown)}`}</span>
      </p>
    </>
  );
}

/** Where dots end up this often in this iteration. */
function Count({ shown }: { readonly shown: Starts }) {
  return (
    <>
      <p className="lapse-iteration">Iteration {shown.iteration}</p>
      <p className="lapse-count">
        <strong>{solvedOf(shown)}</strong> of {shown.episodes.length}
      </p>
      <p>starts lead to the goal.</p>
    </>
  );
}

/** What the present run has shown so far; asked for as long as somebody looks. */
function useKeptStarts(): readonly Starts[] {
  const runId = useLab((lab) => lab.runId);
  const iteration = useLab(({ rows, status }) =>
    status === 'starting' ? 0 : (rows.at(-1)?.iteration ?? 0),
  );
  useEffect(() => {
    if (runId !== null && iteration > 0) void updateStarts();
  }, [runId, iteration]);
  return useStarts((starts) => (starts.runId === runId ? starts.kept : none));
}

const none: readonly Starts[] = [];

interface Place extends LapsePlace {
  /** Shows the end of an iteration, by its place. */
  readonly look: (place: number) => void;
}

/** Plays what there is, unless somebody has stopped it or points at an iteration of the charts. */
function usePlace(kept: readonly Starts[]): Place {
  const running = useLab(({ status }) => status === 'running');
  const { playing, held } = usePlayback();
  const then = useThen();
  const [at, setAt] = useState<LapsePlace>({ place: 0, turn: 0 });
  const look = (place: number) => {
    setAt({ place, turn: Number.POSITIVE_INFINITY });
    setPlaying(false);
  };
  const under = then === null ? -1 : kept.findLastIndex(({ iteration }) => iteration <= then);
  const still = !playing && !held;
  const place = Math.min(still ? kept.length - 1 : at.place, kept.length - 1);
  const shown = kept[place];
  const length = shown === undefined ? 0 : lengthOf(shown);
  const moves = playing && under < 0 && shown !== undefined;
  useEffect(() => {
    if (!moves) return;
    const timer = setTimeout(
      () => setAt(nextInLapse(useStarts.getState().kept, at, running)),
      pace[running ? 'running' : 'over'][at.turn < length ? 'turn' : 'end'],
    );
    return () => clearTimeout(timer);
  }, [moves, at, length, running]);
  if (under >= 0) {
    const end = kept[under];
    return { place: under, turn: end === undefined ? 0 : lengthOf(end), look };
  }
  return { place, turn: still ? length : Math.min(at.turn, length), look };
}

interface ReelProps {
  readonly kept: readonly Starts[];
  readonly place: number;
  readonly look: (place: number) => void;
}

/** Plays and stops the time-lapse, and goes to an iteration. */
function Reel({ kept, place, look }: ReelProps) {
  const { playing } = usePlayback();
  return (
    <div className="transport">
      <ActionIcon
        variant="default"
        aria-label={playing ? 'Stop the time-lapse' : 'Play the time-lapse'}
        onClick={() => setPlaying(!playing)}
      >
        {playing ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
      </ActionIcon>
      <Slider
        className="scrub"
        size="sm"
        min={0}
        max={Math.max(1, kept.length - 1)}
        value={Math.max(0, place)}
        disabled={kept.length < 2}
        label={null}
        onChange={look}
        thumbLabel="Iteration of the time-lapse"
      />
      <span className="transport-turn">{kept[place]?.iteration ?? 0}</span>
    </div>
  );
}

interface PictureProps {
  readonly env: EnvironmentRef;
  readonly dots: TogetherProps['episodes'];
  readonly glide: number;
  readonly map: TogetherProps['map'];
}

/** The world with a dot for each episode, or with the map; room for it until it can be drawn. */
function TogetherPicture({ env, dots, glide, map }: PictureProps) {
  const [drawn, setDrawn] = useState<TogetherView | null>(null);
  useEffect(() => {
    let shown = true;
    loadTogether(env.id).then(
      (view) => {
        if (shown && view !== undefined) setDrawn(view);
      },
      (error: unknown) => console.error(error),
    );
    return () => {
      shown = false;
    };
  }, [env.id]);
  if (drawn === null) return <div className="stage-coming" />;
  return (
    <drawn.Component
      environmentId={env.id}
      options={env.options}
      episodes={dots}
      glide={glide}
      map={map}
    />
  );
}
