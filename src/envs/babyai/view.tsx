import { type CSSProperties, useEffect, useId, useRef } from 'react';
import { Floor, ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import {
  type BabyAIScene,
  babyaiScene,
  type Cell,
  describeScene,
  isBabyAIState,
  type Pose,
  type SceneDoor,
  type SceneThing,
} from './scene.ts';
import { DROP, MOVE_FORWARD, TOGGLE, TURN_LEFT, TURN_RIGHT } from './text.ts';
import type { Color, Kind } from './world.ts';
import './view.css';

/** Arrow keys turn and move, space toggles and d drops; the texts are the environment's actions. */
const keys: Readonly<Record<string, string>> = {
  ArrowUp: MOVE_FORWARD,
  ArrowLeft: TURN_LEFT,
  ArrowRight: TURN_RIGHT,
  ' ': TOGGLE,
  d: DROP,
};

/** Side of a cell in drawing units. */
const SIDE = 20;
/** Width of the wall drawn around the frame; larger if the outermost walls may have doors. */
const MARGIN = { doors: 6, noDoors: -9 } as const;
/** In grids with more cells per side than this, things are drawn larger. */
const FEW_CELLS = 12;
const LARGER = 1.25;

const x = (cell: Cell) => (cell.column + 0.5) * SIDE;
const y = (cell: Cell) => (cell.row + 0.5) * SIDE;
const ink = (color: Color): CSSProperties => ({ color: `var(--babyai-${color})` });
const at = (cell: Cell) => `translate(${x(cell)}px, ${y(cell)}px)`;

/** The rooms from above with the agent's view lit, and the mission above them. */
function BabyAIView({ environmentId, options, taskId, state, glide }: EnvironmentViewProps) {
  if (!isBabyAIState(state)) return null;
  const scene = babyaiScene(environmentId, options, taskId, state);
  return (
    <ViewRoot name="babyai" description={describeScene(scene)} scene={scene}>
      <Mission scene={scene} />
      <Rooms key={taskId} scene={scene} glide={glide} />
      <Notes scene={scene} />
    </ViewRoot>
  );
}

interface SceneProps {
  readonly scene: BabyAIScene;
}

/** The mission's text and, if it has several clauses, a list in which completed clauses are marked. */
function Mission({ scene }: SceneProps) {
  const { mission, clauses, outcome } = scene;
  return (
    <div className="babyai-mission">
      <p>
        <span className="babyai-label">Goal</span> {mission}
        {outcome === 'success' ? <b className="babyai-success"> ✓ done</b> : null}
        {outcome === 'failure' ? <b className="babyai-failure"> out of turns</b> : null}
      </p>
      {clauses.length < 2 ? null : (
        <ol className="view-steps">
          {clauses.map(({ text, done }, k) => (
            <li key={k} className={done ? 'view-done' : ''}>
              {text}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Rooms({ scene, glide }: SceneProps & { readonly glide: number }) {
  const { frame, floor, things, doors, carrying, poses, outcome } = scene;
  const clip = useId();
  const margin = doors.length > 0 ? MARGIN.doors : MARGIN.noDoors;
  const left = frame.left * SIDE - margin;
  const top = frame.top * SIDE - margin;
  const width = frame.columns * SIDE + 2 * margin;
  const height = frame.rows * SIDE + 2 * margin;
  const size = Math.max(frame.columns, frame.rows) > FEW_CELLS ? LARGER : 1;
  const style = { transitionDuration: `${glide}ms` };
  return (
    <svg className="babyai-rooms" viewBox={`${left} ${top} ${width} ${height}`} aria-hidden="true">
      <defs>
        <clipPath id={clip}>
          <rect x={left} y={top} width={width} height={height} rx={10} />
        </clipPath>
      </defs>
      <g clipPath={`url(#${clip})`}>
        <rect className="view-wall" x={left} y={top} width={width} height={height} />
        <Floor cells={floor} side={SIDE} />
        {floor.map(({ row, column, seen }) => (
          <rect
            key={`tile ${row},${column}`}
            className={seen ? 'babyai-tile babyai-lit' : 'babyai-tile'}
            style={style}
            x={column * SIDE + 0.8}
            y={row * SIDE + 0.8}
            width={SIDE - 1.6}
            height={SIDE - 1.6}
            rx={2}
          />
        ))}
        {doors.map((door) => (
          <DoorView key={`${door.row},${door.column}`} door={door} style={style} />
        ))}
        {things.map((thing) => (
          <ThingView key={thing.id} thing={thing} size={size} style={style} />
        ))}
        <Trail poses={poses} />
        <Agent poses={poses} glide={glide} outcome={outcome} carrying={carrying} size={size} />
      </g>
    </svg>
  );
}

interface Styled {
  readonly style: CSSProperties;
}

interface ThingProps extends Styled {
  readonly thing: SceneThing;
  readonly size: number;
}

function ThingView({ thing, size, style }: ThingProps) {
  return (
    <g
      className={thing.seen ? 'babyai-thing' : 'babyai-thing babyai-unseen'}
      style={{ ...style, ...ink(thing.color), transform: at(thing) }}
    >
      {thing.wanted ? <circle className="babyai-wanted" r={9.4} /> : null}
      <g transform={`scale(${size})`}>
        <Shape kind={thing.kind} />
      </g>
    </g>
  );
}

/** A ball, a box with its lid, or a key, centered at the origin. */
function Shape({ kind }: { readonly kind: Kind }) {
  switch (kind) {
    case 'ball':
      return (
        <>
          <circle className="babyai-solid" r={5.6} />
          <ellipse className="babyai-shine" cx={-1.9} cy={-2.2} rx={1.6} ry={1.1} />
        </>
      );
    case 'box':
      return (
        <>
          <rect className="babyai-solid" x={-5.6} y={-5.2} width={11.2} height={10.6} rx={1.6} />
          <path className="babyai-line" d="M-5.6 -1.6H5.6M-1.4 -1.6V0.9H1.4V-1.6" />
        </>
      );
    case 'key':
      return (
        <g transform="rotate(-40)">
          <circle className="babyai-ring" cx={-3.4} r={2.9} />
          <path className="babyai-shaft" d="M-0.5 0H6.4M3.4 0V2.8M6 0V2.6" />
        </g>
      );
    default:
      return kind satisfies never;
  }
}

/** A door leaf in its frame; an open door stands at the side. */
function DoorView({ door, style }: { readonly door: SceneDoor } & Styled) {
  const { state, upright, seen, wanted } = door;
  return (
    <g
      className={seen ? 'babyai-door' : 'babyai-door babyai-unseen'}
      style={{ ...style, ...ink(door.color), transform: at(door) }}
    >
      {wanted ? (
        <rect className="babyai-wanted" x={-9} y={-9} width={18} height={18} rx={4} />
      ) : null}
      <g transform={upright ? 'rotate(90)' : ''}>
        <path className="babyai-posts" d="M-10 -4V4M10 -4V4" />
        <g
          className="babyai-leaf"
          style={{ ...style, transform: `rotate(${state === 'open' ? -78 : 0}deg)` }}
        >
          <rect className="babyai-solid" x={-9} y={-2.6} width={18} height={5.2} rx={1.4} />
          {state === 'locked' ? (
            <path
              className="babyai-lock"
              d="M-2.6 -0.4H2.6V3.4H-2.6ZM-1.6 -0.4V-1.8A1.6 1.6 0 0 1 1.6 -1.8V-0.4"
            />
          ) : (
            <circle className="babyai-knob" cx={6} r={1} />
          )}
        </g>
      </g>
    </g>
  );
}

/** The agent's path in its last turn. */
function Trail({ poses }: { readonly poses: readonly Pose[] }) {
  const points = poses.map((pose) => `${x(pose)},${y(pose)}`).join(' ');
  return <polyline className="babyai-trail" points={points} />;
}

interface AgentProps {
  readonly poses: readonly Pose[];
  readonly glide: number;
  readonly outcome: BabyAIScene['outcome'];
  readonly carrying: BabyAIScene['carrying'];
  readonly size: number;
}

/** The agent walks the path of its last turn cell by cell; its nose shows the heading. */
function Agent({ poses, glide, outcome, carrying, size }: AgentProps) {
  const body = useRef<SVGGElement>(null);
  const nose = useRef<SVGGElement>(null);
  const pose = poses.at(-1) ?? { row: 0, column: 0, degrees: 0 };
  const way = JSON.stringify(poses);
  useEffect(() => {
    const passed: readonly Pose[] = JSON.parse(way);
    if (glide === 0 || passed.length < 2) return;
    const timing = { duration: glide, easing: 'ease-in-out' };
    const moves = body.current?.animate(
      passed.map((pose) => ({ transform: at(pose) })),
      timing,
    );
    const turns = nose.current?.animate(
      passed.map(({ degrees }) => ({ transform: `rotate(${degrees}deg)` })),
      timing,
    );
    return () => {
      moves?.cancel();
      turns?.cancel();
    };
  }, [way, glide]);
  const radians = (pose.degrees * Math.PI) / 180;
  const face = `translate(${1.7 * Math.cos(radians)}px, ${1.5 * Math.sin(radians)}px)`;
  const mouth = {
    running: 'M-1.6 2.3H1.6',
    success: 'M-2.4 1.6Q0 4.2 2.4 1.6',
    failure: 'M-2.2 3Q0 1.2 2.2 3',
  };
  return (
    <g ref={body} style={{ transform: at(pose) }}>
      <g transform={`scale(${size})`}>
        {outcome === 'success' ? <circle className="babyai-glow" r={11} /> : null}
        <g ref={nose} style={{ transform: `rotate(${pose.degrees}deg)` }}>
          <path className="babyai-nose" d="M4.2 -5L10.6 0L4.2 5Z" />
        </g>
        <circle className="babyai-body" r={6.6} />
        <g style={{ transform: face }}>
          <circle className="babyai-eye" cx={-2.2} cy={-1} r={1.15} />
          <circle className="babyai-eye" cx={2.2} cy={-1} r={1.15} />
          <path className="babyai-mouth" d={mouth[outcome]} />
        </g>
        {carrying === null ? null : (
          <g className="babyai-carried" style={ink(carrying.color)}>
            <circle className="babyai-hand" r={9} />
            <Shape kind={carrying.kind} />
          </g>
        )}
      </g>
    </g>
  );
}

/** What the agent carries, what the lit area means, and the number of turns. */
function Notes({ scene }: SceneProps) {
  const { carrying, turn, turnLimit, steps } = scene;
  return (
    <div className="view-legend">
      <span>
        {carrying === null ? (
          'carries nothing'
        ) : (
          <>
            carries{' '}
            <svg className="babyai-icon" viewBox="-9 -9 18 18" style={ink(carrying.color)}>
              <title>{carrying.kind}</title>
              <Shape kind={carrying.kind} />
            </svg>{' '}
            {carrying.color} {carrying.kind}
          </>
        )}
      </span>
      <span>
        <i className="babyai-swatch" /> in sight
      </span>
      <span>
        <i className="babyai-swatch babyai-swatch-wanted" /> named in the goal
      </span>
      <span>
        {turn} of {turnLimit} turns used, {steps} {steps === 1 ? 'step' : 'steps'}
      </span>
    </div>
  );
}

export const view: EnvironmentView = { Component: BabyAIView, keys };
