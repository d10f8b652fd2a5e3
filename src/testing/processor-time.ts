/**
 * CPU time of an action in ms, which other programs hardly affect. A slow action runs up to five
 * times and the minimum counts, because compilation and garbage collection only add time.
 *
 * @param enough ms below which the action is not repeated
 */
export function processorMs(enough: number, action: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5 && least >= enough; run++) {
    const before = process.cpuUsage();
    action();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
