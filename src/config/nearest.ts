/**
 * Known names that were probably meant: equal except for case and punctuation, with the same last
 * part, with the fewest edits, or with the given name as their first words; none if nothing is close.
 */
function nearestNames(given: string, known: readonly string[]): readonly string[] {
  const wanted = plain(given);
  if (wanted === '' || wanted.length > 80) return [];
  const same = known.find((name) => plain(name) === wanted);
  if (same !== undefined) return [same];
  const last = plain(lastPart(given));
  const sameLast = known.filter((name) => plain(lastPart(name)) === last);
  // A bare key may belong to several sections. A path, even with a misspelled section, matches the
  // most similar path.
  if (sameLast.length > 0 && sameLast.length <= 3 && last === wanted) return sameLast;
  const edits = Math.max(1, Math.floor(last.length / 3));
  const best =
    closest(wanted, sameLast, plain, wanted.length) ??
    closest(wanted, known, plain, edits) ??
    closest(last, known, (name) => plain(lastPart(name)), edits);
  if (best !== undefined) return [best];
  const longer = known.filter((name) => name.startsWith(`${given}-`));
  return longer.length <= 3 ? longer : [];
}

/** ` Did you mean NAME?`, to follow a sentence; empty if no known name is close. */
export function didYouMean(given: string, known: readonly string[], prefix = ''): string {
  const names = nearestNames(given, known);
  return names.length === 0
    ? ''
    : ` Did you mean ${names.map((name) => prefix + name).join(' or ')}?`;
}

/** Advice for an unknown name: the nearest known name, or all known names. */
export function suggestion(given: string, known: readonly string[]): string {
  const near = didYouMean(given, known);
  return near === '' ? `; choose one of ${known.join(', ')}` : `.${near}`;
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** The last part of a dotted path or of a name such as `rollout/score`. */
const lastPart = (path: string) =>
  path.slice(Math.max(path.lastIndexOf('.'), path.lastIndexOf('/')) + 1);

function closest(
  wanted: string,
  known: readonly string[],
  keyOf: (name: string) => string,
  most: number,
): string | undefined {
  const [best] = known
    .map((name) => ({ name, distance: editDistance(wanted, keyOf(name)) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= most ? best.name : undefined;
}

/** Optimal string alignment: insertions, deletions, substitutions and swaps of neighbors. */
function editDistance(a: string, b: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substituted);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (older[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    older = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
