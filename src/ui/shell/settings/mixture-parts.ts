/** Arithmetic of the mixture editor: parts as plain data, shares as whole percentages. */

import type { Config } from '../../../config/schema.ts';
import { familyOf, offeredFamilies } from '../../../envs/registry.ts';
import type { OptionValue } from '../../../envs/types.ts';
import type { EnvironmentRef } from '../../../runs/episode.ts';

type Part = Config['env']['mixture'][number];

/** Keeps invalid numbers as typed, so that validation can report them. */
export type MixtureParts = readonly (Omit<Part, 'imitation_weight'> & {
  readonly imitation_weight: number | string;
})[];

/** Unrounded shares in percent. */
export function percentages(shares: readonly number[]): number[] {
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => (100 * share) / sum);
}

/**
 * Sets the percentage of one part and distributes the rest in proportion. The results are whole numbers of
 * at least 1 that sum to 100.
 */
export function withShare(
  shares: readonly number[],
  index: number,
  percentage: number,
): readonly number[] {
  const others = shares.length - 1;
  if (others < 1) return [100];
  const own = Math.min(100 - others, Math.max(1, Math.round(percentage)));
  const rest = shares.reduce((sum, share, i) => (i === index ? sum : sum + share), 0);
  // Each gets 1%; the rest is distributed by largest remainder.
  const free = 100 - own - others;
  const exact = shares.map((share, i) => (i === index ? 0 : (free * share) / rest));
  const whole = exact.map(Math.floor);
  let left = free - whole.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((share, i) => ({ i, remainder: share - Math.floor(share) }))
    .filter(({ i }) => i !== index)
    .sort((a, b) => b.remainder - a.remainder);
  for (const { i } of byRemainder) {
    if (left === 0) break;
    whole[i] = (whole[i] ?? 0) + 1;
    left -= 1;
  }
  return whole.map((share, i) => (i === index ? own : share + 1));
}

/** The parts with the shares that `withShare` returns. */
export function shareOut(parts: MixtureParts, index: number, percentage: number): MixtureParts {
  const shares = withShare(
    parts.map(({ share }) => share),
    index,
    percentage,
  );
  return parts.map((part, i) => ({ ...part, share: shares[i] ?? part.share }));
}

/** Adds an environment with the average share of the others. */
export function withPart(parts: MixtureParts, { id, options }: EnvironmentRef): MixtureParts {
  const more = [...parts, { id, options: { ...options }, share: 1, imitation_weight: 1 }];
  return shareOut(more, parts.length, 100 / more.length);
}

/** The initial mixture: the current environment and one of another family. */
export function firstMixture(single: EnvironmentRef): MixtureParts {
  const kind = single.id.split('/')[0];
  const others = offeredFamilies.filter(({ id }) => id !== single.id);
  const other = others.find(({ id }) => id.split('/')[0] !== kind) ?? others[0];
  const alone = [
    { id: single.id, options: { ...single.options }, share: 100, imitation_weight: 1 },
  ];
  return other === undefined ? alone : withPart(alone, { id: other.id, options: {} });
}

/** Sets a part's imitation weight from a text. */
export function withImitationWeight(
  parts: MixtureParts,
  index: number,
  text: string,
): MixtureParts {
  const weight = text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  return parts.map((part, i) => (i === index ? { ...part, imitation_weight: weight } : part));
}

/** Sets an option of a part from a text; defaults are omitted. */
export function withOption(
  parts: MixtureParts,
  index: number,
  name: string,
  text: string,
): MixtureParts {
  return parts.map((part, i) => {
    if (i !== index) return part;
    const option = familyOf(part.id)?.options[name];
    const options: Record<string, OptionValue> = { ...part.options };
    const number = Number(text);
    const value = option?.type === 'number' && text.trim() !== '' ? number : text;
    if (value === option?.default) delete options[name];
    // Keep invalid numbers as typed, so that validation can report them.
    else options[name] = Number.isNaN(value) ? text : value;
    return { ...part, options };
  });
}
