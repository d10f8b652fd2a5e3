import { AGENT, type Checkpoint, type KeptAgent, type KeptTraining } from '../checkpoint.ts';

/** A checkpoint of one agent, without training state unless one is given. */
export function checkpointOf(
  { vocabulary, bpe, weights, ...run }: KeptAgent,
  training: KeptTraining | null = null,
  trainer: unknown = null,
): Checkpoint {
  const student = { vocabulary, bpe, base: null, weights, training };
  return { ...run, students: new Map([[AGENT, student]]), trainer };
}
