import { ActionIcon, Button, SegmentedControl, Slider, Tooltip } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import {
  IconArrowDown,
  IconArrowLeft,
  IconArrowRight,
  IconArrowUp,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerSkipBack,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
} from '@tabler/icons-react';
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { createEnvironment } from '../../envs/registry.ts';
import type { Environment } from '../../envs/types.ts';
import { environmentView } from '../../envs/views.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { type LabState, type ShownEpisode, useLab } from '../store.ts';
import { choose, type Source, setPlaying, showTurn, usePlayback } from '../store-playback.ts';
import { chosenFilm } from '../trajectories/film.ts';
import { Dialogue } from './dialogue.tsx';
import { act, beginTask, expertEpisode, isOver, type Reenactment, reenact } from './reenact.ts';

/** Longest and shortest time between two turns of a film, and the time a whole film should take. */
const TURN_MS = 420;
const FAST_TURN_MS = 130;
const FILM_MS = 7000;
/** How long the last picture stays. */
const END_MS = 1600;

const sources: readonly {
  readonly value: Source;
  readonly label: string;
  readonly hint: string;
}[] = [
  { value: 'latest', label: 'Latest', hint: 'The first episode of the newest iteration.' },
  { value: 'success', label: 'Solved', hint: 'The newest training episode that succeeded.' },
  { value: 'failure', label: 'Failed', hint: 'The newest training episode that failed.' },
  {
    value: 'evaluation',
    label: 'Greedy',
    hint: 'The newest evaluation: the most probable word at every turn.',
  },
  { value: 'chosen', label: 'Chosen', hint: 'The episode chosen from the list of trajectories.' },
  { value: 'expert', label: 'Expert', hint: 'The shortest way, found by search, not by learning.' },
  { value: 'play', label: 'You', hint: 'Walk it yourself, with the arrow keys.' },
];

const isSource = (value: string): value is Source =>
  sources.some((candidate) => candidate.value === value);

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

/** A film: an episode, and the iteration whose policy played it (null: no policy did). */
interface Film {
  readonly episode: Reenactment;
  readonly iteration: number | null;
  /** Said in place of the picture, where there is none. */
  readonly why?: string | null;
  /** Said below, in place of the source's own hint. */
  readonly hint?: string;
}

/** The agent in its environment, beside what was said. */
export function Stage() {
  const env = useLab((lab) => lab.config.env);
  const withoutGpu = useLab((lab) => lab.withoutGpu);
  const wanted = usePlayback((playback) => playback.source);
  const chosen = usePlayback((playback) => playback.chosen);
  const source: Source = withoutGpu && wanted !== 'play' && wanted !== 'chosen' ? 'expert' : wanted;
  const environment = useMemo(() => createEnvironment(env.id, env.options), [env]);
  const offered = (withoutGpu ? sources.slice(4) : sources).filter(
    ({ value }) => value !== 'chosen' || chosen !== null,
  );
  const hint = sources.find(({ value }) => value === source)?.hint;
  return (
    <section className="card stage" aria-labelledby="stage-title" data-testid="stage">
      <header className="stage-head">
        <h2 id="stage-title">{withoutGpu ? 'The maze' : 'The agent at work'}</h2>
        <SegmentedControl
          size="xs"
          aria-label="Episode to show"
          value={source}
          onChange={(value) => {
            if (isSource(value)) choose(value);
          }}
          data={offered.map(({ value, label }) => ({ value, label }))}
        />
      </header>
      {source === 'play' ? (
        <Play key={env.id} environment={environment} env={env} />
      ) : (
        <Screen
          key={source === 'chosen' ? chosen?.key : source}
          source={source}
          environment={environment}
          env={env}
          hint={hint ?? ''}
        />
      )}
    </section>
  );
}

const turnMs = (length: number) =>
  Math.min(TURN_MS, Math.max(FAST_TURN_MS, FILM_MS / Math.max(1, length)));

interface SceneProps {
  readonly environment: Environment;
  readonly env: LabState['config']['env'];
}

/** Shows episodes as films, the newest again and again. */
function Screen({ source, environment, env, hint }: SceneProps & { source: Source; hint: string }) {
  const available = useLab((lab) => episodeOf(lab, source));
  const runId = useLab((lab) => lab.runId);
  const { turn, playing, held, chosen } = usePlayback();
  const reduced = useReducedMotion();
  const tasks = environment.evalTasks;
  const [round, setRound] = useState(0);
  const [film, setFilm] = useState<Film | null>(null);

  const load = useCallback((): Film | null => {
    if (source === 'expert') {
      const task = tasks[(round * 7) % tasks.length] ?? '';
      return { episode: expertEpisode(environment, env, task), iteration: null };
    }
    if (source === 'chosen') {
      return chosen === null ? null : { ...chosenFilm(chosen), iteration: chosen.iteration };
    }
    if (available === null) return null;
    const { record, iteration } = available;
    const own = createEnvironment(record.environment.id, record.environment.options);
    return { episode: reenact(own, record), iteration };
  }, [source, chosen, environment, env, tasks, round, available]);

  // A new run or environment: what was shown belongs to another story.
  useEffect(() => setFilm(null), [runId, environment]);
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
      over ? END_MS : turnMs(length),
    );
    return () => clearTimeout(timer);
  }, [playing, film, turn, length]);

  if (film === null) {
    return (
      <div className="stage-body">
        <div className="stage-picture">
          <Picture
            env={env}
            taskId={environment.evalTasks[0] ?? ''}
            state={environment.reset(environment.evalTasks[0] ?? '').state}
            glide={0}
          />
        </div>
        <p className="stage-wait" data-testid="stage-wait">
          {source === 'success'
            ? 'No episode has succeeded yet.'
            : source === 'failure'
              ? 'No episode has failed yet.'
              : source === 'evaluation'
                ? 'The policy has not been evaluated yet.'
                : 'The first episodes are being played.'}
        </p>
      </div>
    );
  }
  const { episode, iteration, why } = film;
  const { record, states } = episode;
  const at = Math.min(turn, length);
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          {why == null ? (
            <Picture
              env={record.environment}
              taskId={record.taskId}
              state={states[at]}
              glide={at === 0 || reduced ? 0 : 0.6 * turnMs(length)}
            />
          ) : (
            <p className="stage-text" data-testid="stage-text">
              {why}
            </p>
          )}
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
              aria-label="One turn back"
              disabled={at === 0}
              onClick={() => showTurn(at - 1)}
            >
              <IconPlayerTrackPrev size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={playing ? 'Pause the film' : 'Play the film'}
              onClick={() => setPlaying(!playing)}
            >
              {playing ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="One turn on"
              disabled={at >= length}
              onClick={() => showTurn(at + 1)}
            >
              <IconPlayerTrackNext size={16} />
            </ActionIcon>
            <Slider
              className="scrub"
              size="sm"
              min={0}
              max={Math.max(1, length)}
              value={at}
              label={null}
              onChange={showTurn}
              thumbLabel="Turn"
            />
            <span className="transport-turn">
              {at}/{length}
            </span>
          </div>
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

const arrows: Readonly<Record<string, ReactNode>> = {
  'move up': <IconArrowUp size={18} />,
  'move left': <IconArrowLeft size={18} />,
  'move down': <IconArrowDown size={18} />,
  'move right': <IconArrowRight size={18} />,
};

/** The visitor acts. The environment needs no policy and no GPU. */
function Play({ environment, env }: SceneProps) {
  const [round, setRound] = useState(0);
  const tasks = environment.evalTasks;
  const begin = useCallback(
    (number: number) =>
      reenact(
        environment,
        beginTask(environment, env, tasks[(number * 7 + 3) % tasks.length] ?? ''),
      ),
    [environment, env, tasks],
  );
  const [episode, setEpisode] = useState(() => begin(0));
  const picture = useRef<HTMLDivElement>(null);
  useEffect(() => {
    picture.current?.focus({ preventScroll: true });
  }, []);
  const over = isOver(environment, episode);
  const take = (action: string) => {
    if (!over) setEpisode(act(environment, episode, action));
  };
  const keys = environmentView(env.id)?.keys ?? {};
  const onKeyDown = (event: KeyboardEvent) => {
    const action = keys[event.key];
    if (action === undefined) return;
    event.preventDefault();
    take(action);
  };
  const { record, states } = episode;
  const next = () => {
    setRound(round + 1);
    setEpisode(begin(round + 1));
    picture.current?.focus({ preventScroll: true });
  };
  const shortest = useMemo(
    () => expertEpisode(environment, env, record.taskId).record.turns.length,
    [environment, env, record.taskId],
  );
  const actions = Object.keys(arrows).every((name) => environment.lexicon.includes(name))
    ? Object.keys(arrows)
    : environment.admissibleActions(states.at(-1));
  return (
    <>
      <div className="stage-body">
        <div className="stage-picture">
          <div
            ref={picture}
            className="play-field"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the field takes the arrow keys
            tabIndex={0}
            role="application"
            aria-label="Your turn: walk with the arrow keys"
            onKeyDown={onKeyDown}
          >
            <Picture env={env} taskId={record.taskId} state={states.at(-1)} glide={120} />
          </div>
          <div className="pad">
            {actions.map((action) => (
              <Tooltip key={action} label={action}>
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={action}
                  disabled={over}
                  onClick={() => take(action)}
                >
                  {arrows[action] ?? action}
                </ActionIcon>
              </Tooltip>
            ))}
            <Button size="compact-sm" variant={over ? 'filled' : 'subtle'} onClick={next}>
              Another task
            </Button>
          </div>
        </div>
        <Dialogue
          record={record}
          turn={record.turns.length}
          finished={over}
          speaker="You"
          onChoose={() => {}}
        />
      </div>
      <p className="stage-foot">
        <span>
          {record.success
            ? `You took ${record.turns.length} turns; the shortest way takes ${shortest}.`
            : 'Walk with the arrow keys. The agent sees only the words on the right.'}
        </span>
        <span>{record.taskId}</span>
      </p>
    </>
  );
}

interface PictureProps {
  readonly env: EnvironmentRef;
  readonly taskId: string;
  readonly state: unknown;
  readonly glide: number;
}

/** The environment's drawn view, or nothing where it has none. */
function Picture({ env, taskId, state, glide }: PictureProps) {
  const view = environmentView(env.id);
  if (view === undefined) return null;
  const { Component } = view;
  return (
    <Component
      environmentId={env.id}
      options={env.options}
      taskId={taskId}
      state={state}
      glide={glide}
    />
  );
}
