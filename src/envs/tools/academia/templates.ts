/** Goals of the academia environment, by rung. */

import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { greatest, oneOf, someOf } from '../../draws.ts';
import type { Plan, Template } from '../core/kit.ts';
import { toTell } from '../core/plans.ts';
import type { Answer, PlannedCall } from '../core/tool.ts';
import * as tools from './tools.ts';
import {
  type AcademiaWorld,
  AUTHOR_NET,
  type Author,
  coauthors,
  ORGS,
  PAPER_NET,
  type Paper,
  shared,
} from './world.ts';

const why = {
  papers: 'Papers are asked about, so I load the PaperNet.',
  authors: 'Authors are asked about, so I load the AuthorNet.',
  node: 'I look at {node}.',
  cites: 'I need to know what {node} cites.',
  coauthors: 'I need to know with whom {node} wrote.',
  together: 'I need to know what both wrote together.',
  found: 'The reply says {answer}.',
  most: 'The greatest number belongs to {answer}.',
  first: 'The first one is {answer}.',
  count: 'I count {answer}.',
  sum: 'Together that is {answer}.',
  both: 'Only {answer} stands in both.',
} as const;

export const thoughts: readonly string[] = Object.values(why);

type World = AcademiaWorld;
type Draw = Template<World>['plan'];

const ofPaper =
  (plan: (paper: Paper, world: World, random: RandomGenerator) => Plan | null): Draw =>
  (world, random) =>
    plan(oneOf(world.papers, random), world, random);

const ofAuthor =
  (plan: (author: Author, world: World, random: RandomGenerator) => Plan | null): Draw =>
  (world, random) =>
    plan(oneOf(world.authors, random), world, random);

const ofTwo =
  <T>(
    listOf: (world: World) => readonly T[],
    plan: (one: T, other: T, world: World) => Plan | null,
  ): Draw =>
  (world, random) => {
    const [one, other] = someOf(listOf(world), 2, random);
    return one === undefined || other === undefined ? null : plan(one, other, world);
  };

const papersOf = ({ papers }: World) => papers;
const authorsOf = ({ authors }: World) => authors;

const loadPapers = tools.loadPapers.plan({}, why.papers);
const loadAuthors = tools.loadAuthors.plan({}, why.authors);

const seePaper = (node: string): PlannedCall => tools.paper.plan({ node }, why.node, { node });
const seeAuthor = (node: string): PlannedCall => tools.author.plan({ node }, why.node, { node });

const seeCites = (node: string): PlannedCall =>
  tools.neighbors.plan({ graph: PAPER_NET, node }, why.cites, { node });

const seeCoauthors = (node: string): PlannedCall =>
  tools.neighbors.plan({ graph: AUTHOR_NET, node }, why.coauthors, { node });

const seeTogether = (node1: string, node2: string): PlannedCall =>
  tools.together.plan({ node1, node2 }, why.together);

const only = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

const named = ({ papers }: World, title: string): Paper | undefined =>
  papers.find((paper) => paper.title === title);

// --- Rung one: the goal names the node -------------------------------------------------------------

const facts: readonly (readonly [string, (paper: Paper) => Answer])[] = [
  ['In which year was the paper {paper} published?', ({ year }) => year],
  ['Where was the paper {paper} published?', ({ venue }) => venue],
  ['How often is the paper {paper} cited?', ({ n_citation }) => n_citation],
  ['Which keywords has the paper {paper}?', ({ keywords }) => keywords],
  ['Of which type is the paper {paper}?', ({ doc_type }) => doc_type],
  ['Which papers does the paper {paper} cite?', ({ cites }) => cites],
];

const given: readonly Template<World>[] = [
  ...facts.map(
    ([goal, of], i): Template<World> => ({
      rung: 'one',
      goal,
      plan: ofPaper((paper) => {
        const { title } = paper;
        const call = i === facts.length - 1 ? seeCites(title) : seePaper(title);
        return toTell({ paper: title }, [loadPapers, call], of(paper), why.found);
      }),
    }),
  ),
  {
    rung: 'one',
    goal: 'Where does {author} work?',
    plan: ofAuthor(({ name, org }) =>
      toTell({ author: name }, [loadAuthors, seeAuthor(name)], org, why.found),
    ),
  },
  {
    rung: 'one',
    goal: 'With whom did {author} write papers?',
    plan: ofAuthor(({ name }, world) => {
      const others = coauthors(world, name);
      const calls = [loadAuthors, seeCoauthors(name)];
      return others.length === 0 ? null : toTell({ author: name }, calls, others, why.found);
    }),
  },
];

// --- Rung two: from a node to its neighbors -------------------------------------------------------

const chains: readonly Template<World>[] = [
  {
    rung: 'two',
    goal: 'In which year was the only paper published that the paper {paper} cites?',
    plan: ofPaper(({ title, cites }, world) => {
      const cited = named(world, only(cites) ?? '');
      if (cited === undefined) return null;
      const calls = [loadPapers, seeCites(title), seePaper(cited.title)];
      return toTell({ paper: title }, calls, cited.year, why.found);
    }),
  },
  {
    rung: 'two',
    goal: 'Where does the only co-author of {author} work?',
    plan: ofAuthor(({ name }, world) => {
      const other = only(coauthors(world, name));
      const org = world.authors.find((author) => author.name === other)?.org;
      if (other === undefined || org === undefined) return null;
      const calls = [loadAuthors, seeCoauthors(name), seeAuthor(other)];
      return toTell({ author: name }, calls, org, why.found);
    }),
  },
  {
    rung: 'two',
    goal: 'Where was the only paper published that {one} and {other} wrote together?',
    plan: ofTwo(authorsOf, (one, other, world) => {
      const paper = named(world, only(shared(world, one.name, other.name)) ?? '');
      if (paper === undefined) return null;
      const calls = [
        ...[loadAuthors, seeTogether(one.name, other.name)],
        ...[loadPapers, seePaper(paper.title)],
      ];
      return toTell({ one: one.name, other: other.name }, calls, paper.venue, why.found);
    }),
  },
];

// --- Rung three: comparing and counting ------------------------------------------------------------

const comparisons: readonly Template<World>[] = [
  {
    rung: 'three',
    goal: 'How many co-authors has {author}?',
    plan: ofAuthor(({ name }, world) =>
      toTell(
        { author: name },
        [loadAuthors, seeCoauthors(name)],
        coauthors(world, name).length,
        why.count,
      ),
    ),
  },
  {
    rung: 'three',
    goal: 'How many papers does the paper {paper} cite?',
    plan: ofPaper(({ title, cites }) =>
      toTell({ paper: title }, [loadPapers, seeCites(title)], cites.length, why.count),
    ),
  },
  {
    rung: 'three',
    goal: 'Which was published first, the paper {one} or the paper {other}?',
    plan: ofTwo(papersOf, (one, other) => {
      const first = greatest([one, other], ({ year }) => -year);
      const calls = [loadPapers, seePaper(one.title), seePaper(other.title)];
      const fillings = { one: one.title, other: other.title };
      return first && toTell(fillings, calls, first.title, why.first);
    }),
  },
  {
    rung: 'three',
    goal: 'Which is cited more often, the paper {one} or the paper {other}?',
    plan: ofTwo(papersOf, (one, other) => {
      const most = greatest([one, other], ({ n_citation }) => n_citation);
      const calls = [loadPapers, seePaper(one.title), seePaper(other.title)];
      const fillings = { one: one.title, other: other.title };
      return most && toTell(fillings, calls, most.title, why.most);
    }),
  },
];

// --- Rung four: over all neighbors ----------------------------------------------------------------

const several: readonly Template<World>[] = [
  {
    rung: 'four',
    goal: 'Which of the papers that the paper {paper} cites is itself cited most often?',
    plan: ofPaper(({ title, cites }, world) => {
      const cited = cites.flatMap((other) => named(world, other) ?? []);
      const most = cited.length < 2 ? null : greatest(cited, ({ n_citation }) => n_citation);
      const calls = [loadPapers, seeCites(title), ...cites.map(seePaper)];
      return most && toTell({ paper: title }, calls, most.title, why.most);
    }),
  },
  {
    rung: 'four',
    goal: 'How often are the papers that the paper {paper} cites cited together?',
    plan: ofPaper(({ title, cites }, world) => {
      if (cites.length < 2) return null;
      const sum = cites.reduce((all, other) => all + (named(world, other)?.n_citation ?? 0), 0);
      const calls = [loadPapers, seeCites(title), ...cites.map(seePaper)];
      return toTell({ paper: title }, calls, sum, why.sum);
    }),
  },
  {
    rung: 'four',
    goal: 'How many co-authors of {author} work at {org}?',
    plan: ofAuthor(({ name }, world, random) => {
      const others = coauthors(world, name);
      const org = oneOf(ORGS, random);
      if (others.length < 2) return null;
      const count = world.authors.filter(
        (author) => others.includes(author.name) && author.org === org,
      ).length;
      const calls = [loadAuthors, seeCoauthors(name), ...others.map(seeAuthor)];
      return toTell({ author: name, org }, calls, count, why.count);
    }),
  },
  {
    rung: 'four',
    goal: 'Which paper do both the paper {one} and the paper {other} cite?',
    plan: ofTwo(papersOf, (one, other) => {
      const both = only(one.cites.filter((title) => other.cites.includes(title)));
      const calls = [loadPapers, seeCites(one.title), seeCites(other.title)];
      const fillings = { one: one.title, other: other.title };
      return both === undefined ? null : toTell(fillings, calls, both, why.both);
    }),
  },
];

export const templates: readonly Template<World>[] = [
  ...given,
  ...chains,
  ...comparisons,
  ...several,
];
