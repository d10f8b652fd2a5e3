/** Minimum movement of a crosshair per key press. */
const KEY_PX = 3;

interface Stops {
  readonly first: number;
  readonly present: number;
  readonly last: number;
}

/**
 * The index that a key moves a crosshair to, not yet clamped; undefined for other keys.
 *
 * @param width of the plot in pixels
 */
export function indexAtKey(
  { key, shiftKey }: { readonly key: string; readonly shiftKey: boolean },
  { first, present, last }: Stops,
  width: number,
): number | undefined {
  const step = Math.max(1, Math.round(((last - first) * KEY_PX) / width));
  const stride = (shiftKey ? 10 : 1) * step;
  const targets: Partial<Record<string, number>> = {
    ArrowLeft: present - stride,
    ArrowDown: present - stride,
    ArrowRight: present + stride,
    ArrowUp: present + stride,
    PageDown: present - 10 * step,
    PageUp: present + 10 * step,
    Home: first,
    End: last,
  };
  return targets[key];
}
