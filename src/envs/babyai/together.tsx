import '../view-parts.css';
import './view.css';
import './together.css';
import type { ReactNode } from 'react';
import { mostFrequentAction, type PlaceStats, percent } from '../deeds.ts';
import type { TogetherProps, TogetherView } from '../views.ts';
import { type Doing, doings, hasPlacesBeyond, placedActions, reachOf } from './bearings.ts';
import { VIEW } from './sight.ts';

/** Side of a cell in drawing units, and the margin for the labels. */
const SIDE = 20;
const MARGIN = 13;

/** What each symbol means. */
const doingTexts: Readonly<Record<Doing, string>> = {
  left: 'turns left',
  right: 'turns right',
  ahead: 'moves forward',
  it: 'acts on the target',
  vain: 'fails to act on the target',
  another: 'acts on another object',
  hands: 'drops or toggles',
  nothing: 'tries an impossible action',
};

type Facts = ReadonlyMap<string, PlaceStats>;

/** The policy's actions by the position of the target; the agent faces up. */
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
          <text transform={`translate(${-half - 4} 0) rotate(-90)`}>on the left</text>
          <text transform={`translate(${half + 4} 0) rotate(90)`}>on the right</text>
        </g>
      </svg>
      <Legend seen={seen} beyond={hasPlacesBeyond(environmentId, options)} />
    </div>
  );
}

/** The cells that the agent would see without obstacles. */
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
  readonly place: PlaceStats;
}

/** Greener cells have a higher success rate; more opaque symbols stand for more frequent actions. */
function PlaceMark({ name, place }: MarkProps) {
  const [ahead = 0, right = 0] = name.split(',').map(Number);
  const { doing, share } = usualDoing(place);
  return (
    <g
      className="babyai-place"
      transform={`translate(${right * SIDE} ${-ahead * SIDE})`}
      data-doing={doing}
    >
      <title>{placeInWords(place)}</title>
      <rect x={-9} y={-9} width={18} height={18} rx={2} opacity={0.85 * place.success} />
      <g opacity={share}>{signs[doing]}</g>
    </g>
  );
}

/** The symbol of each kind of action, around the origin. */
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
  /** Whether the outermost squares include everything beyond them. */
  readonly beyond: boolean;
}

/** Explains the symbols in the image, and always the first five kinds of actions. */
function Legend({ seen, beyond }: LegendProps) {
  return (
    <div className="view-legend">
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
      {beyond ? <span>outermost squares: this far or farther</span> : null}
    </div>
  );
}

/** The most frequent kind of action at a position, and its share of the turns there. */
function usualDoing(place: PlaceStats): { doing: Doing; share: number } {
  const { action, share } = mostFrequentAction(place);
  return { doing: doings.find((one) => one === action) ?? 'nothing', share };
}

/** Text description of a position. */
function placeInWords(place: PlaceStats): string {
  const { doing, share } = usualDoing(place);
  const turns = place.visits === 1 ? '1 turn' : `${place.visits} turns`;
  return `${doingTexts[doing]} in ${percent(share)} of ${turns}; success rate ${percent(place.success)}`;
}

/** A position relative to the agent, in words: `3 ahead, 2 left`. */
function whereabouts(name: string): string {
  const [ahead = 0, right = 0] = name.split(',').map(Number);
  const along = ahead === 0 ? [] : [`${Math.abs(ahead)} ${ahead > 0 ? 'ahead' : 'behind'}`];
  const aside = right === 0 ? [] : [`${Math.abs(right)} ${right > 0 ? 'right' : 'left'}`];
  return [...along, ...aside].join(', ');
}

/** Text descriptions of the map's positions, most turns first. */
const tell = (facts: Facts): readonly string[] =>
  [...facts]
    .sort(([, a], [, b]) => b.visits - a.visits)
    .map(([name, place]) => `${whereabouts(name)}: ${placeInWords(place)}`);

/** Text description of the map for screen readers. */
function inWords(facts: Facts): string {
  if (facts.size === 0) return 'No turns counted yet.';
  const all = [...facts.values()].map(usualDoing);
  const parts = doings.flatMap((doing) => {
    const many = all.filter((place) => place.doing === doing).length;
    return many === 0 ? [] : [`${doingTexts[doing]} (${many})`];
  });
  return `Most frequent action at ${all.length} target positions: ${parts.join(', ')}.`;
}

export const together: TogetherView = {
  Component: Together,
  mapKey:
    'Each square is a position of the target relative to the agent. The target is the object or door that the goal names. Symbol: the agent’s most frequent action there; the more opaque, the more frequent. Green: how often the agent reaches its goal from there.',
  tell,
  placedActions: placedActions,
};
