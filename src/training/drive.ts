/** What is driven: a trainer, or a run that somebody looks at. */
export interface Driven<Result> {
  /** Its stop condition is met. */
  readonly finished: boolean;
  iterate(): Promise<Result>;
}

/**
 * The one loop around a run's iterations, for whoever leads it: a command, an experiment, the page's
 * session. What comes of an iteration is used before the next one begins.
 *
 * @param goOn asked before every iteration, and waited for; false ends the loop
 * @yields what each iteration came to, until the run has met its stop condition
 */
export async function* drive<Result>(
  run: Driven<Result>,
  goOn: () => boolean | Promise<boolean> = () => true,
): AsyncGenerator<Result, void> {
  while (!run.finished && (await goOn())) yield await run.iterate();
}
