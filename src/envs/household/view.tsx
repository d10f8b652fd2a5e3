import type { CSSProperties } from 'react';
import { ViewRoot } from '../view-parts.tsx';
import type { EnvironmentView, EnvironmentViewProps } from '../views.ts';
import {
  describeScene,
  type HouseScene,
  presentable,
  type SceneItem,
  type ScenePlace,
} from './core/scene.ts';
import { partsOf } from './icons.ts';
import { layout, type PlanLayout, type Point } from './layout.ts';
import { sceneOf } from './scenes.ts';
import './view.css';

const custom = (properties: Readonly<Record<`--${string}`, string>>) => properties as CSSProperties;
const moved = ({ x, y }: Point): CSSProperties => ({ transform: `translate(${x}px, ${y}px)` });

/** The task, the house with the agent, and the reply to the last action. */
function HouseholdView({ environmentId, options, taskId, state, glide }: EnvironmentViewProps) {
  const scene = sceneOf(environmentId, options, state);
  if (scene === null) return null;
  const wide = layout(scene, 'wide');
  const narrow = layout(scene, 'narrow');
  const same = wide.width === narrow.width && wide.height === narrow.height;
  return (
    <ViewRoot
      name="household"
      description={describeScene(scene)}
      scene={scene}
      style={custom({ '--household-glide': `${glide}ms` })}
    >
      <p className="household-goal">{scene.goal}</p>
      <Steps scene={scene} />
      <Plan
        key={`wide ${taskId}`}
        scene={scene}
        plan={wide}
        className={same ? '' : 'household-wide'}
      />
      {same ? null : (
        <Plan key={`narrow ${taskId}`} scene={scene} plan={narrow} className="household-narrow" />
      )}
      <Answer scene={scene} />
    </ViewRoot>
  );
}

/** The sub-goals; those already reached are marked. */
function Steps({ scene: { steps } }: { readonly scene: HouseScene }) {
  if (steps.length === 0) return null;
  return (
    <ol className="view-steps">
      {steps.map(({ text, done, must }) => (
        <li
          key={text}
          className={`${done ? 'view-done ' : ''}${must ? 'household-must' : 'household-may'}`}
        >
          {text}
        </li>
      ))}
    </ol>
  );
}

interface PlanProps {
  readonly scene: HouseScene;
  readonly plan: PlanLayout;
  readonly className: string;
}

function Plan({ scene, plan, className }: PlanProps) {
  const { places, doors, carried, outcome } = scene;
  const things = [
    ...places.flatMap((place) => place.items.map((item) => ({ item, shut: place.open === false }))),
    ...carried.map((item) => ({ item, shut: false })),
  ];
  // In a fixed order, so that things move instead of being re-created; contents are drawn above their
  // container.
  things.sort((a, b) => depthOf(a.item) - depthOf(b.item) || a.item.thing - b.item.thing);
  return (
    <svg
      className={`household-plan ${className}`}
      viewBox={`0 0 ${plan.width} ${plan.height}`}
      style={{ maxWidth: plan.most }}
      aria-hidden="true"
    >
      <rect className="household-floor" width={plan.width} height={plan.height} rx={10} />
      {doors.map(({ between: [a, b], open }) => (
        <Door key={`${a} ${b}`} open={open} from={middleOf(plan, a)} to={middleOf(plan, b)} />
      ))}
      {places.map((place) => (
        <g key={place.thing} style={moved(plan.placeAt(place.thing))}>
          {place.form === 'room' ? (
            <Room place={place} cell={plan.cell} />
          ) : (
            <Furniture place={place} />
          )}
        </g>
      ))}
      {things.map(({ item, shut }) => (
        <g key={item.thing} className="household-thing" style={moved(plan.thingAt(item.thing))}>
          <Thing item={item} dim={shut || item.unseen} />
        </g>
      ))}
      <g className="household-agent" style={moved(plan.agentAt)}>
        <ellipse className="household-shade" cx={0} cy={1} rx={10} ry={3} />
        <path className="household-body" d="M-8 0Q-9 -13 0 -13Q9 -13 8 0Z" />
        <circle className="household-head" cx={0} cy={-18} r={7.5} />
        <circle className="household-eye" cx={-2.8} cy={-18.5} r={1.3} />
        <circle className="household-eye" cx={2.8} cy={-18.5} r={1.3} />
        <path
          className="household-mouth"
          d={outcome === 'success' ? 'M-3 -15.5Q0 -12.5 3 -15.5' : 'M-2 -14.6H2'}
        />
      </g>
    </svg>
  );
}

const middleOf = ({ placeAt, cell }: PlanLayout, place: number): Point => {
  const { x, y } = placeAt(place);
  return { x: x + cell.width / 2, y: y + cell.height / 2 };
};

/** A door between two rooms, drawn behind them; barred if it is closed. */
function Door({
  from,
  to,
  open,
}: {
  readonly from: Point;
  readonly to: Point;
  readonly open: boolean;
}) {
  return (
    <path
      className={open ? 'household-way household-way-open' : 'household-way'}
      d={`M${from.x} ${from.y}L${to.x} ${to.y}`}
    />
  );
}

/** The classes of a place, by its relation to the agent and the task. */
const classesOf = ({ here, wanted, seen }: ScenePlace): string =>
  [
    'household-place',
    ...(here ? ['household-here'] : []),
    ...(wanted ? ['household-wanted'] : []),
    ...(seen ? ['household-seen'] : []),
  ].join(' ');

function Room({
  place,
  cell: { width, height },
}: {
  readonly place: ScenePlace;
  readonly cell: PlanLayout['cell'];
}) {
  return (
    <g className={`household-room ${classesOf(place)}`}>
      <rect className="household-tile" x={7} y={7} width={width - 14} height={height - 14} rx={9} />
      <text className="household-name" x={width / 2} y={21}>
        {place.name}
      </text>
    </g>
  );
}

const depthOf = ({ inside }: SceneItem): number => (inside === null ? 0 : 1);

/** A piece of furniture or an appliance in a 104 × 96 cell, with its base at y = 74. */
function Furniture({ place }: { readonly place: ScenePlace }) {
  const { name, form, color, open } = place;
  return (
    <g className={classesOf(place)} style={custom({ '--household-color': color })}>
      <rect className="household-tile" x={3} y={3} width={98} height={90} rx={8} />
      {FURNITURE[form]}
      {open === null ? null : (
        <g className="household-door" style={{ transform: `scaleX(${open ? 0.14 : 1})` }}>
          <rect className="household-panel" x={12} y={16} width={80} height={56} rx={2} />
          <rect className="household-handle" x={83} y={40} width={3.4} height={10} rx={1.7} />
        </g>
      )}
      <text className="household-name" x={52} y={86}>
        {name}
      </text>
    </g>
  );
}

const FURNITURE: Readonly<Record<ScenePlace['form'], React.ReactNode>> = {
  top: (
    <>
      <path className="household-dark" d="M14 52H20V74H14ZM84 52H90V74H84Z" />
      <rect className="household-base" x={8} y={46} width={88} height={7} rx={2} />
    </>
  ),
  case: (
    <>
      <rect className="household-base" x={9} y={13} width={86} height={61} rx={4} />
      <rect className="household-inside" x={12} y={16} width={80} height={56} rx={2} />
      <rect className="household-dark" x={12} y={52} width={80} height={2.6} />
    </>
  ),
  seat: (
    <>
      <path className="household-dark" d="M12 28Q12 22 18 22H86Q92 22 92 28V60H12Z" />
      <path
        className="household-base"
        d="M6 44Q6 40 11 40Q16 40 16 46V50H88V46Q88 40 93 40Q98 40 98 44V68H6Z"
      />
      <path className="household-dark" d="M12 68H18V74H12ZM86 68H92V74H86Z" />
    </>
  ),
  basin: (
    <>
      <path className="household-line" d="M78 40V24Q78 18 70 18Q64 18 64 24" />
      <path className="household-base" d="M8 46H96Q94 74 76 74H28Q10 74 8 46Z" />
      <rect className="household-dark" x={8} y={46} width={88} height={4} rx={2} />
    </>
  ),
  bin: (
    <>
      <path className="household-base" d="M24 48H80L74 74H30Z" />
      <rect className="household-dark" x={21} y={45} width={62} height={5} rx={2} />
    </>
  ),
  rail: (
    <>
      <path className="household-line" d="M12 18V26H92V18" />
      <rect className="household-base" x={10} y={25} width={84} height={3} rx={1.5} />
    </>
  ),
  room: null,
};

/** An icon, anchored at the bottom center, with small signs for its properties. */
function Thing({
  item: { name, icon, notes, wanted, inside },
  dim,
}: {
  readonly item: SceneItem;
  readonly dim: boolean;
}) {
  return (
    <g className={`household-item${dim ? ' household-dim' : ''}`}>
      <title translate="no">{[...notes, name].join(' ')}</title>
      {notes.includes('shining') ? <circle className="household-glow" cy={-12} r={26} /> : null}
      {wanted ? <ellipse className="household-mark" cx={0} cy={-1} rx={13} ry={4.5} /> : null}
      <g
        transform={inside === null ? 'translate(-12 -22)' : 'translate(-8 -15) scale(0.68)'}
        style={custom({ '--household-color': icon.color })}
      >
        {partsOf(icon).map(([tone, path]) => (
          <path key={path} className={`household-${tone}`} d={path} />
        ))}
      </g>
      {notes
        .filter((note) => SIGNS[note] !== undefined)
        .map((note, i) => (
          <path
            key={note}
            className={`household-sign household-${note}`}
            d={SIGNS[note]}
            transform={`translate(${8 - 9 * i} -22)`}
          />
        ))}
    </g>
  );
}

/** Signs of 8 × 8: steam, a flake, a sparkle, a cut, a target. */
const SIGNS: Readonly<Record<string, string>> = {
  hot: 'M-2 4Q-4 2 -2 0Q0 -2 -2 -4M2 4Q0 2 2 0Q4 -2 2 -4',
  cool: 'M0 -4V4M-3.5 -2L3.5 2M-3.5 2L3.5 -2',
  clean: 'M0 -4.5L1.2 -1.2L4.5 0L1.2 1.2L0 4.5L-1.2 1.2L-4.5 0L-1.2 -1.2Z',
  sliced: 'M-3.5 3.5L3.5 -3.5M-1 4.5L4.5 -1',
  focused: 'M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0M-1 0A1 1 0 1 0 1 0A1 1 0 1 0 -1 0',
};

function Answer({ scene }: { readonly scene: HouseScene }) {
  const { said, answer, refused, turn, turnLimit, outcome } = scene;
  const ends = {
    running: null,
    success: '✓ done',
    lost: '✗ failed',
    'out of turns': 'out of turns',
  };
  return (
    <div className="household-answer">
      <p className={refused ? 'household-refused' : undefined}>
        {said === '' && turn === 0 ? (
          'The agent has read the task.'
        ) : (
          <>
            <b>{said.trim() === '' ? '(nothing)' : presentable(said)}</b> {answer}
          </>
        )}
      </p>
      <small>
        {ends[outcome] === null ? null : (
          <b className={`household-${outcome === 'success' ? 'success' : 'missed'}`}>
            {ends[outcome]}{' '}
          </b>
        )}
        {turn} of {turnLimit} turns used
      </small>
    </div>
  );
}

/** There are too many actions for keys, so the page's list of actions is used. */
export const view: EnvironmentView = { Component: HouseholdView, keys: {} };
