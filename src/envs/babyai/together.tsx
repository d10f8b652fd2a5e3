import './view.css';
import './together.css';
import type { ReactNode } from 'react';
import { type PlaceFacts, percent, usual } from '../deeds.ts';
import type { TogetherProps, TogetherView } from '../views.ts';
import { beyondOf, type Doing, deedsOf, doings, reachOf } from './bearings.ts';
import { VIEW } from './sight.ts';

/** Side of a cell in units of the drawing, and the room around all cells for the words at the sides. */
const SIDE = 20;
const MARGIN = 13;

/** What each sign means. */
const doingTexts: Readonly<Record<Doing, string>> = {
  left: 'turns left',
  right: 'turns right',
  ahead: 'goes ahead',
  it: 'goes for it',
  vain: 'tries to go for it in vain',
  another: 'goes for something else',
  hands: 'drops or toggles',
  nothing: 'tries what cannot be done',
};

type Facts = ReadonlyMap<string, PlaceFacts>;

/** What the policy does, by where the thing lies that the goal is about; the agent looks up. */
function Together({ environmentId, options, map }: TogetherProps) {
  const facts: Facts = map ?? new Map();
  const reach = reachOf(environmentId, options);
  const half = (reach + 0.5) * SIDE;
  const edge = half + MARGIN;
  const seen = new Set([...facts.values()].map((place) => usualDoing(place).doing));
  return (
    <div className="babyai babyai-together">
      <svg
        className="babyai-bearings"
        viewBox={`${-edge} ${-edge} ${2 * edge} ${2 * edge}`}
        role="img"
        aria-label={inWords(facts)}
      >
        <rect
          className="babyai-field"
          x={-half}
          y={-half}
          width={2 * half}
          height={2 * half}
          rx={6}
        />
        <Sight reach={reach} />
        <Grid half={half} reach={reach} />
        {[...facts].map(([name, place]) => (
          <PlaceMark key={name} name={name} place={place} />
        ))}
        <path className="babyai-nose" d="M-5 -4.2L0 -10.6L5 -4.2Z" />
        <circle className="babyai-body" r={6.6} />
        <g className="babyai-side">
          <text y={-half - 4}>ahead</text>
          <text y={half + 10}>behind</text>
          <text transform={`translate(${-half - 4} 0) rotate(-90)`}>left</text>
          <text transform={`translate(${half + 4} 0) rotate(90)`}>right</text>
        </g>
      </svg>
      <Legend seen={seen} beyond={beyondOf(environmentId, options)} />
    </div>
  );
}

/** The cells that the agent would see if nothing stood in the way. */
function Sight({ reach }: { readonly reach: number }) {
  const aside = Math.min(reach, (VIEW - 1) / 2);
  const far = Math.min(reach, VIEW - 1);
  return (
    <rect
      className="babyai-lit"
      x={-(aside + 0.5) * SIDE}
      y={-(far + 0.5) * SIDE}
      width={(2 * aside + 1) * SIDE}
      height={(far + 1) * SIDE}
    />
  );
}

function Grid({ half, reach }: { readonly half: number; readonly reach: number }) {
  const lines = Array.from({ length: 2 * reach }, (_, i) => (i - reach + 0.5) * SIDE);
  const path = lines.map((at) => `M${at} ${-half}V${half}M${-half} ${at}H${half}`).join('');
  return <path className="babyai-grid" d={path} />;
}

interface MarkProps {
  readonly name: string;
  readonly place: PlaceFacts;
}

/** A cell is the greener, the more often the goal is reached; its sign the stronger, the surer it is. */
function PlaceMark({ name, place }: MarkProps) {
  const [ahead = 0, right = 0] = name.split(',').map(Number);
  const { doing, share } = usualDoing(place);
  return (
    <g
      className="babyai-place"
      transform={`translate(${right * SIDE} ${-ahead * SIDE})`}
      data-doing={doing}
    >
      <title>{said(place)}</title>
      <rect x={-9} y={-9} width={18} height={18} rx={2} opacity={0.85 * place.success} />
      <g opacity={share}>{signs[doing]}</g>
    </g>
  );
}

/** The sign of what is done, in a cell around the origin. */
const signs: Readonly<Record<Doing, ReactNode>> = {
  left: <path d="M4.6 5V0.4A4 4 0 0 0 0.6 -3.6H-4.6M-1.6 -6.6L-4.8 -3.6L-1.6 -0.6" />,
  right: <path d="M-4.6 5V0.4A4 4 0 0 1 -0.6 -3.6H4.6M1.6 -6.6L4.8 -3.6L1.6 -0.6" />,
  ahead: <path d="M0 5.5V-5.5M-3.6 -1.9L0 -5.5L3.6 -1.9" />,
  it: <circle className="babyai-solid" r={4.6} />,
  vain: <circle className="babyai-hollow" r={4.2} />,
  another: <path d="M-3.8 -3.8L3.8 3.8M3.8 -3.8L-3.8 3.8" />,
  hands: <rect className="babyai-hollow" x={-3.6} y={-3.6} width={7.2} height={7.2} />,
  nothing: <circle className="babyai-solid" r={1.4} />,
};

interface LegendProps {
  readonly seen: ReadonlySet<Doing>;
  /** Whether the outermost places stand for all beyond them. */
  readonly beyond: boolean;
}

/** The signs that the picture has, and the first five in any case. */
function Legend({ seen, beyond }: LegendProps) {
  return (
    <div className="babyai-notes">
      {doings
        .filter((doing, i) => i < 5 || seen.has(doing))
        .map((doing) => (
          <span key={doing}>
            <svg className="babyai-icon babyai-place" viewBox="-9 -9 18 18" aria-hidden>
              {signs[doing]}
            </svg>
            {doingTexts[doing]}
          </span>
        ))}
      <span>
        <i className="babyai-swatch" /> in sight
      </span>
      {beyond ? <span>outermost squares: there or farther</span> : null}
    </div>
  );
}

/** What is done at a place most often, as its sign tells it, and the share of the turns there in which it is. */
function usualDoing(place: PlaceFacts): { doing: Doing; share: number } {
  const { action, share } = usual(place);
  return { doing: doings.find((one) => one === action) ?? 'nothing', share };
}

/** What is done at a place, in words. */
function said(place: PlaceFacts): string {
  const { doing, share } = usualDoing(place);
  const turns = place.visits === 1 ? '1 turn' : `${place.visits} turns`;
  return `${percent(share)} ${doingTexts[doing]}, ${percent(place.success)} reach the goal, over ${turns}`;
}

/** Where a place is, seen from the agent: `3 ahead, 2 left`. */
function whereabouts(name: string): string {
  const [ahead = 0, right = 0] = name.split(',').map(Number);
  const along = ahead === 0 ? [] : [`${Math.abs(ahead)} ${ahead > 0 ? 'ahead' : 'behind'}`];
  const aside = right === 0 ? [] : [`${Math.abs(right)} ${right > 0 ? 'right' : 'left'}`];
  return [...along, ...aside].join(', ');
}

/** The places of the map in words, those with most turns first. */
const tell = (facts: Facts): readonly string[] =>
  [...facts]
    .sort(([, a], [, b]) => b.visits - a.visits)
    .map(([name, place]) => `${whereabouts(name)}: ${said(place)}`);

/** The map for those who do not see it. */
function inWords(facts: Facts): string {
  if (facts.size === 0) return 'No turn has been counted yet.';
  const all = [...facts.values()].map(usualDoing);
  const told = doings.flatMap((doing) => {
    const many = all.filter((place) => place.doing === doing).length;
    return many === 0 ? [] : [`${doingTexts[doing]} in ${many}`];
  });
  return `Of ${all.length} places where the thing may lie, the agent most often ${told.join(', ')}.`;
}

export const together: TogetherView = {
  Component: Together,
  mapKey:
    'Every square is a place where the thing that the goal names may lie, seen from the agent. Sign: what the agent then does most often, the stronger the surer. Green: how often it reaches its goal.',
  tell,
  deedsOf,
};
