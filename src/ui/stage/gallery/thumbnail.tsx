import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Config } from '../../../config/schema.ts';
import { begin, expertOf, play, type Standing } from '../../../envs/episode.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';
import { environmentOf, environmentsOf } from '../../shell/episode/environments.ts';
import { Picture } from '../../shell/episode/picture.tsx';
import { loadWorlds } from '../../shell/episode/worlds.ts';

/** Number of expert turns in the picture, enough to show what the environment is about. */
const TURNS = 3;
/** Maximum number of a mixture's parts drawn. */
const MOST_PARTS = 4;
/** Offset between the tasks of consecutive cards. */
const APART = 8;

interface Moment {
  readonly env: EnvironmentRef;
  readonly taskId: string;
  readonly state: unknown;
  readonly text: string;
}

/** The state after the first turns of an expert's episode. */
function moment(env: EnvironmentRef, place: number): Moment {
  const environment = environmentOf(env);
  const { evalTasks, trainTasks } = environment;
  // Cards of the same environment show different tasks.
  const taskId = evalTasks[(APART * place) % evalTasks.length] ?? trainTasks[0] ?? '';
  let at: Standing = begin(environment, taskId);
  for (const { after } of play(environment, at, expertOf(environment), TURNS)) {
    // The last turn would show the end and not the task.
    if (after.terminated) break;
    at = after;
  }
  return { env, taskId, state: at.state, text: at.observation };
}

interface ThumbnailProps {
  readonly env: Config['env'];
  /** Index of the card in its group. */
  readonly place: number;
}

/** The environment of a preset as drawn on the stage; up to four for a mixture. */
export function Thumbnail({ env, place }: ThumbnailProps) {
  const [moments, setMoments] = useState<readonly Moment[]>([]);
  useEffect(() => {
    // Some environments take a while to create, so cards appear before their pictures.
    let shown = true;
    const draw = (ref: EnvironmentRef) =>
      loadWorlds([ref.id]).then(
        () => {
          if (shown) setMoments((made) => [...made, moment(ref, place)]);
        },
        // The card stays without a picture.
        (error: unknown) => console.error(error),
      );
    const timers = environmentsOf(env)
      .slice(0, MOST_PARTS)
      .map((ref, i) => setTimeout(draw, 30 + 30 * i, ref));
    return () => {
      shown = false;
      for (const timer of timers) clearTimeout(timer);
      setMoments([]);
    };
  }, [env, place]);
  return (
    <div
      className="thumbnail"
      data-count={Math.min(MOST_PARTS, environmentsOf(env).length)}
      aria-hidden
      inert
    >
      {moments.map(({ env: ref, taskId, state, text }) => (
        <Fitted key={ref.id}>
          <Picture env={ref} taskId={taskId} state={state} glide={0} text={text} />
        </Fitted>
      ))}
    </div>
  );
}

/** Renders its content at the stage's width and scales it to fit. */
function Fitted({ children }: { readonly children: ReactNode }) {
  const inner = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const content = inner.current;
    const room = content?.parentElement;
    if (!content || !room) return;
    const scaleDown = () => {
      const scale = Math.min(
        room.clientWidth / content.offsetWidth,
        room.clientHeight / content.offsetHeight,
      );
      content.style.transform = `scale(${Math.min(1, 0.94 * scale)})`;
    };
    scaleDown();
    const observer = new ResizeObserver(scaleDown);
    observer.observe(room);
    return () => observer.disconnect();
  }, []);
  return (
    <div className="thumbnail-part">
      <div className="thumbnail-fitted" ref={inner}>
        {children}
      </div>
    </div>
  );
}
