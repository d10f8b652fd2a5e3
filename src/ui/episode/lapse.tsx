import './lapse.css';
import { ActionIcon, SegmentedControl, Slider } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { Environment } from '../../envs/types.ts';
import { canTogether, loadTogether, type TogetherView } from '../../envs/views.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { useLab } from '../lab/store.ts';
import { setPlaying, usePlayback } from './playback.ts';
import {
  type LapsePlace,
  lengthOf,
  nextInLapse,
  nextMap,
  type Starts,
  solvedOf,
  stateAt,
  updateStarts,
  useStarts,
} from './starts.ts';
import { useThen } from './then.ts';
import { waitingFor } from './waiting.ts';
import { Where } from './where.tsx';

/**
 * How long a turn stays, and the last one of an iteration, which is shorter while newer ones keep coming; a
 * map stays as long as a turn does, but for the newest.
 */
const pace = {
  running: { turn: 70, end: 400, map: 400, newest: 400 },
  over: { turn: 90, end: 900, map: 260, newest: 1800 },
};

interface LapseProps {
  readonly env: EnvironmentRef;
  readonly environment: Environment;
}

/** All episodes at once, iteration after iteration: an agent for each, or what they show of the policy. */
export function Lapse({ env, environment }: LapseProps) {
  const kept = useKeptStarts();
  const agents = canTogether(env.id);
  const [wantsMap, setWantsMap] = useState(false);
  const mapped = wantsMap || !agents;
  const { place, turn, look } = usePlace(kept, mapped);
  const view = useView(env.id);
  const words = useLab(({ status, phase }) => waitingFor('starts', status, phase));
  const shown = kept[place] ?? kept.at(-1);
  const from = (taskId: string) => ({ taskId, state: environment.reset(taskId).state });
  const dots =
    shown === undefined
      ? (agents ? environment.trainTasks : []).map(from)
      : shown.episodes.map((one) => ({ taskId: one.record.taskId, state: stateAt(one, turn) }));
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <Where id={env.id} environment={environment} />
          {view === null ? (
            <div className="stage-coming" />
          ) : (
            <view.Component
              environmentId={env.id}
              options={env.options}
              episodes={dots}
              glide={turn === 0 ? 0 : pace.running.turn}
              map={mapped ? (shown?.map ?? null) : null}
            />
          )}
          <Reel kept={kept} place={place} look={look} />
        </div>
        <div className="lapse" data-testid="lapse">
          {shown === undefined ? (
            <p className="stage-wait">{words}</p>
          ) : (
            <Count shown={shown} agents={agents} />
          )}
          {mapped ? (
            <MapKey view={view} shown={shown} />
          ) : (
            <p className="lapse-key">
              <span className="lapse-dot" aria-hidden /> on its way
              <span className="lapse-dot lapse-dot-there" aria-hidden /> at the goal
            </p>
          )}
          {agents ? (
            <SegmentedControl
              className="lapse-view"
              size="xs"
              aria-label="What the picture shows"
              value={mapped ? 'map' : 'agents'}
              onChange={(value) => setWantsMap(value === 'map')}
              data={[
                { value: 'agents', label: 'Agents' },
                { value: 'map', label: 'What it does where' },
              ]}
            />
          ) : null}
        </div>
      </div>
      <p className="stage-foot">
        <span>
          {mapped ? 'All training episodes of an iteration.' : 'One episode from every start.'}
        </span>
        <span>{shown === undefined || mapped ? '' : `Turn ${turn} of ${lengthOf(shown)}`}</span>
      </p>
    </>
  );
}

interface CountProps {
  readonly shown: Starts;
  readonly agents: boolean;
}

/** How often an iteration's episodes end well: of one from every start, or of all of them. */
function Count({ shown, agents }: CountProps) {
  const { iteration, episodes, played, solved } = shown;
  return (
    <>
      <p className="lapse-iteration">Iteration {iteration}</p>
      <p className="lapse-count">
        <strong>{agents ? solvedOf(episodes) : solved}</strong> of{' '}
        {agents ? episodes.length : played}
      </p>
      <p>{agents ? 'starts lead to the goal.' : 'episodes solve their task.'}</p>
    </>
  );
}

interface KeyProps {
  readonly view: TogetherView | null;
  readonly shown: Starts | undefined;
}

/** What the map means, over how many episodes it counts, and all of it in words for who asks. */
function MapKey({ view, shown }: KeyProps) {
  const [open, setOpen] = useState(false);
  if (view === null) return null;
  const { mapKey, tell } = view;
  if (shown === undefined) return <p className="lapse-key">{mapKey}</p>;
  return (
    <>
      <p className="lapse-key">
        {mapKey} Counted over {shown.played} training episodes.
      </p>
      <details
        className="lapse-words"
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>In words</summary>
        {open ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by keyboard too.
          <ul tabIndex={0} aria-label="The picture in words">
            {tell(shown.map).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : null}
      </details>
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

/**
 * Plays what there is, unless somebody has stopped it or points at an iteration of the charts.
 *
 * @param mapped whether an iteration is one picture, without turns
 */
function usePlace(kept: readonly Starts[], mapped: boolean): Place {
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
  const length = shown === undefined || mapped ? 0 : lengthOf(shown);
  const moves = playing && under < 0 && shown !== undefined;
  const newest = place === kept.length - 1;
  useEffect(() => {
    if (!moves) return;
    const { turn, end, map, newest: last } = pace[running ? 'running' : 'over'];
    const next = () => {
      const { kept } = useStarts.getState();
      if (mapped) setAt({ place: nextMap(kept, at.place, running), turn: 0 });
      else setAt(nextInLapse(kept, at, running));
    };
    const ofTurns = at.turn < length ? turn : end;
    const timer = setTimeout(next, mapped ? (newest ? last : map) : ofTurns);
    return () => clearTimeout(timer);
  }, [moves, mapped, newest, at, length, running]);
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

/** What draws an environment's episodes together; null until it is loaded. */
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
