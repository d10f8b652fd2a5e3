/** Tools of the academia environment, which query graphs of papers and authors. */

import { PEOPLE } from '../core/names.ts';
import { type Result, text, tool } from '../core/tool.ts';
import { type AcademiaWorld, AUTHOR_NET, coauthors, PAPER_NET, PAPERS, shared } from './world.ts';

export const errors = {
  paperNet: 'Error: please load the PaperNet first.',
  authorNet: 'Error: please load the AuthorNet first.',
  graph: 'Error: there is no graph of this name.',
  paper: 'Error: there is no such node in the PaperNet.',
  author: 'Error: there is no such node in the AuthorNet.',
  edge: 'Error: there is no edge between these nodes.',
} as const;

export const LOADED = 'loaded';

const loads = (name: string, graph: string, of: string) =>
  tool({
    name,
    description: `loads the ${graph}, ${of}, so that it can be asked about`,
    parameters: {},
    run(world: AcademiaWorld): Result<AcademiaWorld> {
      const reply = { message: LOADED };
      if (world.loaded.includes(graph)) return { reply };
      // Sorted, so that the state does not depend on the order of loading.
      return { reply, world: { ...world, loaded: [...world.loaded, graph].sort() } };
    },
  });

export const loadPapers = loads('loadPaperNet', PAPER_NET, 'papers and what they cite');
export const loadAuthors = loads('loadAuthorNet', AUTHOR_NET, 'authors and who wrote with whom');

const paperTitle = text('title of a paper', PAPERS);
const authorName = text('name of an author', PEOPLE);

export const paper = tool({
  name: 'paperNodeCheck',
  description: 'tells year, venue, citations, keywords and type of a paper',
  parameters: { node: paperTitle },
  run({ loaded, papers }: AcademiaWorld, { node }) {
    if (!loaded.includes(PAPER_NET)) return { error: errors.paperNet };
    const found = papers.find(({ title }) => title === node);
    if (found === undefined) return { error: errors.paper };
    const { year, venue, n_citation, keywords, doc_type } = found;
    return { reply: { year, venue, n_citation, keywords, doc_type } };
  },
});

export const author = tool({
  name: 'authorNodeCheck',
  description: 'tells where an author works',
  parameters: { node: authorName },
  run({ loaded, authors }: AcademiaWorld, { node }) {
    if (!loaded.includes(AUTHOR_NET)) return { error: errors.authorNet };
    const found = authors.find(({ name }) => name === node);
    return found === undefined
      ? { error: errors.author }
      : { reply: { name: found.name, org: found.org } };
  },
});

export const neighbors = tool({
  name: 'neighbourCheck',
  description: 'lists the papers that a paper cites, or the co-authors of an author',
  parameters: {
    graph: text('PaperNet or AuthorNet', [PAPER_NET, AUTHOR_NET], true),
    node: text('a paper or an author', [...PAPERS, ...PEOPLE]),
  },
  run(world: AcademiaWorld, { graph, node }) {
    if (graph === PAPER_NET) {
      if (!world.loaded.includes(PAPER_NET)) return { error: errors.paperNet };
      const found = world.papers.find(({ title }) => title === node);
      return found === undefined ? { error: errors.paper } : { reply: found.cites };
    }
    if (graph !== AUTHOR_NET) return { error: errors.graph };
    if (!world.loaded.includes(AUTHOR_NET)) return { error: errors.authorNet };
    return world.authors.some(({ name }) => name === node)
      ? { reply: coauthors(world, node) }
      : { error: errors.author };
  },
});

export const together = tool({
  name: 'authorEdgeCheck',
  description: 'lists the papers that two authors wrote together',
  parameters: { node1: authorName, node2: authorName },
  run(world: AcademiaWorld, { node1, node2 }) {
    if (!world.loaded.includes(AUTHOR_NET)) return { error: errors.authorNet };
    const known = (node: string) => world.authors.some(({ name }) => name === node);
    if (!known(node1) || !known(node2)) return { error: errors.author };
    const papers = node1 === node2 ? [] : shared(world, node1, node2);
    return papers.length === 0 ? { error: errors.edge } : { reply: papers };
  },
});

export const academiaTools = [loadPapers, loadAuthors, neighbors, paper, author, together];
