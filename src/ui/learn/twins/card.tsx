import './twins.css';
import { ActionIcon, Button } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { several } from '../../../runs/numbers.ts';
import { reenact } from '../../../runs/reenact.ts';
import type { BesideEpisode } from '../../charts/beside/run.ts';
import { environmentOf } from '../../shell/episode/environments.ts';
import { Picture } from '../../shell/episode/picture.tsx';
import { setPlaying, usePlayback } from '../../shell/episode/playback.ts';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { isOver, useLab } from '../../shell/lab/store.ts';
import { Announced } from '../announced.tsx';
import { newestOfBoth, type Pair } from './pair.ts';
import { partingInWords } from './parting.ts';
import { endTwins } from './play.ts';
import { agentColors, type PlayingTwins, useTwins } from './state.ts';

/** Two agents that differ in one setting: when they diverge, and how each plays the same task. */
export function TwinsCard() {
  const playing = useTwins((state) => state.playing);
  return playing === null ? null : <Card playing={playing} />;
}

function Card({ playing }: { readonly playing: PlayingTwins }) {
  const { names, beside, compare } = playing;
  const rows = useLab((lab) => lab.rows);
  const { tasks_per_iteration, group_size } = useLab((lab) => lab.config.rollout);
  const firstIsOver = useLab(isOver);
  const over = firstIsOver && (beside.status === 'finished' || beside.status === 'failed');
  const { playing: moves } = usePlayback();
  const [first, second] = names;
  const words = partingInWords(names, rows, beside.rows, tasks_per_iteration * group_size, over);
  return (
    <section className="card band twins" aria-labelledby="twins-title" data-testid="twins">
      <div className="row band-head twins-head">
        <h2 id="twins-title">
          {first} and {second}
        </h2>
        <div className="row">
          <ActionIcon
            variant="default"
            aria-label={moves ? 'Pause playback' : 'Start playback'}
            onClick={() => setPlaying(!moves)}
          >
            {moves ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          </ActionIcon>
          <Button size="compact-sm" leftSection={<IconX size={14} />} onClick={endTwins}>
            {/* The button's label is a flex box, which drops spaces between its children. */}
            <span>
              Only <span>{first}</span>
            </span>
          </Button>
        </div>
      </div>
      <p className="twins-words" data-testid="twins-words">
        {words}
      </p>
      <Announced text={words} over={over} />
      {beside.problem === null ? null : <p role="alert">{beside.problem}</p>}
      <Films
        names={names}
        beside={beside.episodes}
        done={[rows.at(-1)?.iteration ?? 0, beside.rows.at(-1)?.iteration ?? 0]}
      />
      <p className="twins-note">
        {compare.includes(':')
          ? 'Same seed, same tasks in the same order; only this setting differs.'
          : 'Same seed, same tasks in the same order; only the method differs.'}{' '}
        Another seed may give another result.
      </p>
    </section>
  );
}

/** Duration of a turn, in milliseconds, and of the last frame, in turns. */
const TURN_MS = 420;
const END_TURNS = 4;

interface FilmsProps {
  readonly names: readonly [string, string];
  /** Episodes of the second agent. */
  readonly beside: readonly BesideEpisode[];
  /** Finished iterations of each. */
  readonly done: readonly [number, number];
}

interface Shown {
  readonly pair: Pair | null;
  readonly turn: number;
}

/** The frame after this one; after the last frame, the newest pair from its start. */
function following({ pair, turn }: Shown, newest: Pair | null): Shown {
  const length = Math.max(0, ...(pair?.records ?? []).map(({ turns }) => turns.length));
  if (pair === null || turn >= length + END_TURNS) return { pair: newest, turn: 0 };
  return { pair, turn: turn + 1 };
}

/**
 * Repeatedly replays the newest pair of episodes in which both agents play the same task. While playback
 * is stopped, but not by the user, it shows the end of the newest pair.
 */
function Films({ names, beside, done }: FilmsProps) {
  const reduced = useReducedMotion();
  const { playing, held } = usePlayback();
  const past = useLab((lab) => lab.past);
  const newest = useMemo(() => newestOfBoth(past, beside), [past, beside]);
  const latest = useRef(newest);
  latest.current = newest;
  const [frame, setFrame] = useState<Shown>({ pair: null, turn: 0 });
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(
      () => setFrame((before) => following(before, latest.current)),
      TURN_MS,
    );
    return () => clearInterval(timer);
  }, [playing]);
  const isFrame = playing || (held && frame.pair !== null);
  const { pair, turn } = isFrame ? frame : { pair: newest, turn: Number.POSITIVE_INFINITY };
  const glide = playing && !reduced && turn > 0 ? TURN_MS / 2 : 0;
  return (
    <div className="twins-films">
      {names.map((name, place) => (
        <figure key={name}>
          <figcaption>
            <span className="swatch" style={{ color: agentColors[place] }} aria-hidden />{' '}
            <b>{name}</b>, iteration {done[place]}
          </figcaption>
          <Film record={pair?.records[place] ?? null} turn={turn} glide={glide} />
        </figure>
      ))}
      <p>
        {pair === null
          ? 'Both are playing their first episodes.'
          : `Both at the same task, after ${several(pair.iteration, 'iteration')}: ${ends(names, pair)}`}
      </p>
    </div>
  );
}

function ends(names: readonly [string, string], { records }: Pair): string {
  const [first, second] = records.map(({ success, turns }) =>
    success ? `solves it in ${several(turns.length, 'turn')}` : 'does not solve it',
  );
  return `${names[0]} ${first}, ${names[1]} ${second}.`;
}

interface FilmProps {
  readonly record: EpisodeRecord | null;
  readonly turn: number;
  readonly glide: number;
}

function Film({ record, turn, glide }: FilmProps) {
  const ready = useWorlds(record === null ? [] : [record.environment.id]);
  const episode = useMemo(
    () => (record === null || !ready ? null : reenact(environmentOf(record.environment), record)),
    [record, ready],
  );
  if (episode === null) return <div className="twins-picture" />;
  const { environment, taskId, turns, finalObservation } = episode.record;
  const at = Math.min(turn, turns.length);
  return (
    <div className="twins-picture" aria-hidden>
      <Picture
        env={environment}
        taskId={taskId}
        state={episode.states[at]}
        glide={glide}
        text={turns[at]?.observation ?? finalObservation}
      />
    </div>
  );
}
