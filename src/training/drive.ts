/** The object that `drive` iterates: a trainer, or an observed run. */
interface Driven<Result> {
  /** Whether its stop condition is met. */
  readonly finished: boolean;
  iterate(): Promise<Result>;
}

/**
 * The one loop around a run's iterations, shared by commands, experiments and the page's session.
 * The caller consumes each result before the next iteration starts.
 *
 * @param goOn called and awaited before every iteration; false ends the loop
 * @yields the result of each iteration, until the stop condition is met
 */
export async function* drive<Result>(
  run: Driven<Result>,
  goOn: () => boolean | Promise<boolean> = () => true,
): AsyncGenerator<Result, void> {
  while (!run.finished && (await goOn())) yield await run.iterate();
}
