/** Measures for coloring tokens: the number, its position on a scale, and its description. */

import type { Surrogate } from '../../../algorithms/surrogates.ts';
import type { HeldBack, InspectedToken, TokenUpdate } from '../../../runs/inspection.ts';
import { chance, significant } from '../../../runs/numbers.ts';
import type { Measure } from '../../shell/episode/inspection.ts';

export const measureNames: Readonly<Record<Measure, string>> = {
  probability: 'Probability',
  entropy: 'Entropy',
  advantage: 'Advantage',
  ratio: 'Ratio',
  clipped: 'Clipped',
};

export const measureMeanings: Readonly<Record<Measure, string>> = {
  probability: 'The token’s probability under the policy that generated it.',
  entropy:
    'How uncertain the policy was at this token: entropy of the next-token distribution, in nats; 0 is certain.',
  advantage:
    'How much better than expected the token turned out; if positive, the update makes it more probable.',
  ratio:
    'Its probability just before the last update that used it, divided by its probability when it was generated.',
  clipped: 'Whether clipping removed the token’s gradient in that update.',
};

export const heldNames: Readonly<Record<HeldBack, string>> = {
  low: 'clipped by the lower bound',
  high: 'clipped by the upper bound',
  dual: 'clipped by the dual clip',
  picked: 'selected by its covariance',
};

/** Whether a token is penalized instead of clipped: KL-Cov keeps the gradient of what it selects. */
export const isPenalized = (held: HeldBack | null, surrogate: Surrogate): boolean =>
  held === 'picked' && surrogate === 'kl_cov';

export const heldName = (held: HeldBack, surrogate: Surrogate): string =>
  isPenalized(held, surrogate) ? 'penalized because of its covariance' : heldNames[held];

/**
 * The dual clip c, from the loss −w·c·A; null if it did not clip the token. Clip-Cov may also select
 * such a token, which then has no loss.
 */
export function dualClipOf(
  { held, importance, policyLoss }: TokenUpdate,
  advantage: number,
): number | null {
  const c = policyLoss / (-importance * advantage);
  return held === 'dual' && c > 1e-6 ? c : null;
}

/** Symbols for the same states as the colors, for readers who cannot tell the colors apart. */
export const heldMarks: Readonly<Record<HeldBack, string>> = {
  low: '▼',
  high: '▲',
  dual: '◆',
  picked: '●',
};

/** The number that determines a token's color; null if not recorded. */
export function measured(token: InspectedToken, measure: Measure): number | null {
  switch (measure) {
    case 'probability':
      return Math.exp(token.logp);
    case 'entropy':
      return token.entropy;
    case 'advantage':
      return token.worked?.advantage ?? null;
    case 'ratio':
      return token.update?.ratio ?? null;
    case 'clipped':
      return token.update === null ? null : Number(token.update.held !== null);
    default:
      return measure satisfies never;
  }
}

/** A number short enough to fit under a token. */
export function measureText(token: InspectedToken, measure: Measure): string {
  const value = measured(token, measure);
  if (value === null) return 'not recorded';
  switch (measure) {
    case 'probability':
      return chance(value);
    case 'advantage':
      return signed(value);
    case 'entropy':
      return significant(value);
    case 'ratio':
      return `×${value.toFixed(3)}`;
    case 'clipped':
      return token.update?.held == null ? 'not clipped' : heldNames[token.update.held];
    default:
      return measure satisfies never;
  }
}

/** The color scale: diverging from −1 to 1 around a midpoint, or sequential from 0 to 1. */
export interface Scale {
  readonly diverging: boolean;
  /** Labels at the left end, in the middle and at the right end of the legend. */
  readonly ticks: readonly [left: string, middle: string, right: string];
  /** The position of a number on the scale. */
  readonly place: (value: number) => number;
}

/** A scale that covers the values of all given tokens. */
export function scaleOf(tokens: readonly InspectedToken[], measure: Measure): Scale {
  const numbers = tokens.flatMap((token) => measured(token, measure) ?? []);
  switch (measure) {
    case 'probability':
      return { diverging: false, ticks: ['0%', '50%', '100%'], place: (p) => p };
    case 'entropy': {
      const most = Math.max(0.1, ...numbers);
      const ticks = ['0', significant(most / 2), `${significant(most)} nats`] as const;
      return { diverging: false, ticks, place: (H) => H / most };
    }
    case 'advantage': {
      const most = Math.max(0.01, ...numbers.map(Math.abs));
      const ticks = [signed(-most), '0', signed(most)] as const;
      return { diverging: true, ticks, place: (A) => A / most };
    }
    case 'ratio': {
      // Logarithmic: equal color steps are equal factors. The minimum range keeps small changes pale.
      const most = Math.max(Math.log(1.1), ...numbers.map((r) => Math.abs(Math.log(r))));
      const end = Math.exp(most);
      const ticks = [`×${significant(1 / end)}`, '×1', `×${significant(end)}`] as const;
      return { diverging: true, ticks, place: (r) => Math.log(r) / most };
    }
    case 'clipped':
      return { diverging: false, ticks: ['', '', ''], place: (held) => held };
    default:
      return measure satisfies never;
  }
}

/** The color of a token: its hue and intensity in percent. */
export interface Heat {
  readonly hue: 'one' | 'up' | 'down' | 'mark' | 'none';
  readonly amount: number;
}

/** Text stays legible on the strongest color. */
const STRONGEST = 46;

export function heatOf(token: InspectedToken, measure: Measure, scale: Scale): Heat {
  const value = measured(token, measure);
  if (value === null || Number.isNaN(value)) return { hue: 'none', amount: 0 };
  if (measure === 'clipped') {
    const held = token.update?.held ?? null;
    if (held === null) return { hue: 'one', amount: 0 };
    const hue = held === 'high' ? 'up' : held === 'low' ? 'down' : 'mark';
    return { hue, amount: STRONGEST };
  }
  const place = Math.max(-1, Math.min(1, scale.place(value)));
  const amount = Math.round(STRONGEST * Math.abs(place));
  return { hue: scale.diverging ? (place < 0 ? 'down' : 'up') : 'one', amount };
}

/** A number with its sign. */
export function signed(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const text = significant(Math.abs(value));
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
}

/** A number as formulas show it: four significant digits, with a real minus sign. */
export function exact(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text =
    size < 0.001 || size >= 1e6
      ? size.toExponential(2).replace('e-', 'e−').replace('e+', 'e')
      : String(Number(size.toPrecision(4)));
  return value < 0 ? `−${text}` : text;
}

/** The index of the first turn in which two episodes differ; null if they are equal. */
export function firstDifference(
  left: readonly { readonly action: string; readonly observation: string }[],
  right: readonly { readonly action: string; readonly observation: string }[],
): number | null {
  const length = Math.max(left.length, right.length);
  for (let t = 0; t < length; t++) {
    const [a, b] = [left[t], right[t]];
    if (a?.action !== b?.action || a?.observation !== b?.observation) return t;
  }
  return null;
}
