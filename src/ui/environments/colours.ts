/**
 * Colours of a mixture's environments, by place. They differ in lightness as well as in hue, and charts
 * mark each place with a shape of its own, so that none has to be told by its hue alone.
 */
const colours = [
  'var(--p-aegean)',
  'var(--p-ochre)',
  'var(--p-terracotta)',
  'var(--p-plum)',
  'var(--p-olive)',
] as const;

/** A CSS colour; they come round again after the fifth place. */
export function environmentColour(place: number): string {
  return colours[place % colours.length] ?? colours[0];
}
