import { AGENT, type Checkpoint, type KeptAgent, type KeptTraining } from '../checkpoint.ts';

/** A checkpoint of one agent; without the state of its training where none is given. */
export function checkpointOf(
  { vocabulary, bpe, weights, ...run }: KeptAgent,
  training: KeptTraining | null = null,
  trainer: unknown = null,
): Checkpoint {
  return { ...run, students: new Map([[AGENT, { vocabulary, bpe, weights, training }]]), trainer };
}
