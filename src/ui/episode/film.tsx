import { useDebouncedValue, useReducedMotion } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { familyOf } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { useChartSettings, useCrosshair } from '../charts/chart-settings.ts';
import { iterationAt } from '../charts/x-axis.ts';
import { pastEpisode } from '../lab/past.ts';
import { type LabState, type ShownEpisode, useLab } from '../lab/store.ts';
import { chosenFilm } from '../trajectories/film.ts';
import { Dialogue } from './dialogue.tsx';
import { environmentOf } from './environments.ts';
import { Picture } from './picture.tsx';
import { chooseEnvironment, chooseTask, type Source, showTurn, usePlayback } from './playback.ts';
import { expertEpisode, type Reenactment, reenact } from './reenact.ts';
import { Transport } from './transport.tsx';
import { Where } from './where.tsx';

/** Longest and shortest time between two turns of a film, and the time a whole film should take. */
const TURN_MS = 420;
const FAST_TURN_MS = 130;
const FILM_MS = 7000;
/** A turn with much to read stays longer: milliseconds for each of its characters, and at most. */
const READING_MS = 7;
const MOST_READING_MS = 2600;
/** How long the last picture stays. */
const END_MS = 1600;

/** How long a turn of this episode stays before the next one. */
function turnMs({ record: { turns } }: Reenactment, turn: number): number {
  const pace = Math.min(TURN_MS, Math.max(FAST_TURN_MS, FILM_MS / Math.max(1, turns.length)));
  const next = turns[turn];
  const written = next === undefined ? 0 : next.thought.length + next.action.length;
  const read = Math.min(MOST_READING_MS, READING_MS * ((next?.observation.length ?? 0) + written));
  // Short texts that change little from turn to turn, as a maze's, are taken in with the picture.
  return read < 2 * TURN_MS ? pace : Math.max(pace, read);
}

function episodeOf(lab: LabState, source: Source): ShownEpisode | null {
  switch (source) {
    case 'latest':
      return lab.latest;
    case 'success':
      return lab.success;
    case 'failure':
      return lab.failure;
    case 'evaluation':
      return lab.evaluation;
    case 'chosen':
    case 'expert':
    case 'play':
      return null;
    default:
      return source satisfies never;
  }
}

/** The crosshair has to rest this long before the stage goes where it stands. */
const REST_MS = 150;

/** The iteration under the crosshair of the charts; null where it stands nowhere. */
function useThen(): number | null {
  const at = useCrosshair((crosshair) => crosshair.at);
  const axis = useChartSettings((settings) => settings.axis);
  const then = useLab(({ rows }) => (at === null ? null : iterationAt(rows, axis, at)));
  return useDebouncedValue(then, REST_MS)[0];
}

/** The episode of that iteration, or the last one before it that is kept. */
function pastOf({ past }: LabState, source: Source, then: number | null): ShownEpisode | null {
  if (then === null || source === 'chosen' || source === 'expert' || source === 'play') return null;
  return pastEpisode(past, source, then);
}

/** What is shown: an episode, and the iteration whose policy played it (null: no policy did). */
interface Shown {
  readonly episode: Reenactment;
  readonly iteration: number | null;
  /** Said in place of the picture, where there is none. */
  readonly why?: string | null;
  /** Said below, in place of the source's own hint. */
  readonly hint?: string;
}

interface FilmProps {
  readonly source: Source;
  /** What the expert plays, of `environments`. */
  readonly env: EnvironmentRef;
  readonly environments: readonly EnvironmentRef[];
  readonly environment: Environment;
  readonly hint: string;
}

/** Shows episodes as films, the newest again and again. */
export function Film({ source, env, environments, environment, hint }: FilmProps) {
  const then = useThen();
  const past = useLab(useShallow((lab) => pastOf(lab, source, then)));
  const newestOne = useLab((lab) => episodeOf(lab, source));
  const available = past ?? newestOne;
  const runId = useLab((lab) => lab.runId);
  const { turn, playing, held, chosen, task } = usePlayback();
  const reduced = useReducedMotion();
  const [round, setRound] = useState(0);
  const [film, setFilm] = useState<Shown | null>(null);

  const load = useCallback((): Shown | null => {
    if (source === 'expert') {
      const tasks = environment.evalTasks;
      const own = task ?? tasks[(round * 7) % tasks.length] ?? '';
      return { episode: expertEpisode(environment, env, own), iteration: null };
    }
    if (source === 'chosen') {
      return chosen === null ? null : { ...chosenFilm(chosen), iteration: chosen.iteration };
    }
    if (available === null) return null;
    const { record, iteration } = available;
    const episode = reenact(environmentOf(record.environment), record);
    if (past === null) return { episode, iteration };
    return { episode, iteration, hint: 'As it played where the crosshair of the charts stands.' };
  }, [source, chosen, environment, env, task, round, available, past]);

  // A new run, environment or task: what was shown belongs to another story.
  useEffect(() => setFilm(null), [runId, environment, task]);
  // A film that stands still, and that nobody holds, shows the newest episode as a whole.
  const still = !playing && !held;
  useEffect(() => {
    if (film !== null && !still) return;
    const next = load();
    if (next === null) return;
    if (film !== null && film.iteration === next.iteration) return;
    setFilm(next);
    usePlayback.setState({ turn: still ? next.episode.record.turns.length : 0 });
  }, [film, still, load]);

  // Under the crosshair the film changes at once, and again when it has left, unless somebody holds it.
  const under = useRef(past);
  useEffect(() => {
    if (under.current === past || (held && !playing)) return;
    under.current = past;
    const next = load();
    if (next === null) return;
    setFilm(next);
    usePlayback.setState({ turn: playing ? 0 : next.episode.record.turns.length });
  }, [past, load, held, playing]);

  const length = film?.episode.record.turns.length ?? 0;
  // By reference: an episode that arrives must not begin the present turn's time anew.
  const newest = useRef(load);
  newest.current = load;
  useEffect(() => {
    if (!playing || film === null) return;
    const over = turn >= length;
    const timer = setTimeout(
      () => {
        if (!over) {
          usePlayback.setState({ turn: turn + 1 });
          return;
        }
        setRound((before) => before + 1);
        setFilm(newest.current() ?? film);
        usePlayback.setState({ turn: 0 });
      },
      over ? END_MS : turnMs(film.episode, turn),
    );
    return () => clearTimeout(timer);
  }, [playing, film, turn, length]);

  if (film === null)
    return <Waiting source={source} env={env} environment={environment} hint={hint} />;
  const { episode, iteration, why } = film;
  const { record, states } = episode;
  const at = Math.min(turn, length);
  const known = familyOf(record.environment.id) !== undefined && why == null;
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          {known ? (
            <Where
              id={record.environment.id}
              environment={environmentOf(record.environment)}
              {...(source === 'expert'
                ? {
                    choice: {
                      environments,
                      task: record.taskId,
                      onEnvironment: chooseEnvironment,
                      onTask: chooseTask,
                    },
                  }
                : {})}
            />
          ) : null}
          {why == null ? (
            <Picture
              env={record.environment}
              taskId={record.taskId}
              state={states[at]}
              glide={at === 0 || reduced ? 0 : 0.6 * Math.min(TURN_MS, turnMs(episode, at - 1))}
              text={record.turns[at]?.observation ?? record.finalObservation}
            />
          ) : (
            <p className="stage-text" data-testid="stage-text">
              {why}
            </p>
          )}
          <Transport turn={at} length={length} playing={playing} />
        </div>
        <Dialogue
          record={record}
          turn={at}
          finished
          speaker={source === 'expert' ? 'The expert' : 'The agent'}
          onChoose={showTurn}
        />
      </div>
      <p className="stage-foot">
        <span>{film.hint ?? hint}</span>
        <span>
          {iteration === null ? '' : `Iteration ${iteration}, `}
          {record.taskId}
        </span>
      </p>
    </>
  );
}

/** What is said while there is no film of this kind. */
function waitingFor(source: Source): string {
  switch (source) {
    case 'success':
      return 'No episode has succeeded yet.';
    case 'failure':
      return 'No episode has failed yet.';
    case 'evaluation':
      return 'The policy has not been evaluated yet.';
    default:
      return useLab.getState().status === 'asked'
        ? 'The run has not been started.'
        : 'The first episodes are being played.';
  }
}

/** The start of a task, until there is an episode to show. */
function Waiting({ source, env, environment, hint }: Omit<FilmProps, 'environments'>) {
  const task = environment.evalTasks[0] ?? '';
  const { state, observation } = environment.reset(task);
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <Where id={env.id} environment={environment} />
          <Picture env={env} taskId={task} state={state} glide={0} text={observation} />
          {/* The page must not move when the first episode arrives. */}
          <div className="transport transport-still" />
        </div>
        <p className="stage-wait" data-testid="stage-wait">
          {waitingFor(source)}
        </p>
      </div>
      <p className="stage-foot">
        <span>{hint}</span>
      </p>
    </>
  );
}
