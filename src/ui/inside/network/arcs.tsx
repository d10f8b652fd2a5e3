import { type KeyboardEvent, useRef } from 'react';
import type { Head, NetworkPass } from '../../../runs/network-reading.ts';
import { percent } from '../../../runs/numbers.ts';
import { isBrowserShortcut } from '../../shell/comfort/keys.ts';

/** Geometry in user units, which are CSS pixels. */
const CHARACTER = 7.4;
const PADDING = 16;
const GAP = 6;
const TOKEN_HEIGHT = 32;
const ARC_HEIGHT = 130;
/** Weights below it are not drawn. */
const FAINT = 0.01;

/** (T) attention weights of a head, from the query token to all tokens. */
export function weightsOf(
  { attention, tokens }: NetworkPass,
  heads: number,
  { layer, head }: Head,
  query: number,
): Float32Array {
  const start = (query * heads + head) * tokens.length;
  return attention[layer]?.subarray(start, start + tokens.length) ?? new Float32Array();
}

const none = new Float32Array();

interface ArcsProps {
  readonly pass: NetworkPass;
  readonly heads: number;
  /** Null draws no arcs. */
  readonly head: Head | null;
  /** Index of the query token: the one under the mouse, or else the selected one. */
  readonly query: number;
  /** Index of the selected token, from which the arrow keys move. */
  readonly selected: number;
  /** Indices of swapped tokens. */
  readonly swapped: ReadonlySet<number>;
  /** (T) strength in [0, 1] of the mark below each token; absent if there are no marks. */
  readonly marks?: readonly number[];
  /** Description of a token's mark; absent if arcs are drawn instead. */
  readonly markText?: (token: number) => string;
  readonly onSelect: (token: number) => void;
  /** Called with the token under the mouse, and with null when the mouse leaves it. */
  readonly onPoint?: (token: number | null) => void;
}

/** The sentence with arcs from one token to those that it attends to. */
export function Arcs({
  pass,
  heads,
  head,
  query,
  selected,
  swapped,
  marks,
  markText,
  onSelect,
  onPoint,
}: ArcsProps) {
  const svg = useRef<SVGSVGElement>(null);
  const weights = head === null ? none : weightsOf(pass, heads, head, query);
  const widths = pass.tokens.map((text) => Math.max(30, PADDING + CHARACTER * text.length));
  const starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, w) => sum + w + GAP, 2));
  const width = (starts.at(-1) ?? 0) + (widths.at(-1) ?? 0) + 2;
  const center = (i: number) => (starts[i] ?? 0) + (widths[i] ?? 0) / 2;
  const top = head === null ? 2 : ARC_HEIGHT;
  // A cubic curve rises to three quarters of the height of its control points.
  const reach = (i: number) => 30 + 130 * Math.sqrt(Math.abs(center(i) - center(query)) / width);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || isBrowserShortcut(event)) return;
    event.preventDefault();
    const next = Math.min(pass.tokens.length - 1, Math.max(0, selected + step));
    onPoint?.(null);
    onSelect(next);
    svg.current?.querySelectorAll<SVGGElement>('[role="button"]')[next]?.focus();
  };
  return (
    <div className="net-scroll">
      {/* biome-ignore lint/a11y/useSemanticElements: an SVG cannot be a fieldset */}
      <svg
        ref={svg}
        className="net-arcs"
        width={width}
        height={top + TOKEN_HEIGHT + 12}
        role="group"
        aria-label={`The sentence, ${pass.tokens.length} tokens. Left and right arrow keys move between tokens.`}
        onKeyDown={onKeyDown}
      >
        <g aria-hidden>
          {Array.from(weights, (weight, i) =>
            weight < FAINT || i === query ? null : (
              <path
                key={i}
                className="net-arc"
                d={`M${center(query)},${top} C${center(query)},${ARC_HEIGHT - reach(i)} ${center(i)},${ARC_HEIGHT - reach(i)} ${center(i)},${top}`}
                style={{ strokeWidth: 1 + 7 * weight, opacity: 0.15 + 0.85 * weight }}
              />
            ),
          )}
        </g>
        {pass.tokens.map((text, i) => (
          // biome-ignore lint/a11y/useSemanticElements: an SVG has no button element
          <g
            key={i}
            role="button"
            tabIndex={i === query ? 0 : -1}
            aria-pressed={i === query}
            aria-label={`${text}: ${markText?.(i) ?? `attention ${percent(weights[i] ?? 0)}`}`}
            className={swapped.has(i) ? 'net-token net-swapped' : 'net-token'}
            transform={`translate(${starts[i]} ${top})`}
            onClick={() => onSelect(i)}
            onPointerEnter={({ pointerType }) => {
              if (pointerType === 'mouse') onPoint?.(i);
            }}
            onPointerLeave={() => onPoint?.(null)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              onSelect(i);
            }}
          >
            <rect width={widths[i]} height={TOKEN_HEIGHT} rx={6} />
            <rect
              className="net-weight"
              width={widths[i]}
              height={TOKEN_HEIGHT}
              rx={6}
              style={{ opacity: 0.75 * (weights[i] ?? 0) }}
            />
            {marks === undefined ? null : (
              <rect
                className="net-mark"
                y={TOKEN_HEIGHT + 4}
                height={5}
                width={(widths[i] ?? 0) * (marks[i] ?? 0)}
              />
            )}
            <text x={(widths[i] ?? 0) / 2} y={21} textAnchor="middle" {...{ translate: 'no' }}>
              {text}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}
