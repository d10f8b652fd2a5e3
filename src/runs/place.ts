/**
 * The name under which a page keeps what belongs to it: databases, locks, choices. It holds the folder
 * that the page lies in, so that two of them on one host (`/a/` and `/b/`) keep theirs apart.
 *
 * @param address of the page
 */
export function placeName(address: string): string {
  return `palestra ${new URL('.', address).pathname}`;
}

/** The lock held while a run trains. */
export function runLock(place: string, id: string): string {
  return `${place} run ${id}`;
}
