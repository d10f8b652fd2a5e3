import { readFileSync } from 'node:fs';
import remarkDirective from 'remark-directive';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { describe, expect, it } from 'vitest';
import { compute, type Sources } from '../../../cli/claims/claims.ts';
import { diagnosed } from '../../../cli/diagnosed.ts';
import { describeConfig } from '../../../config/fields.ts';
import { textOf as fieldText } from '../../../config/panel-fields.ts';
import { inForce } from '../../../config/relevance.ts';
import type { Config } from '../../../config/schema.ts';
import {
  type Experiment,
  experimentConfig,
  findExperiment,
} from '../../../experiments/catalogue.ts';
import { readRuns } from '../../../experiments/kept-files.node.ts';
import { recipeCharts } from '../../charts/charts.tsx';
import { readAddress } from '../../shell/address/address.ts';
import { type Language, languages } from '../../shell/language/store.ts';
import { depths } from '../../shell/page/depth.ts';
import { isTerm } from '../../shell/terms/terms.ts';
import { knobsOf } from '../knobs/knobs.ts';
import { planTwins, type Twins } from '../twins/plan.ts';
import { asElements, type DirectiveName, faultOf, type TextNode } from './directives.ts';
import { isPlace } from './parts/look.tsx';
import { addressOf } from './run.ts';
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

/** Cache: both languages use the same claims. */
const computed = new Map<string, string>();

/** Kept runs, from any version of the code. */
const sources: Sources = {
  experiment: findExperiment,
  kept: (experiment: Experiment) =>
    readRuns('docs/results', experiment.name).map(({ run }) => {
      const asked = experiment.arms.find(({ name }) => name === run.arm)?.diagnosis;
      const found = asked === undefined ? null : diagnosed(run);
      return { ...run, stale: null, ...(found === null ? {} : { diagnosed: found }) };
    }),
  report: (name) => JSON.parse(readFileSync(`docs/results/${name}.json`, 'utf8')),
  node: '',
};

/** The words of a claim; a quoted text is one word. */
const wordsOf = (claim: string) =>
  [...claim.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

/** Settings in which two runs of the same experiment may differ. */
const ignored = /^(seed$|stopping\.|evaluation\.|diagnostics\.)/;

/** The settings that define an experiment. */
const settings = (config: Config) =>
  describeConfig()
    .filter(({ path }) => !ignored.test(path) && inForce(path, (other) => fieldText(config, other)))
    .map(({ path }) => `${path} ${fieldText(config, path)}`);

/** Most claims use ten seeds; those of long runs use five. */
const LEAST_SEEDS = 5;

const lessonsOfAll = languages.flatMap((language) =>
  all[language].map((lesson) => ({ language, lesson, title: `${language}: ${lesson.title}` })),
);

describe.each(lessonsOfAll)('$title', ({ lesson }) => {
  const parts = partsOf(lesson);
  const named = (name: DirectiveName) => parts.filter((part) => part.name === name);
  const { config, notes } = readAddress(addressOf(lesson.run));

  it('has a valid run and known directives, terms, knobs and charts', () => {
    expect(notes).toEqual([]);
    expect(depths).toContain(lesson.depth);
    expect(parts.flatMap(({ node }) => faultOf(node) ?? [])).toEqual([]);
    expect(named('term').filter((part) => !isTerm(part.attribute('name')))).toEqual([]);
    expect(named('look').filter((part) => !isPlace(part.attribute('at')))).toEqual([]);
    for (const part of [...named('start'), ...named('walk')]) {
      expect(readAddress(addressOf(lesson.run, part.attribute('with'))).notes).toEqual([]);
    }
    for (const part of named('twins')) planTwins(part.attribute('compare'), config);
    const knobs = knobsOf(config).flatMap(({ fields }) => fields);
    for (const part of named('knob')) expect(knobs).toContain(part.attribute('setting'));
    const { success, details } = recipeCharts[config.recipe];
    const charts = [success, ...details].map(({ testId }) => testId);
    for (const part of named('chart')) expect(charts).toContain(`chart-${part.attribute('of')}`);
  });

  it('has a prediction, an experiment, its result and a question, in this order', () => {
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
      const choices = lists[0]?.children?.length ?? 0;
      expect(choices).toBeGreaterThan(1);
      expect(Number(node.attributes?.answer)).toBeGreaterThanOrEqual(1);
      expect(Number(node.attributes?.answer)).toBeLessThanOrEqual(choices);
    }
    for (const { node } of named('question')) {
      const [label, ...answer] = node.children ?? [];
      expect(label?.data).toMatchObject({ directiveLabel: true });
      expect(textOf(label ?? node)).toMatch(/\?$/);
      expect(answer.length).toBeGreaterThan(0);
    }
  });

  it('quotes the numbers of the kept runs, and no result that holds for fewer than 80% of the seeds', () => {
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

  it('compares only agents that are arms of the cited experiment', () => {
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

/** Whether two agents equal these arms, in either order. */
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

describe('every language', () => {
  it('has the same lessons and directives', () => {
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

  it('numbers its lessons from 1', () => {
    for (const language of languages) {
      expect(all[language].map(({ number }) => number)).toEqual(all[language].map((_, i) => i + 1));
    }
  });
});

describe('readLesson', () => {
  const top = '---\ntitle: A\nsummary: B\ndepth: watch\nrun: preset=maze\n---\n';

  it('reports what is missing in an invalid file', () => {
    expect(() => readLesson('texts/en/clipping.md', `${top}Text`)).toThrow(/a name such as 3-/);
    expect(() => readLesson('texts/en/3-clipping.md', 'Text')).toThrow(/no front matter/);
    const untitled = top.replace('title: A\n', '');
    expect(() => readLesson('texts/en/3-clipping.md', untitled)).toThrow(/has no title/);
  });

  it('renders an unknown directive as an error, and keeps plain colons', () => {
    const tree = parse('A share of 3:a half, 12:30.\n\n::strat[Go]\n\n::knob[]{}');
    asElements()(tree);
    expect(textOf(tree)).toContain('A share of 3:a half, 12:30.');
    const faults = (tree.children ?? []).flatMap(({ data }) => data?.hProperties ?? []);
    expect(faults).toEqual([
      { fault: 'There is no directive “strat”.' },
      { fault: '“knob” requires setting.' },
    ]);
  });
});
