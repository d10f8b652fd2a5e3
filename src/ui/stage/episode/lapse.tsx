import './lapse.css';
import { ActionIcon, SegmentedControl, Slider } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import type { Environment } from '../../../envs/types.ts';
import { canTogether, loadTogether, type TogetherView } from '../../../envs/views.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import { several } from '../../../runs/numbers.ts';
import { setPlaying, usePlayback } from '../../shell/episode/playback.ts';
import { waitingFor } from '../../shell/episode/waiting.ts';
import { useLab } from '../../shell/lab/store.ts';
import { Here } from '../policy/here.tsx';
import { readingAt, useMapReadings } from '../policy/readings.ts';
import { useWalk } from '../policy/walk.ts';
import {
  indexAt,
  type LapsePlace,
  lengthOf,
  mapTime,
  milestonesOf,
  nextInLapse,
  nextMap,
  type Starts,
  solvedOf,
  stateAt,
  updateStarts,
  useStarts,
} from './starts.ts';
import { useThen } from './then.ts';
import { Where } from './where.tsx';

/** Milliseconds per turn and at the end of an iteration. */
const pace = {
  running: { turn: 70, end: 400 },
  over: { turn: 90, end: 900 },
};

interface LapseProps {
  readonly env: EnvironmentRef;
  readonly environment: Environment;
}

/** A time-lapse over iterations: the policy map, or all episodes together. */
export function Lapse({ env, environment }: LapseProps) {
  const kept = useKeptStarts();
  const agents = canTogether(env.id);
  const [wantsMap, setWantsMap] = useState(true);
  const mapped = wantsMap || !agents;
  const stops = useMemo(() => milestonesOf(kept), [kept]);
  const { place, turn, look } = usePlace(kept, stops, mapped);
  const view = useView(env.id);
  const words = useLab((lab) => waitingFor('starts', lab));
  const shown = kept[place] ?? kept.at(-1);
  const from = (taskId: string) => ({ taskId, state: environment.reset(taskId).state });
  const dots =
    shown === undefined
      ? (agents ? environment.trainTasks : []).map(from)
      : shown.episodes.map((one) => ({ taskId: one.record.taskId, state: stateAt(one, turn) }));
  const touch = useTouch(environment, mapped ? view : null, shown, place === kept.length - 1);
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <Where id={env.id} environment={environment}>
            {agents ? (
              <SegmentedControl
                className="lapse-view"
                aria-label="View"
                value={mapped ? 'map' : 'agents'}
                onChange={(value) => setWantsMap(value === 'map')}
                data={[
                  { value: 'map', label: 'Policy map' },
                  { value: 'agents', label: 'Agents' },
                ]}
              />
            ) : null}
          </Where>
          {view === null ? (
            <div className="stage-coming" />
          ) : (
            <view.Component
              environmentId={env.id}
              options={env.options}
              episodes={dots}
              glide={turn === 0 ? 0 : pace.running.turn}
              map={mapped ? (shown?.map ?? null) : null}
              touched={touch?.touched ?? null}
            />
          )}
          <Reel kept={kept} stops={stops} place={place} look={look} />
        </div>
        <div className={mapped && agents ? 'lapse lapse-here' : 'lapse'} data-testid="lapse">
          {shown !== undefined ? (
            <Count
              shown={shown}
              milestone={stops.get(shown.iteration)}
              agents={agents}
              brief={mapped && agents}
            />
          ) : (
            <p className={mapped && agents ? 'lapse-brief' : 'stage-wait'}>{words}</p>
          )}
          {touch === null ? null : <Here {...touch.here} />}
          {mapped ? (
            agents && touch === null ? null : (
              <MapKey view={view} shown={shown} touchable={touch !== null} />
            )
          ) : (
            <p className="row lapse-key">
              <span className="lapse-dot" aria-hidden /> on the way
              <span className="lapse-dot lapse-dot-there" aria-hidden /> at the goal
            </p>
          )}
        </div>
      </div>
      <p className="stage-foot">
        <span>
          {mapped && agents
            ? 'Point at a cell to see what the agent reads and would write there. Drag the agent to any cell, or use the arrow keys.'
            : mapped
              ? 'All training episodes of the iteration'
              : 'One episode per starting position'}
        </span>
        <span>{shown === undefined || mapped ? '' : `Turn ${turn} of ${lengthOf(shown)}`}</span>
      </p>
    </>
  );
}

/** State of a map with selectable cells; null for other views. */
function useTouch(
  environment: Environment,
  view: TogetherView | null,
  shown: Starts | undefined,
  newest: boolean,
) {
  const touchable = view?.touchable;
  const { places, readings } = useMapReadings(environment, touchable);
  const [chosenPlace, setChosen] = useState<string | null>(null);
  const [pointed, setPointed] = useState<string | null>(null);
  const [first] = environment.evalTasks;
  const chosen =
    places.find(({ place }) => place === chosenPlace) ??
    places.find(({ taskId }) => taskId === first) ??
    places[0];
  const walker = useWalk(
    shown?.episodes.find(({ record }) => record.taskId === chosen?.taskId) ?? null,
  );
  const reading = newest ? readings.at(-1) : readingAt(readings, shown?.iteration ?? 0);
  const policy = useMemo(
    () =>
      new Map(
        places.map(
          ({ place }) => [place, reading?.places.get(place) ?? { actions: null }] as const,
        ),
      ),
    [places, reading],
  );
  if (touchable === undefined || chosen === undefined) return null;
  const at = places.find(({ place }) => place === pointed) ?? chosen;
  return {
    touched: {
      ...{ policy, walker, chosen: chosen.place },
      onPoint: setPointed,
      onChoose: setChosen,
    },
    here: {
      place: at,
      policy: reading?.places.get(at.place) ?? null,
      iteration: reading?.iteration ?? null,
      actions: touchable.actions,
      touched: chosenPlace !== null || pointed !== null,
    },
  };
}

interface CountProps {
  readonly shown: Starts;
  /** The milestone that this iteration is the first to reach. */
  readonly milestone: string | undefined;
  readonly agents: boolean;
  /** Renders a single line. */
  readonly brief: boolean;
}

/** How many episodes of an iteration are solved: of one per start, or of all that were played. */
function Count({ shown, milestone, agents, brief }: CountProps) {
  const { iteration, episodes, played, solved } = shown;
  if (brief) {
    return (
      <p className="lapse-brief">
        Iteration {iteration}: <strong>{solvedOf(episodes)}</strong> of{' '}
        {milestone === undefined ? (
          `${several(episodes.length, 'start')} solved`
        ) : (
          <>
            {episodes.length} <span className="lapse-milestone">{milestone}</span>
          </>
        )}
      </p>
    );
  }
  return (
    <>
      <p className="lapse-iteration">
        Iteration {iteration}{' '}
        {milestone === undefined ? null : <span className="lapse-milestone">{milestone}</span>}
      </p>
      <p className="lapse-count">
        <strong>{agents ? solvedOf(episodes) : solved}</strong> of{' '}
        {agents ? episodes.length : played}
      </p>
      <p className="lapse-unit">{agents ? 'starts reach the goal' : 'episodes solve their task'}</p>
    </>
  );
}

interface KeyProps {
  readonly view: TogetherView | null;
  readonly shown: Starts | undefined;
  /** Cells can be selected and then show their content. */
  readonly touchable: boolean;
}

/** The legend of the map, the number of episodes it counts, and its contents as text. */
function MapKey({ view, shown, touchable }: KeyProps) {
  const [open, setOpen] = useState(false);
  if (view === null) return null;
  const { mapKey, tell } = view;
  if (touchable) return <p className="row lapse-key">{view.touchable?.key}</p>;
  if (shown === undefined) return <p className="row lapse-key">{mapKey}</p>;
  return (
    <>
      <p className="row lapse-key">
        {mapKey} Based on {several(shown.played, 'training episode')}.
      </p>
      <details
        className="lapse-words"
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>As text</summary>
        {open ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable list must be reachable by keyboard.
          <ul tabIndex={0} aria-label="The map as text">
            {tell(shown.map).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : null}
      </details>
    </>
  );
}

/** The iterations collected so far for the current run; updated while this view is mounted. */
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

interface Place {
  /** Index of the iteration shown. */
  readonly place: number;
  readonly turn: number;
  /** Shows the end of the iteration at this index. */
  readonly look: (place: number) => void;
}

const start: LapsePlace = { iteration: 0, turn: 0 };

/**
 * Plays the collected iterations, unless paused or the crosshair of a chart selects one. Maps play
 * as a film of the whole run, slowly enough to follow; training never waits for it.
 *
 * @param stops milestones by iteration
 * @param mapped whether an iteration is one map instead of turns
 */
function usePlace(
  kept: readonly Starts[],
  stops: ReadonlyMap<number, string>,
  mapped: boolean,
): Place {
  const running = useLab(({ status }) => status === 'running');
  const runId = useLab((lab) => lab.runId);
  const { playing, held } = usePlayback();
  const then = useThen();
  const [position, setPosition] = useState({ runId, at: start });
  const at = position.runId === runId ? position.at : start;
  const look = (place: number) => {
    const iteration = kept[place]?.iteration ?? 0;
    setPosition({ runId, at: { iteration, turn: Number.POSITIVE_INFINITY } });
    setPlaying(false);
  };
  const under = then === null ? -1 : kept.findLastIndex(({ iteration }) => iteration <= then);
  const still = !playing && !held;
  const place = still ? kept.length - 1 : Math.min(indexAt(kept, at), kept.length - 1);
  const shown = kept[place];
  const length = shown === undefined || mapped ? 0 : lengthOf(shown);
  const moves = playing && under < 0 && shown !== undefined;
  const following = moves && mapped ? nextMap(kept, at, running) : null;
  const iteration = shown?.iteration ?? 0;
  const since = useSince(`${runId} ${iteration} ${moves}`);
  const time = following === null || shown === undefined ? 0 : mapTime(kept, stops, shown, running);
  const next = following?.iteration ?? null;
  useEffect(() => {
    if (next === null) return;
    const wait = Math.max(0, since + time - performance.now());
    const timer = setTimeout(() => setPosition({ runId, at: { iteration: next, turn: 0 } }), wait);
    return () => clearTimeout(timer);
  }, [next, since, time, runId]);
  useEffect(() => {
    if (!moves || mapped) return;
    const { turn, end } = pace[running ? 'running' : 'over'];
    const timer = setTimeout(
      () => setPosition({ runId, at: nextInLapse(useStarts.getState().kept, at, running) }),
      at.turn < length ? turn : end,
    );
    return () => clearTimeout(timer);
  }, [moves, mapped, at, length, running, runId]);
  if (under >= 0) {
    const end = kept[under];
    return { place: under, turn: end === undefined ? 0 : lengthOf(end), look };
  }
  return { place, turn: still ? length : Math.min(at.turn, length), look };
}

/** Time at which the key last changed, on the clock of `performance.now`. */
function useSince(key: string): number {
  const [changed, setChanged] = useState({ key, at: performance.now() });
  if (changed.key === key) return changed.at;
  const now = { key, at: performance.now() };
  setChanged(now);
  return now.at;
}

interface ReelProps {
  readonly kept: readonly Starts[];
  /** Milestones by iteration, marked on the slider. */
  readonly stops: ReadonlyMap<number, string>;
  readonly place: number;
  readonly look: (place: number) => void;
}

/** Plays, pauses and scrubs the time-lapse. */
function Reel({ kept, stops, place, look }: ReelProps) {
  const { playing } = usePlayback();
  const newest = useLab(({ rows }) => rows.at(-1)?.iteration ?? 0);
  const iteration = kept[place]?.iteration ?? 0;
  return (
    <div className="transport">
      <ActionIcon
        variant="default"
        aria-label={playing ? 'Pause the time-lapse' : 'Play the time-lapse'}
        onClick={() => setPlaying(!playing)}
      >
        {playing ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
      </ActionIcon>
      <Slider
        className="scrub"
        min={0}
        max={Math.max(1, kept.length - 1)}
        value={Math.max(0, place)}
        disabled={kept.length < 2}
        label={null}
        marks={kept.flatMap(({ iteration }, value) => (stops.has(iteration) ? [{ value }] : []))}
        onChange={look}
        thumbLabel="Iteration of the time-lapse"
        thumbValueText={`${iteration}`}
      />
      <span className="transport-turn transport-iteration">
        {iteration}/{Math.max(newest, iteration)}
      </span>
    </div>
  );
}

/** The component that draws all episodes of an environment together; null until it is loaded. */
function useView(id: string): TogetherView | null {
  const [loaded, setLoaded] = useState<{ readonly id: string; readonly view: TogetherView }>();
  useEffect(() => {
    let wanted = true;
    loadTogether(id).then(
      (view) => {
        if (wanted && view !== undefined) setLoaded({ id, view });
      },
      (error: unknown) => console.error(error),
    );
    return () => {
      wanted = false;
    };
  }, [id]);
  return loaded?.id === id ? loaded.view : null;
}
