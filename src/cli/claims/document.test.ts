import { describe, expect, it } from 'vitest';
import {
  fillClaims,
  findClaims,
  inItsStyle,
  links,
  relinked,
  unmarkedNumbers,
} from './document.ts';

const text = `# Results

It takes <!-- claim: turns "double t" median -->44k<!-- /claim --> turns.

<!-- claim: table x -->

| a |
|---|
| 1 |

<!-- /claim -->

The form is \`<!-- claim: NAME -->text<!-- /claim -->\`, or

    <!-- claim: NAME -->9<!-- /claim -->
`;

describe('findClaims', () => {
  it('finds marked texts and tables and their line numbers, but ignores marks in code', () => {
    const { claims, problems } = findClaims(text);
    expect(problems).toEqual([]);
    expect(claims).toMatchObject([
      { name: 'turns', args: ['double t', 'median'], text: '44k', line: 3, block: false },
      { name: 'table', args: ['x'], text: '| a |\n|---|\n| 1 |', line: 5, block: true },
    ]);
  });

  it('reports unmatched marks, nested marks, and marks that would turn a line into HTML', () => {
    const problem = (markdown: string) => findClaims(markdown).problems;
    expect(problem('a <!-- claim: x -->3')).toMatchObject([{ line: 1 }]);
    expect(problem('\na 3<!-- /claim -->')).toMatchObject([{ line: 2 }]);
    expect(problem('<!-- claim: x -->3<!-- /claim --> turns')[0]?.what).toContain('HTML');
    expect(problem('- <!-- claim: x -->3<!-- /claim --> turns')[0]?.what).toContain('HTML');
    expect(problem('| <!-- claim: x -->3<!-- /claim --> |')).toEqual([]);
    expect(problem('a <!-- claim: x -->3 <!-- claim: y -->4<!-- /claim -->')[0]?.what).toContain(
      'nested in another',
    );
  });
});

describe('fillClaims', () => {
  it('replaces claimed texts and nothing else', () => {
    const { claims } = findClaims(text);
    const filled = fillClaims(text, claims, ['50k', '| b |']);
    expect(filled).toBe(text.replace('44k', '50k').replace('| a |\n|---|\n| 1 |', '| b |'));
    expect(fillClaims(text, claims, [null, null])).toBe(text);
    expect(fillClaims(filled, findClaims(filled).claims, ['50k', '| b |'])).toBe(filled);
  });
});

describe('inItsStyle', () => {
  it('spells out a small number if the replaced text is spelled out', () => {
    expect(inItsStyle('fourteen', '15')).toBe('fifteen');
    expect(inItsStyle('Five', '6')).toBe('Six');
    expect(inItsStyle('5', '6')).toBe('6');
    expect(inItsStyle('five', '30')).toBe('30');
    expect(inItsStyle('five', '44k')).toBe('44k');
  });
});

describe('unmarkedNumbers', () => {
  const found = (markdown: string) =>
    unmarkedNumbers(markdown).map(({ line, what }) => [line, /: ([^;]+);/.exec(what)?.[1]]);

  it('finds numbers in digits and in words', () => {
    expect(found('It is 0.98 ± 0.01, and\n3.0 times 44k; five families, 1e-3.')).toEqual([
      [1, '0.98, 0.01'],
      [2, '3.0, 44, five, 1e-3'],
    ]);
    expect(found('# After 3 minutes\n| a | 0.5 |')).toEqual([
      [1, '3'],
      [2, '0.5'],
    ]);
  });

  it('ignores claims, code, links, names and seeds', () => {
    expect(found(text)).toEqual([]);
    expect(
      found('`x=3`, [page](a/3.md), arXiv:2406.04151, seeds 1, 2 and 3, float64, one or two'),
    ).toEqual([]);
    expect(found('```\n3 lines\n```\n\n    npm run x -- 3\n\n1. A list\n')).toEqual([]);
    // Indented lines in a list are text, not code.
    expect(found('- a list\n\n    with 3 lines')).toEqual([[3, '3']]);
  });

  it('ignores sections marked as not kept, including their subsections', () => {
    const markdown = '# A\n\n## B\n\n**Not kept.** It was 3.\n\n### C\n\n4\n\n## D\n\n5\n';
    expect(found(markdown)).toEqual([[13, '5']]);
    expect(found('## B\n\nIt was 3. **Not kept.**')).toEqual([[3, '3']]);
  });
});

describe('links', () => {
  const linked = [
    'See [the lab](docs/LAB.md#keys), [here](#here) and [a paper](https://arxiv.org/abs/1).',
    '`[code](no.md)`',
    '[spaces](my%20page.md)',
  ].join('\n');

  it('finds relative links with their line numbers, but not links in code, to anchors or to other sites', () => {
    expect(links(linked)).toEqual([
      { target: 'docs/LAB.md', line: 1 },
      { target: 'my page.md', line: 3 },
    ]);
  });

  it('replaces the targets of relative links and keeps their anchors', () => {
    expect(relinked(linked, (target) => `up/${target}`).split('\n')[0]).toBe(
      'See [the lab](up/docs/LAB.md#keys), [here](#here) and [a paper](https://arxiv.org/abs/1).',
    );
  });
});
