import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
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
  links,
  relinked,
  unmarkedNumbers,
  unmarkedTimes,
} from './document.ts';

/**
 * Documents in which every number must be a claim or appear in a section marked "Not kept". In
 * other documents, this applies to times and rates only.
 */
const strict = /^(README\.md|docs\/results\/.*\.md)$/;

/** The results folder, relative to the root. */
const RESULTS = 'docs/results';

/** A text that differs from its computed value. */
interface Mismatch {
  readonly document: string;
  readonly line: number;
  readonly what: string;
}

/** Result of a check. */
export interface Checked {
  readonly documents: number;
  readonly claims: number;
  readonly pages: number;
  readonly mismatches: readonly Mismatch[];
}

/**
 * Recomputes every claim in the documents and every page generated from kept files.
 *
 * @param root of the repository
 * @param write replaces texts that differ from their computed values
 * @throws {KeptRunError} if a kept file cannot be read
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
  // Fill claims first: an included document may contain some.
  for (const path of documents) mismatches.push(...checkIncludes(root, path, write));
  for (const path of [...documents, ...pages.keys()]) mismatches.push(...brokenLinks(root, path));
  return { documents: documents.length, claims, pages: pages.size, mismatches };
}

/** Fills a document's include blocks, or reports those that are out of date. */
function checkIncludes(root: string, path: string, write: boolean): Mismatch[] {
  const text = read(root, path) ?? '';
  const missing = includedPaths(text).filter((included) => read(root, included) === null);
  const filled = fillIncludes(text, (included) => {
    const source = read(root, included);
    const way = posix.relative(dirname(path), dirname(included));
    return source === null ? null : relinked(source, (target) => posix.join(way, target));
  });
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

/** Relative links in a document to files that do not exist. */
function brokenLinks(root: string, path: string): Mismatch[] {
  return links(read(root, path) ?? '')
    .filter(({ target }) => !existsSync(join(root, dirname(path), target)))
    .map(({ target, line }) => ({
      document: path,
      line,
      what: `it links to ${target}, which does not exist`,
    }));
}

/** Compares a document's claims with their computed values. */
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
      what: `it uses runs made by an earlier version of the code but has no footnote: add <!-- claim: stale-note --><!-- /claim --> after a word`,
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
      what: `${[name, ...args].join(' ')}: says ${quoted(said, expected)}, computed ${quoted(expected, said)}`,
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

/** The data that claims are computed from. Each file is read once. */
function sourcesIn(root: string, code: Code): Sources {
  const kept = new Map<string, readonly KeptRun[]>();
  return {
    experiment: findExperiment,
    kept(experiment) {
      const known = kept.get(experiment.name) ?? keptRuns(join(root, RESULTS), experiment, code);
      kept.set(experiment.name, known);
      return known;
    },
    report: (name) =>
      JSON.parse(
        read(root, `bench/results/${name}.json`) ?? read(root, `docs/results/${name}.json`) ?? '{}',
      ),
    node: JSON.parse(read(root, 'package.json') ?? '{}').engines.node.replace('>=', ''),
  };
}

/** Every page generated from kept files, by path. */
function madePages(root: string, sources: Sources): Map<string, string> {
  const pages = speedPages(root);
  const environments = read(root, `${RESULTS}/environments.json`);
  if (environments !== null) {
    const report = JSON.parse(environments) as EnvironmentReport;
    pages.set(`${RESULTS}/environments.md`, environmentPage(report));
  }
  for (const experiment of experiments) {
    const runs = sources.kept(experiment);
    // An experiment without runs has no page.
    if (runs.length > 0 || existsSync(join(root, pageOf(experiment)))) {
      pages.set(pageOf(experiment), experimentPage(experiment, runs));
    }
  }
  return pages;
}

function pageOf({ name }: Experiment): string {
  return `${RESULTS}/${name}.md`;
}

/** Kept runs that are not part of any experiment. */
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
        what: `no experiment has the run ${run.arm}, seed ${run.seed}; remove the file, or add the arm and seed to the experiment`,
      }));
  });
}

/** The Markdown files of the repository. */
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
    what: `says ${quoted(said, expected)}, computed ${quoted(expected, said)}`,
  };
}

/** Number of identical lines at the start. */
function differingLine(a: string, b: string): number {
  const others = b.split('\n');
  const at = a.split('\n').findIndex((line, i) => line !== others[i]);
  return at < 0 ? a.split('\n').length - 1 : at;
}

/** An excerpt of the first line in which a text differs from another. */
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
