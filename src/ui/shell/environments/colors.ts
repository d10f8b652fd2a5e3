/**
 * Colors of a mixture's environments, by index. They differ in lightness and hue, and charts also use
 * different marker shapes, so no one has to rely on hue.
 */
const colors = [
  'var(--p-aegean)',
  'var(--p-ochre)',
  'var(--p-terracotta)',
  'var(--p-plum)',
  'var(--p-olive)',
] as const;

/** A CSS color; repeats after five. */
export function environmentColor(place: number): string {
  return colors[place % colors.length] ?? colors[0];
}
