import type { Criticism } from './criticism.ts';
import type { Environment } from './types.ts';

/** A part of a mixture and the id of one of its tasks within that part. */
interface MixedTask {
  readonly part: number;
  readonly task: string;
}

/**
 * Combines the criticism of several environments; null if some of them have none, or if their steps have
 * different result values. A text without a task is parsed by the first part that can.
 * @param find splits the id of a mixture's task
 */
export function mixedCriticism(
  environments: readonly Environment[],
  find: (task: string) => MixedTask,
): Criticism | null {
  const all = environments.flatMap(({ criticism }) => criticism ?? []);
  const [first] = all;
  const values = first?.values.join(' ');
  if (first === undefined || all.length < environments.length) return null;
  if (all.some((criticism) => criticism.values.join(' ') !== values)) return null;
  const of = <Result>(
    name: string,
    ask: (criticism: Criticism, task: string) => Result,
  ): Result => {
    const { part, task } = find(name);
    return ask(all[part] ?? first, task);
  };
  const firstThat = <Result>(read: (criticism: Criticism) => Result | null): Result | null =>
    all.reduce<Result | null>((found, criticism) => found ?? read(criticism), null);
  const most = (length: (criticism: Criticism) => number) => Math.max(...all.map(length));
  const spoken = new Set(environments.flatMap(({ lexicon }) => lexicon));
  const lexicon = new Set(all.flatMap((criticism) => criticism.lexicon));
  return {
    lexicon: [...lexicon].filter((lexeme) => !spoken.has(lexeme)),
    levels: most(({ levels }) => levels),
    values: first.values,
    longest: {
      question: most(({ longest }) => longest.question),
      answer: most(({ longest }) => longest.answer),
      critique: most(({ longest }) => longest.critique),
    },
    level: (name) => of(name, (own, task) => own.level(task)),
    withheld: (name) => of(name, (own, task) => own.withheld(task)),
    judge: (name, answer) => of(name, (own, task) => own.judge(task, answer)),
    critique: (name, answer, options) =>
      of(name, (own, task) => own.critique(task, answer, options)),
    read: (critique) => firstThat((own) => own.read(critique)),
    remarks: (critique) => first.remarks(critique),
    monologue: (versions) => first.monologue(versions),
    final: (answer) => firstThat((own) => own.final(answer)),
    upTo: (answer, steps) => first.upTo(answer, steps),
    finish: (name, begun) => of(name, (own, task) => own.finish(task, begun)),
    flawed: (name, step, kind, random) =>
      of(name, (own, task) => own.flawed(task, step, kind, random)),
    refine: (name, answer, critique) => of(name, (own, task) => own.refine(task, answer, critique)),
  };
}
