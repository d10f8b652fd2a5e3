import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type EnvironmentReport, environmentPage } from '../../../bench/environments.ts';
import { speedPages } from '../../../bench/speed/pages.ts';
import { type Experiment, experiments, findExperiment } from '../../experiments/catalogue.ts';
import { ARCHIVE, readRuns } from '../../experiments/kept-files.node.ts';
import { type KeptRun, staleNote } from '../../experiments/kept-run.ts';
import { experimentPage } from '../../experiments/page.ts';
import type { Code } from '../fingerprint.node.ts';
import { keptRuns, plannedRuns } from '../kept-runs.node.ts';
import { ClaimError, compute, type Outcome, type Sources } from './claims.ts';
import {
  fillClaims,
  fillIncludes,
  findClaims,
  includedPaths,
  inItsStyle,
  unmarkedNumbers,
  unmarkedTimes,
} from './document.ts';

/**
 * Documents in which every number is a claim, or stands in a section that says it is not kept; in the
 * others this holds for times and rates.
 */
const strict = /^(README\.md|docs\/results\/.*\.md)$/;

/** Where the results are, from the root. */
const RESULTS = 'docs/results';

/** What is wrong: where, what is said, and what comes out. */
interface Mismatch {
  readonly document: string;
  readonly line: number;
  readonly what: string;
}

/** What was looked at. */
export interface Checked {
  readonly documents: number;
  readonly claims: number;
  readonly pages: number;
  readonly mismatches: readonly Mismatch[];
}

/**
 * Recomputes every claim of the documents and every page that is made from kept files.
 *
 * @param root of the repository
 * @param write puts in what comes out, where something else is said
 * @throws {KeptRunError} for a kept file that cannot be read.
 */
export function checkClaims(root: string, code: Code, write: boolean): Checked {
  const sources = sourcesIn(root, code);
  const mismatches: Mismatch[] = [...orphans(root)];
  const pages = madePages(root, sources);
  for (const [path, contents] of pages) {
    const found = read(root, path);
    if (found === contents) continue;
    if (write) writeFileSync(join(root, path), contents);
    else mismatches.push(pageMismatch(path, found, contents));
  }
  let claims = 0;
  const documents = markdownFiles(root).filter((path) => !pages.has(path));
  for (const path of documents) {
    const text = read(root, path) ?? '';
    const checked = checkDocument(path, text, sources);
    claims += checked.claims;
    mismatches.push(...(write ? checked.problems : [...checked.wrong, ...checked.problems]));
    if (write && checked.filled !== text) writeFileSync(join(root, path), checked.filled);
  }
  // Claims are filled first: an included document may itself hold some.
  for (const path of documents) mismatches.push(...checkIncludes(root, path, write));
  return { documents: documents.length, claims, pages: pages.size, mismatches };
}

/** Fills a document's include blocks, or reports those that are out of date. */
function checkIncludes(root: string, path: string, write: boolean): Mismatch[] {
  const text = read(root, path) ?? '';
  const missing = includedPaths(text).filter((included) => read(root, included) === null);
  const filled = fillIncludes(text, (included) => read(root, included));
  if (write && filled !== text) writeFileSync(join(root, path), filled);
  return [
    ...missing.map((included) => ({
      document: path,
      line: 1,
      what: `it includes ${included}, which does not exist`,
    })),
    ...(write || filled === text ? [] : [pageMismatch(path, text, filled)]),
  ];
}

/** A document's claims beside what comes out. */
export function checkDocument(path: string, text: string, sources: Sources) {
  const { claims, problems } = findClaims(text);
  const other: Mismatch[] = problems.map((problem) => ({ document: path, ...problem }));
  const wrong: Mismatch[] = [];
  const outcomes = claims.map(({ name, args, line }): Outcome | null => {
    try {
      return compute(name, args, sources);
    } catch (error) {
      if (!(error instanceof ClaimError)) throw error;
      other.push({ document: path, line, what: `${[name, ...args].join(' ')}: ${error.message}` });
      return null;
    }
  });
  const runs = outcomes.flatMap((outcome) => outcome?.runs ?? []);
  const note = staleNote(runs);
  if (note !== '' && !claims.some(({ name }) => name === 'stale-note')) {
    other.push({
      document: path,
      line: 1,
      what: `it rests on runs of an earlier version of the code and has no footnote: add <!-- claim: stale-note --><!-- /claim --> behind a word`,
    });
  }
  const texts = claims.map(({ name, args, line, text: said }, i) => {
    const outcome = outcomes[i];
    if (outcome === undefined || outcome === null) return null;
    const expected = name === 'stale-note' ? note : inItsStyle(said, outcome.text);
    if (said === expected) return null;
    wrong.push({
      document: path,
      line: line + differingLine(said, expected),
      what: `${[name, ...args].join(' ')}: it says ${quoted(said, expected)}, and ${quoted(expected, said)} comes out`,
    });
    return expected;
  });
  const unmarked = strict.test(path) ? unmarkedNumbers(text) : unmarkedTimes(text);
  other.push(...unmarked.map((problem) => ({ document: path, ...problem })));
  return {
    claims: claims.length,
    wrong,
    problems: other,
    filled: fillClaims(text, claims, texts),
  };
}

/** What claims are computed from, each file read once. */
function sourcesIn(root: string, code: Code): Sources {
  const kept = new Map<string, readonly KeptRun[]>();
  return {
    experiment: findExperiment,
    kept(experiment) {
      const known = kept.get(experiment.name) ?? keptRuns(join(root, RESULTS), experiment, code);
      kept.set(experiment.name, known);
      return known;
    },
    report: (name) => JSON.parse(read(root, `bench/results/${name}.json`) ?? '{}'),
    node: JSON.parse(read(root, 'package.json') ?? '{}').engines.node.replace('>=', ''),
  };
}

/** Every page that is made from kept files, by its path. */
function madePages(root: string, sources: Sources): Map<string, string> {
  const pages = speedPages(root);
  const environments = read(root, `${RESULTS}/environments.json`);
  if (environments !== null) {
    const report = JSON.parse(environments) as EnvironmentReport;
    pages.set(`${RESULTS}/environments.md`, environmentPage(report));
  }
  for (const experiment of experiments) {
    const runs = sources.kept(experiment);
    // An experiment that nobody has run has no page.
    if (runs.length > 0 || existsSync(join(root, pageOf(experiment)))) {
      pages.set(pageOf(experiment), experimentPage(experiment, runs));
    }
  }
  return pages;
}

function pageOf({ name }: Experiment): string {
  return `${RESULTS}/${name}.md`;
}

/** Kept files that no experiment asks for: their numbers are nobody's. */
function orphans(root: string): Mismatch[] {
  const results = join(root, RESULTS);
  const names = new Set(
    readdirSync(results, { withFileTypes: true }).flatMap((entry) => {
      if (entry.isDirectory()) return [entry.name];
      return entry.name.endsWith(ARCHIVE) ? [entry.name.slice(0, -ARCHIVE.length)] : [];
    }),
  );
  return [...names].flatMap((name) => {
    const experiment = experiments.find((known) => known.name === name);
    const planned = experiment === undefined ? [] : plannedRuns(experiment);
    return readRuns(results, name)
      .filter(
        ({ run }) => !planned.some(({ arm, seed }) => arm.name === run.arm && seed === run.seed),
      )
      .map(({ file, run }) => ({
        document: relative(root, file),
        line: 1,
        what: `no experiment asks for its run ${run.arm}, seed ${run.seed}; remove it, or give the experiment its arm and seed`,
      }));
  });
}

/** The Markdown files that people read. */
function markdownFiles(root: string): string[] {
  const folders = ['.', 'docs', RESULTS, 'bench'];
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => (folder === '.' ? name : `${folder}/${name}`))
      .sort(),
  );
}

function pageMismatch(path: string, found: string | null, expected: string): Mismatch {
  const said = found ?? '';
  const at = differingLine(said, expected);
  return {
    document: path,
    line: at + 1,
    what: `it says ${quoted(said, expected)}, and ${quoted(expected, said)} comes out`,
  };
}

/** How many lines are the same from the start. */
function differingLine(a: string, b: string): number {
  const others = b.split('\n');
  const at = a.split('\n').findIndex((line, i) => line !== others[i]);
  return at < 0 ? a.split('\n').length - 1 : at;
}

/** The first line in which a text differs from another, short enough to be read. */
function quoted(text: string, other: string): string {
  const line = text.split('\n')[differingLine(text, other)] ?? '';
  const cut = Math.max(
    0,
    [...line].findIndex((sign, i) => sign !== other.split('\n')[differingLine(text, other)]?.[i]) -
      40,
  );
  const part = line.length <= 100 ? line : `${cut > 0 ? '…' : ''}${line.slice(cut, cut + 90)}…`;
  return part === '' ? 'nothing' : `“${part}”`;
}

function read(root: string, path: string): string | null {
  const file = join(root, path);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
