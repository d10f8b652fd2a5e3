import './twins.css';
import { Button } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { several } from '../../../runs/numbers.ts';
import { environmentOf } from '../../shell/episode/environments.ts';
import { Picture } from '../../shell/episode/picture.tsx';
import { reenact } from '../../shell/episode/reenact.ts';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { useLab } from '../../shell/lab/store.ts';
import { newestOfBoth, type Pair } from './pair.ts';
import { partingInWords } from './parting.ts';
import { endTwins } from './play.ts';
import { agentColors, type PlayingTwins, useTwins } from './state.ts';

/** Two agents that differ in one setting: when they diverge, and how each plays the same task. */
export function TwinsCard() {
  const playing = useTwins((state) => state.playing);
  return playing === null ? null : <Shown playing={playing} />;
}

function Shown({ playing }: { readonly playing: PlayingTwins }) {
  const { names, beside } = playing;
  const rows = useLab((lab) => lab.rows);
  const { tasks_per_iteration, group_size } = useLab((lab) => lab.config.rollout);
  const [first, second] = names;
  return (
    <section className="card band twins" aria-labelledby="twins-title" data-testid="twins">
      <div className="row band-head twins-head">
        <h2 id="twins-title">
          {first} and {second}
        </h2>
        <Button size="compact-sm" leftSection={<IconX size={14} />} onClick={endTwins}>
          {/* The button's label is a flex box, which drops spaces between its children. */}
          <span>
            Only <span>{first}</span>
          </span>
        </Button>
      </div>
      <p className="twins-words" role="status" data-testid="twins-words">
        {partingInWords(names, rows, beside.rows, tasks_per_iteration * group_size)}
      </p>
      {beside.problem === null ? null : <p role="alert">{beside.problem}</p>}
      <Films
        names={names}
        done={[rows.at(-1)?.iteration ?? 0, beside.rows.at(-1)?.iteration ?? 0]}
      />
      <p className="twins-note">
        Same seed, same tasks in the same order; only this setting differs. Another seed may give
        another result.
      </p>
    </section>
  );
}

/** Duration of a turn, in milliseconds, and of the last frame, in turns. */
const TURN_MS = 420;
const END_TURNS = 4;

interface FilmsProps {
  readonly names: readonly [string, string];
  /** Finished iterations of each. */
  readonly done: readonly [number, number];
}

/** Repeatedly replays the newest pair of episodes in which both agents play the same task. */
function Films({ names, done }: FilmsProps) {
  const still = useReducedMotion();
  const [{ pair, turn }, setShown] = useState<{
    readonly pair: Pair | null;
    readonly turn: number;
  }>({ pair: null, turn: 0 });
  useEffect(() => {
    const timer = setInterval(() => {
      setShown((shown) => {
        const length = Math.max(0, ...(shown.pair?.records ?? []).map(({ turns }) => turns.length));
        const going = shown.pair !== null && shown.turn < length + END_TURNS;
        if (going) return { ...shown, turn: still ? length + END_TURNS : shown.turn + 1 };
        const { playing } = useTwins.getState();
        const { past } = useLab.getState();
        return { pair: newestOfBoth(past, playing?.beside.episodes ?? []), turn: 0 };
      });
    }, TURN_MS);
    return () => clearInterval(timer);
  }, [still]);
  return (
    <div className="twins-films">
      {names.map((name, place) => (
        <figure key={name}>
          <figcaption>
            <span className="swatch" style={{ color: agentColors[place] }} aria-hidden />{' '}
            <b>{name}</b>, iteration {done[place]}
          </figcaption>
          <Film record={pair?.records[place] ?? null} turn={turn} />
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

function Film({ record, turn }: { readonly record: EpisodeRecord | null; readonly turn: number }) {
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
        glide={at === 0 ? 0 : TURN_MS / 2}
        text={turns[at]?.observation ?? finalObservation}
      />
    </div>
  );
}
