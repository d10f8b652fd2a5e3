import type { Criticism } from '../criticism.ts';
import { createReasoning, type ReasoningState } from '../reasoning/environment.ts';
import { chainCourse } from '../reasoning/families.ts';
import type { Environment, EnvironmentFamily } from '../types.ts';
import { strictChainCard } from './card.ts';

/**
 * Refinement in which a rejected answer changes. Like the given `refine`, but if the critique calls the
 * answer wrong and following it changes nothing, the result of the step it calls wrong (or else of the
 * answer line) becomes the next value modulo the prime.
 */
export function strictRefine(criticism: Criticism): Criticism['refine'] {
  const { values } = criticism;
  return (task, answer, critique) => {
    const followed = criticism.refine(task, answer, critique);
    const read = criticism.read(critique);
    if (read === null || read.right || followed !== answer) return followed;
    const { steps } = criticism.judge(task, answer);
    const step = read.step ?? steps.length - 1;
    const result = steps[step]?.text.split(' ').at(-1) ?? '';
    const value = values[(values.indexOf(result) + 1) % values.length] ?? result;
    const changed = { advice: 'value', step, fault: 'result', value } as const;
    return criticism.refine(task, answer, criticism.critique(task, answer, changed));
  };
}

function strict(environment: Environment<ReasoningState>): Environment<ReasoningState> {
  const { criticism } = environment;
  if (criticism === undefined) return environment;
  return { ...environment, criticism: { ...criticism, refine: strictRefine(criticism) } };
}

export const families: readonly EnvironmentFamily<ReasoningState>[] = [
  {
    ...strictChainCard,
    create: (options) =>
      strict(createReasoning({ ...chainCourse(options), id: strictChainCard.id })),
  },
];
