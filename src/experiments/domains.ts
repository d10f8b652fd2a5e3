/** The section of an experiment's page with the results of critics by domain. */
import { boundedInterval } from '../algorithms/confidence.ts';
import { type DomainNumber, domainNumbers } from '../runs/domains.ts';
import type { Experiment } from './catalogue.ts';
import { percent, withInterval } from './columns.ts';
import { type KeptRun, staleMark } from './kept-run.ts';
import { markdownTable } from './markdown-table.ts';

const titles: Readonly<Record<DomainNumber, string>> = {
  accuracy: 'Acc',
  refinedAccuracy: 'Acc@Refine',
  discrimination: 'Acc@Dis',
  discriminationRight: 'Acc@Dis, correct answers',
  discriminationWrong: 'Acc@Dis, wrong answers',
  incorrectToCorrect: 'Δi→c',
  correctToIncorrect: 'Δc→i',
};

/**
 * The mean of a metric in one domain over the seeds of an arm, with its interval; null if it was
 * not measured.
 */
export function domainCell(
  runs: readonly KeptRun[],
  domain: string,
  number: DomainNumber,
): string | null {
  const values = runs.flatMap(
    (run) => run.domains?.find(({ name }) => name === domain)?.numbers[number]?.mean ?? [],
  );
  return values.length === 0 ? null : withInterval(boundedInterval(values), percent);
}

/** The page's section: a table of the metrics of each arm in each domain, averaged over seeds. */
export function domainsSection({ arms }: Experiment, runs: readonly KeptRun[]): string {
  const rows = arms.flatMap(({ name }) => {
    const own = runs.filter(({ arm, domains }) => arm === name && domains !== undefined);
    const domains = own[0]?.domains ?? [];
    return domains.map((domain) => {
      return [
        name + staleMark(own),
        domain.name,
        domain.heard ? 'yes' : 'no',
        domain.tasks,
        ...domainNumbers.map((number) => domainCell(own, domain.name, number) ?? '–'),
      ];
    });
  });
  const head = ['arm', 'domain', 'critiqued in training', 'tasks'];
  return `## By domain

Greedy answers, critiques and refinements for every evaluation task. The actor was trained on answers and refinements in all domains, and the critic starts from its weights; “critiqued in training” states whether the critic learned to critique answers in the domain. The stored runs also contain the intervals over tasks.

${markdownTable([[...head, ...domainNumbers.map((number) => titles[number])], ...rows])}`;
}
