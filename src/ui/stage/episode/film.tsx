import { useReducedMotion } from '@mantine/hooks';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { familyCard, isRemote } from '../../../envs/registry.ts';
import type { Environment } from '../../../envs/types.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import { percent } from '../../../runs/numbers.ts';
import type { ShownEpisodes } from '../../../runs/record.ts';
import { expertEpisode, type Reenactment, reenact } from '../../../runs/reenact.ts';
import { loadedLater } from '../../shell/comfort/release.ts';
import { chosenFilm } from '../../shell/episode/chosen-film.ts';
import { Dialogue } from '../../shell/episode/dialogue.tsx';
import { environmentOf } from '../../shell/episode/environments.ts';
import { Picture } from '../../shell/episode/picture.tsx';
import {
  chooseEnvironment,
  chooseTask,
  type Source,
  showTurn,
  usePlayback,
} from '../../shell/episode/playback.ts';
import { accuracyOf, usePredicted } from '../../shell/episode/prediction.ts';
import { waitingFor } from '../../shell/episode/waiting.ts';
import { pastEpisode } from '../../shell/lab/past.ts';
import { type LabState, useLab } from '../../shell/lab/store.ts';
import { END_MS, glideMs, nothingMoves, taskOf, turnMs } from './pace.ts';
import { useThen } from './then.ts';
import { Transport } from './transport.tsx';
import { Where } from './where.tsx';

/** Sources whose episodes the lab keeps, the newest and earlier ones. */
const isKept = (source: Source): source is keyof ShownEpisodes =>
  source === 'latest' || source === 'success' || source === 'failure' || source === 'evaluation';

const episodeOf = (lab: LabState, source: Source) => (isKept(source) ? lab[source] : null);

/** The kept episode of the iteration at the crosshair, or the newest one before it. */
const pastOf = ({ past }: LabState, source: Source, then: number | null) =>
  then !== null && isKept(source) ? pastEpisode(past, source, then) : null;

const Likeliest = loadedLater(async () => (await import('../policy/likeliest.tsx')).Likeliest);

/** The shown episode, and the iteration whose policy played it (null if no policy did). */
interface Shown {
  readonly episode: Reenactment;
  readonly iteration: number | null;
  /** Why there is no picture; shown in its place. */
  readonly why?: string | null;
  /** Shown below the picture instead of the source's hint. */
  readonly hint?: string;
}

interface FilmProps {
  readonly source: Source;
  /** The environment that the expert plays, one of `environments`. */
  readonly env: EnvironmentRef;
  readonly environments: readonly EnvironmentRef[];
  readonly environment: Environment;
  readonly hint: string;
}

/** Plays the newest episode turn by turn, in a loop. */
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
      const own = task ?? taskOf(environment.evalTasks, round);
      return { episode: expertEpisode(environment, env, own), iteration: null };
    }
    if (source === 'chosen') {
      return chosen === null ? null : { ...chosenFilm(chosen), iteration: chosen.iteration };
    }
    if (available === null) return null;
    const { record, iteration } = available;
    const episode = reenact(environmentOf(record.environment), record);
    if (past === null) return { episode, iteration };
    return { episode, iteration, hint: 'The episode at the crosshair.' };
  }, [source, chosen, environment, env, task, round, available, past]);

  // An episode of another run, environment or task is no longer valid.
  useEffect(() => setFilm(null), [runId, environment, task]);
  // While playback is stopped, but not by the user, show the end of the newest episode.
  const still = !playing && !held;
  useEffect(() => {
    if (film !== null && !still) return;
    const next = load();
    if (next === null) return;
    if (film !== null && film.iteration === next.iteration) return;
    setFilm(next);
    usePlayback.setState({ turn: still ? next.episode.record.turns.length : 0 });
  }, [film, still, load]);

  // Switch immediately when the crosshair moves or leaves, unless the user has stopped playback.
  const under = useRef(past);
  useEffect(() => {
    if (under.current === past || (held && !playing)) return;
    under.current = past;
    const next = load();
    if (next === null) return;
    setFilm(next);
    usePlayback.setState({ turn: playing ? 0 : next.episode.record.turns.length });
  }, [past, load, held, playing]);

  const readable = source === 'expert' && !isRemote(env.id);
  const predicted = usePredicted((readable && film?.episode.record) || null);

  const length = film?.episode.record.turns.length ?? 0;
  // By reference: a new episode must not restart the current turn's timer.
  const newest = useRef({ load, iteration: available?.iteration });
  newest.current = { load, iteration: available?.iteration };
  useEffect(() => {
    if (!playing || film === null) return;
    const over = turn >= length;
    const timer = setTimeout(
      () => {
        const { iteration = film.iteration } = newest.current;
        const passed = iteration !== film.iteration && nothingMoves(film.episode.record, turn);
        if (!over && !passed) {
          usePlayback.setState({ turn: turn + 1 });
          return;
        }
        setRound((before) => before + 1);
        setFilm(newest.current.load() ?? film);
        usePlayback.setState({ turn: 0 });
      },
      over ? END_MS : turnMs(film.episode.record, turn),
    );
    return () => clearTimeout(timer);
  }, [playing, film, turn, length]);

  if (film === null)
    return <Waiting source={source} env={env} environment={environment} hint={hint} />;
  const { episode, iteration, why } = film;
  const { record, states } = episode;
  const at = Math.min(turn, length);
  const known = familyCard(record.environment.id) !== undefined && why == null;
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
              glide={at === 0 || reduced ? 0 : glideMs(record, at - 1)}
              text={record.turns[at]?.observation ?? record.finalObservation}
            />
          ) : (
            <p className="stage-text" data-testid="stage-text">
              {why}
            </p>
          )}
          <Transport turn={at} length={length} playing={playing} />
        </div>
        <div className="stage-side">
          <Dialogue
            record={record}
            turn={at}
            finished
            speaker={source === 'expert' ? 'The expert' : 'The agent'}
            predicted={predicted?.turns}
            onChoose={showTurn}
          />
          {why == null && isPlayed(record.environment, environments) ? (
            <Suspense fallback={<div className="likeliest" />}>
              <Likeliest record={record} turn={at} />
            </Suspense>
          ) : null}
        </div>
      </div>
      <p className="stage-foot">
        <span>
          {predicted === null
            ? (film.hint ?? hint)
            : `The agent’s most probable token matches ${percent(accuracyOf(predicted))} of the expert’s tokens.`}
        </span>
        <span>
          {iteration === null ? '' : `Iteration ${iteration}, `}
          {record.taskId}
        </span>
      </p>
    </>
  );
}

/** Whether the run's agent plays in an environment, and so has its words in the vocabulary. */
const isPlayed = ({ id }: EnvironmentRef, environments: readonly EnvironmentRef[]) =>
  !useLab.getState().cannotTrain && environments.some((one) => one.id === id);

/** Shows the start of a task until there is an episode. */
function Waiting({ source, env, environment, hint }: Omit<FilmProps, 'environments'>) {
  const words = useLab((lab) => waitingFor(source, lab));
  const task = environment.evalTasks[0] ?? '';
  const { state, observation } = environment.reset(task);
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <Where id={env.id} environment={environment} />
          <Picture env={env} taskId={task} state={state} glide={0} text={observation} />
          {/* Reserves the space of the controls, so that the page does not shift. */}
          <div className="transport transport-still" />
        </div>
        <p className="stage-wait" data-testid="stage-wait">
          {words}
        </p>
      </div>
      <p className="stage-foot">
        <span>{hint}</span>
      </p>
    </>
  );
}
