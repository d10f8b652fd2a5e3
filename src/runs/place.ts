/**
 * Prefix of the names of the page's databases, locks and preferences. It includes the page's folder,
 * so that two deployments on one origin (`/a/` and `/b/`) share no data.
 *
 * @param address URL of the page
 */
export function placeName(address: string): string {
  return `palestra ${new URL('.', address).pathname}`;
}

/** Name of the lock held while a run trains. */
export function runLock(place: string, id: string): string {
  return `${place} run ${id}`;
}
