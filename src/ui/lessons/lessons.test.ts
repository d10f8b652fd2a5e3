import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import remarkDirective from 'remark-directive';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { compute, type Sources } from '../../cli/claims/claims.ts';
import { diagnosed } from '../../cli/diagnosed.ts';
import { describeConfig } from '../../config/fields.ts';
import { textOf as fieldText } from '../../config/panel-fields.ts';
import { inForce } from '../../config/relevance.ts';
import type { Config } from '../../config/schema.ts';
import { parseRun } from '../../runs/experiment-run.ts';
import { type Experiment, experimentConfig, findExperiment } from '../../runs/experiments.ts';
import { readAddress } from '../address/address.ts';
import { drawn } from '../charts/charts.tsx';
import { knobsOf } from '../knobs/knobs.ts';
import { depths } from '../page/depth.ts';
import { isTerm } from '../terms/terms.ts';
import { planTwins, type Twins } from '../twins/plan.ts';
import { asElements, type DirectiveName, faultOf, type TextNode } from './directives.ts';
import { isPlace } from './parts/look.tsx';
import { addressOf } from './run.ts';
import { type Language, languages } from './store.ts';
import { type Lesson, loadLessons, readLesson } from './texts.ts';

const parse = (text: string) =>
  unified().use(remarkParse).use(remarkDirective).parse(text) as unknown as TextNode;

function directivesOf(node: TextNode): readonly TextNode[] {
  const own = node.type.endsWith('Directive') ? [node] : [];
  return [...own, ...(node.children ?? []).flatMap(directivesOf)];
}

const textOf = (node: TextNode): string => node.value ?? (node.children ?? []).map(textOf).join('');

interface Part {
  readonly name: DirectiveName;
  readonly node: TextNode;
  readonly attribute: (name: string) => string;
}

function partsOf({ text }: Lesson): readonly Part[] {
  return directivesOf(parse(text)).map((node) => ({
    name: node.name as DirectiveName,
    node,
    attribute: (name) => node.attributes?.[name] ?? '',
  }));
}

const all = Object.fromEntries(
  await Promise.all(languages.map(async (one) => [one, await loadLessons(one)] as const)),
) as Record<Language, readonly Lesson[]>;

/** Both languages ask for the same claims. */
const computed = new Map<string, string>();

/** Kept runs as they lie there, whichever code made them. */
const sources: Sources = {
  experiment: findExperiment,
  kept: (experiment: Experiment) => {
    const folder = join('docs/results', experiment.name);
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => {
        const run = parseRun(file, readFileSync(join(folder, file), 'utf8'));
        const asked = experiment.arms.find(({ name }) => name === run.arm)?.diagnosis;
        const found = asked === undefined ? null : diagnosed(run);
        return { ...run, stale: null, ...(found === null ? {} : { diagnosed: found }) };
      });
  },
  report: () => ({}),
  node: '',
};

/** The words of a claim; what stands in double quotes is one. */
const wordsOf = (claim: string) =>
  [...claim.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** What two runs may differ in and still be the same experiment: chance, the end, and what is looked at. */
const aside = /^(seed$|stopping\.|evaluation\.|diagnostics\.)/;

/** What makes a run what it is. */
const settings = (config: Config) =>
  describeConfig()
    .filter(({ path }) => !aside.test(path) && inForce(path, (other) => fieldText(config, other)))
    .map(({ path }) => `${path} ${fieldText(config, path)}`);

/** Most lessons rest on ten; some on five, whose runs take long. */
const LEAST_SEEDS = 5;

const lessonsOfAll = languages.flatMap((language) =>
  all[language].map((lesson) => ({ language, lesson, title: `${language}: ${lesson.title}` })),
);

describe.each(lessonsOfAll)('$title', ({ lesson }) => {
  const parts = partsOf(lesson);
  const named = (name: DirectiveName) => parts.filter((part) => part.name === name);
  const { config, notes } = readAddress(addressOf(lesson.run));

  it('has a run that can be had, and nothing in it that is unknown', () => {
    expect(notes).toEqual([]);
    expect(depths).toContain(lesson.depth);
    expect(parts.flatMap(({ node }) => faultOf(node) ?? [])).toEqual([]);
    expect(named('term').filter((part) => !isTerm(part.attribute('name')))).toEqual([]);
    expect(named('look').filter((part) => !isPlace(part.attribute('at')))).toEqual([]);
    for (const part of named('start')) {
      expect(readAddress(addressOf(lesson.run, part.attribute('with'))).notes).toEqual([]);
    }
    for (const part of named('twins')) planTwins(part.attribute('compare'), config);
    const knobs = knobsOf(config).flatMap(({ fields }) => fields);
    for (const part of named('knob')) expect(knobs).toContain(part.attribute('setting'));
    const { success, details } = drawn[config.recipe];
    const charts = [success, ...details].map(({ testId }) => testId);
    for (const part of named('chart')) expect(charts).toContain(`chart-${part.attribute('of')}`);
  });

  it('asks first, tries, tells what came out, and asks again', () => {
    expect(named('predict')).toHaveLength(1);
    expect(named('outcome')).toHaveLength(1);
    expect(named('question')).toHaveLength(1);
    expect([...named('start'), ...named('twins')].length).toBeGreaterThan(0);
    const order = parts.map(({ name }) => name);
    const tried = order.findIndex((name) => name === 'start' || name === 'twins');
    expect(order.indexOf('predict')).toBeLessThan(tried);
    expect(tried).toBeLessThan(order.indexOf('outcome'));
    for (const { node } of named('predict')) {
      const lists = (node.children ?? []).filter(({ type }) => type === 'list');
      expect(lists).toHaveLength(1);
      expect(lists[0]?.children?.length).toBeGreaterThan(1);
    }
    for (const { node } of named('question')) {
      const [label, ...answer] = node.children ?? [];
      expect(label?.data).toMatchObject({ directiveLabel: true });
      expect(textOf(label ?? node)).toMatch(/\?$/);
      expect(answer.length).toBeGreaterThan(0);
    }
  });

  it('says what the kept runs give, and what holds in most of them', () => {
    const counts = named('kept').flatMap((part) => {
      const claim = part.attribute('claim');
      const [name = '', ...args] = wordsOf(claim);
      const text = computed.get(claim) ?? compute(name, args, sources).text;
      computed.set(claim, text);
      const numbers = (said: string) => said.match(/[\d.]+/g);
      expect(numbers(textOf(part.node)), claim).toEqual(numbers(text));
      const [, ahead, of] = /^(\d+) of (\d+)$/.exec(text) ?? [];
      return of === undefined ? [] : { claim, ahead: Number(ahead), of: Number(of) };
    });
    expect(counts.length).toBeGreaterThan(0);
    for (const { claim, ahead, of } of counts) {
      expect(of, claim).toBeGreaterThanOrEqual(LEAST_SEEDS);
      expect(ahead / of, claim).toBeGreaterThanOrEqual(0.8);
    }
  });

  it('shows what the kept runs were: two agents are two arms of the experiment', () => {
    const claims = named('kept').map((part) => wordsOf(part.attribute('claim')));
    const beaten = claims.filter(([kind]) => kind === 'beats');
    for (const part of named('twins')) {
      const twins = planTwins(part.attribute('compare'), config);
      const fits = beaten.some(([, experiment, ...arms]) =>
        isPair(twins, findExperiment(experiment ?? ''), arms.slice(0, 2)),
      );
      expect(fits, part.attribute('compare')).toBe(true);
    }
  });
});

/** Whether two agents are these arms, in either order. */
function isPair(twins: Twins, experiment: Experiment, arms: readonly string[]): boolean {
  const text = (config: Config) => settings(config).join('\n');
  const kept = arms.map((name) => {
    const arm = experiment.arms.find((one) => one.name === name);
    if (arm === undefined) throw new Error(`${experiment.name} has no arm ${name}`);
    return text(experimentConfig(experiment, arm, 1));
  });
  const shown = twins.map(({ config }) => text(config));
  return shown.every((one) => kept.includes(one)) && kept.every((one) => shown.includes(one));
}

describe('the languages', () => {
  it('have the same lessons with the same parts', () => {
    const outline = (lessons: readonly Lesson[]) =>
      lessons.map((lesson) => ({
        name: lesson.name,
        number: lesson.number,
        depth: lesson.depth,
        run: lesson.run,
        parts: partsOf(lesson)
          .filter(({ name }) => name !== 'term')
          .map(({ name, node }) => [name, node.attributes]),
        terms: [...new Set(partsOf(lesson).map((part) => part.attribute('name')))].sort(),
        choices: parse(lesson.text)
          .children?.filter(({ name }) => name === 'predict')
          .map(
            ({ children = [] }) => children.find(({ type }) => type === 'list')?.children?.length,
          ),
      }));
    for (const language of languages) expect(outline(all[language])).toEqual(outline(all.en));
  });

  it('count their lessons from 1', () => {
    for (const language of languages) {
      expect(all[language].map(({ number }) => number)).toEqual(all[language].map((_, i) => i + 1));
    }
  });
});

describe('a lesson', () => {
  const top = '---\ntitle: A\nsummary: B\ndepth: watch\nrun: preset=maze\n---\n';

  it('that cannot be read says what is missing', () => {
    expect(() => readLesson('texts/en/clipping.md', `${top}Text`)).toThrow(/called like 3-/);
    expect(() => readLesson('texts/en/3-clipping.md', 'Text')).toThrow(/no lines between/);
    const untitled = top.replace('title: A\n', '');
    expect(() => readLesson('texts/en/3-clipping.md', untitled)).toThrow(/has no title/);
  });

  it('shows a part that does not exist as a fault, and a colon in a sentence as one', () => {
    const tree = parse('A share of 3:a half, 12:30.\n\n::strat[Go]\n\n::knob[]{}');
    asElements()(tree);
    expect(textOf(tree)).toContain('A share of 3:a half, 12:30.');
    const faults = (tree.children ?? []).flatMap(({ data }) => data?.hProperties ?? []);
    expect(faults).toEqual([
      { fault: 'There is no part called “strat”.' },
      { fault: '“knob” needs setting.' },
    ]);
  });
});
