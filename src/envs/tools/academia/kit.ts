import type { Kit, Table } from '../core/kit.ts';
import { PEOPLE } from '../core/names.ts';
import { academiaId } from '../options.ts';
import { templates, thoughts } from './templates.ts';
import { academiaTools, errors, LOADED } from './tools.ts';
import * as world from './world.ts';

const NUMBERS = Array.from({ length: world.MOST_CITED * world.MOST_CITATIONS + 1 }, (_, n) => n);

/** Papers with their citations, and authors with their co-authors. */
function tables(drawn: world.AcademiaWorld): readonly Table[] {
  const { papers, authors, loaded } = drawn;
  const state = (graph: string) => `${graph}${loaded.includes(graph) ? '' : ', not loaded'}`;
  const number = new Map(papers.map(({ title }, i) => [title, String(i + 1)]));
  return [
    {
      key: world.PAPER_NET,
      title: state(world.PAPER_NET),
      columns: ['', 'paper', 'year', 'cited', 'cites'],
      rows: papers.map(({ title, year, n_citation, cites }) => ({
        key: title,
        marks: [title],
        cells: [
          ...[number.get(title) ?? '', title, String(year), String(n_citation)],
          cites.map((other) => number.get(other)).join(' '),
        ],
      })),
    },
    {
      key: world.AUTHOR_NET,
      title: state(world.AUTHOR_NET),
      columns: ['author', 'at', 'wrote'],
      rows: authors.map(({ name, org }) => ({
        key: name,
        marks: [name],
        cells: [
          ...[name, org],
          papers
            .filter((paper) => paper.authors.includes(name))
            .map(({ title }) => number.get(title))
            .join(' '),
        ],
      })),
    },
  ];
}

export const academia: Kit<world.AcademiaWorld> = {
  id: academiaId,
  name: 'academia',
  role: 'answer questions about papers and their authors, which stand in two graphs',
  turnLimit: 12,
  tools: academiaTools,
  templates,
  draw: world.drawAcademia,
  errors: Object.values(errors),
  thoughts,
  replies: [['message'], ['year', 'venue', 'n_citation', 'keywords', 'doc_type'], ['name', 'org']],
  values: [
    ...NUMBERS,
    ...world.YEARS,
    ...world.PAPERS,
    ...PEOPLE,
    ...world.VENUES,
    ...world.TOPICS,
    ...world.TYPES,
    ...world.ORGS,
    ...[LOADED, world.PAPER_NET, world.AUTHOR_NET],
  ],
  answers: [],
  // Loading an additional graph has no effect on success.
  compared: () => true,
  tables,
};
