import { describe, expect, it } from 'vitest';
import type { Environment } from '../../types.ts';
import type { ToolsState } from '../core/episode.ts';
import { families } from '../index.ts';
import { academiaId } from '../options.ts';
import { plansFor, runnerOf } from '../testing/plans.ts';
import { templates } from './templates.ts';
import { academiaTools, errors } from './tools.ts';
import type { AcademiaWorld, Paper } from './world.ts';

const paper = (title: string, rest: Partial<Paper>): Paper => ({
  title,
  year: 2001,
  venue: 'Open Systems',
  n_citation: 10,
  keywords: ['search', 'risk'],
  doc_type: 'Report',
  cites: [],
  authors: [],
  ...rest,
});

/** Three papers by three authors. */
const world: AcademiaWorld = {
  loaded: [],
  papers: [
    paper('Small Worlds', { cites: ['Deep Ponds', 'Fair Queues'], authors: ['Ada Brandt'] }),
    paper('Deep Ponds', {
      year: 1995,
      n_citation: 25,
      cites: ['Fair Queues'],
      authors: ['Ada Brandt', 'Boris Keel'],
    }),
    paper('Fair Queues', { year: 1991, n_citation: 7, authors: ['Boris Keel', 'Clara Voss'] }),
  ],
  authors: [
    { name: 'Ada Brandt', org: 'Calder College' },
    { name: 'Boris Keel', org: 'Arvel University' },
    { name: 'Clara Voss', org: 'Calder College' },
  ],
};

const bare = runnerOf<AcademiaWorld>(academiaTools, world);
const run = runnerOf<AcademiaWorld>(academiaTools, {
  ...world,
  loaded: ['AuthorNet', 'PaperNet'],
});
const plans = (goal: string) => plansFor(templates, goal, world);

describe('academia API', () => {
  it('requires a graph to be loaded, and loads it once', () => {
    expect(bare('paperNodeCheck', { node: 'Deep Ponds' })).toEqual({ error: errors.paperNet });
    expect(bare('authorNodeCheck', { node: 'Ada Brandt' })).toEqual({ error: errors.authorNet });
    const papers = { graph: 'PaperNet', node: 'Deep Ponds' };
    expect(bare('neighbourCheck', papers)).toEqual({ error: errors.paperNet });
    expect(bare('loadPaperNet')).toEqual({
      reply: { message: 'loaded' },
      world: { ...world, loaded: ['PaperNet'] },
    });
    expect(run('loadPaperNet')).toEqual({ reply: { message: 'loaded' } });
  });

  it('describes nodes, neighbors and edges', () => {
    expect(run('paperNodeCheck', { node: 'Deep Ponds' })).toEqual({
      reply: {
        year: 1995,
        venue: 'Open Systems',
        n_citation: 25,
        keywords: ['search', 'risk'],
        doc_type: 'Report',
      },
    });
    expect(run('authorNodeCheck', { node: 'Boris Keel' })).toEqual({
      reply: { name: 'Boris Keel', org: 'Arvel University' },
    });
    expect(run('neighbourCheck', { graph: 'PaperNet', node: 'Small Worlds' })).toEqual({
      reply: ['Deep Ponds', 'Fair Queues'],
    });
    expect(run('neighbourCheck', { graph: 'AuthorNet', node: 'Boris Keel' })).toEqual({
      reply: ['Ada Brandt', 'Clara Voss'],
    });
    expect(run('authorEdgeCheck', { node1: 'Boris Keel', node2: 'Ada Brandt' })).toEqual({
      reply: ['Deep Ponds'],
    });
  });

  it('reports unknown nodes', () => {
    expect(run('paperNodeCheck', { node: 'Ada Brandt' })).toEqual({ error: errors.paper });
    expect(run('neighbourCheck', { graph: 'AuthorNet', node: 'Deep Ponds' })).toEqual({
      error: errors.author,
    });
    expect(run('neighbourCheck', { graph: 'Web', node: 'Deep Ponds' })).toEqual({
      error: errors.graph,
    });
    const pair = { node1: 'Ada Brandt', node2: 'Clara Voss' };
    expect(run('authorEdgeCheck', pair)).toEqual({ error: errors.edge });
    expect(run('authorEdgeCheck', { ...pair, node2: 'Nobody' })).toEqual({ error: errors.author });
  });
});

describe('academia goal', () => {
  const cites = (title: string) => `neighbourCheck PaperNet ${title}`;

  it('requires a lookup of the named node on rung one', () => {
    const year = plans('In which year was the paper {paper} published?');
    expect(year.get('Fair Queues')).toEqual({
      calls: ['loadPaperNet', 'paperNodeCheck Fair Queues'],
      answer: 1991,
    });
    const others = plans('With whom did {author} write papers?');
    expect(others.get('Boris Keel')?.answer).toEqual(['Ada Brandt', 'Clara Voss']);
  });

  it('requires following an edge on rung two', () => {
    const cited = plans('In which year was the only paper published that the paper {paper} cites?');
    expect([...cited]).toEqual([
      [
        'Deep Ponds',
        {
          calls: ['loadPaperNet', cites('Deep Ponds'), 'paperNodeCheck Fair Queues'],
          answer: 1991,
        },
      ],
    ]);
    const works = plans('Where does the only co-author of {author} work?');
    expect(works.get('Clara Voss')?.answer).toBe('Arvel University');
  });

  it('requires counting and comparing on rung three', () => {
    expect(plans('How many co-authors has {author}?').get('Boris Keel')?.answer).toBe(2);
    const often = plans('Which is cited more often, the paper {one} or the paper {other}?');
    expect(often.get('Small Worlds Deep Ponds')?.answer).toBe('Deep Ponds');
    const first = plans('Which was published first, the paper {one} or the paper {other}?');
    expect(first.get('Small Worlds Deep Ponds')?.answer).toBe('Deep Ponds');
  });

  it('requires all neighbors on rung four', () => {
    const sum = plans('How often are the papers that the paper {paper} cites cited together?');
    expect([...sum]).toEqual([
      [
        'Small Worlds',
        {
          calls: [
            ...['loadPaperNet', cites('Small Worlds')],
            ...['paperNodeCheck Deep Ponds', 'paperNodeCheck Fair Queues'],
          ],
          answer: 32,
        },
      ],
    ]);
    const work = plans('How many co-authors of {author} work at {org}?');
    expect(work.get('Boris Keel Calder College')?.answer).toBe(2);
    expect(work.get('Boris Keel Arvel University')?.answer).toBe(0);
    const both = plans('Which paper do both the paper {one} and the paper {other} cite?');
    expect(both.get('Small Worlds Deep Ponds')?.answer).toBe('Fair Queues');
  });

  it('can be reached with an additional graph loaded', () => {
    const family = families.find(({ id }) => id === academiaId);
    const environment = family?.create() as Environment<ToolsState>;
    for (const task of environment.trainTasks.slice(0, 12)) {
      let { state } = environment.reset(task);
      for (const name of ['loadPaperNet', 'loadAuthorNet']) {
        ({ state } = environment.step(state, `${name} with Action Input: {}`));
      }
      for (let over = false; !over; ) {
        const { action } = environment.expert(state);
        ({ state, terminated: over } = environment.step(state, action));
      }
      expect(environment.success(state), task).toBe(true);
    }
  });
});
