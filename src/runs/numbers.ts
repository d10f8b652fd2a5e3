/** Formats numbers, lists and names for display. A missing or non-finite number is an en dash. */

const NONE = '–';

/** A share in [0, 1] as a percentage without decimals; nonzero shares under 1% are `<1%`. */
export function percent(share: number | undefined): string {
  if (share === undefined || !Number.isFinite(share)) return NONE;
  if (share > 0 && share < 0.01) return '<1%';
  if (share < 1 && share > 0.99) return '>99%';
  return `${Math.round(share * 100)}%`;
}

/** A probability as a percentage; below 1%, with two significant digits. */
export function chance(p: number | undefined): string {
  if (p === undefined || p <= 0 || p >= 0.01) return percent(p);
  return p < 0.0001 ? '<0.01%' : fineShare(p);
}

/** Smaller shares are only reported as nonzero. */
const FINEST = 1e-6;

/** A share with two significant digits, also below one percent, as is typical of clip fractions. */
export function fineShare(share: number | undefined): string {
  if (share === undefined || !Number.isFinite(share)) return NONE;
  if (share > 0 && share < FINEST) return '<0.0001%';
  return `${Number((share * 100).toPrecision(2))}%`;
}

/** Three significant digits; scientific notation only if plain digits would be long. */
export function significant(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < 0.0001) return value.toExponential(1).replace('e-', 'e−');
  if (size < 0.01) return String(Number(value.toPrecision(2)));
  if (size >= 1000) return thousands(value);
  return String(Number(value.toPrecision(3)));
}

/** A count: `950`, `12.4k`, `3.1M`. */
export function thousands(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  // From here on, three digits round to a million.
  if (size >= 999_500) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  if (size >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(size < 10 ? Number(value.toFixed(1)) : Math.round(value));
}

/** A count with its noun: `1 turn`, `12.4k turns`. */
export function several(count: number, one: string, many = `${one}s`): string {
  const shown = thousands(count);
  return `${shown} ${shown === '1' ? one : many}`;
}

/** Minimum and maximum of a list of any length; +Infinity and −Infinity if it is empty. */
export const leastAndMost = (values: readonly number[]): readonly [least: number, most: number] => [
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
  values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
];

/** Seconds as `8 s`, `3 min 20 s`, `1 h 05 min`. */
export function duration(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return NONE;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** A large number in words: `268 million`. */
export function amount(value: number): string {
  return new Intl.NumberFormat('en-US', {
    notation: 'compact',
    useGrouping: 'always',
    compactDisplay: 'long',
    maximumSignificantDigits: 2,
  }).format(value);
}

/** A size in bytes: `73 MB`. */
export function bytes(value: number): string {
  const power = Math.min(4, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  return `${Number((value / 1000 ** power).toPrecision(2)).toLocaleString('en-US')} ${units[power]}`;
}

/** Joins names for a sentence: `A`, `A and B`, `A, B and C`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** The text with its first letter in upper case. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A difference with its sign; without one if it is zero in this format. */
export function withSign(value: number, format: (value: number) => string): string {
  const size = format(Math.abs(value));
  if (!/[1-9]/.test(size)) return size;
  return (value < 0 ? '-' : '+') + size;
}
