/**
 * The single diagnosis of a run, shared by the headline, the sentences beside charts, notices and
 * commands.
 */

import type { MetricKey } from '../runs/metrics.ts';
import { type Evidence, type Rule, remembered, type TrialOutcome } from './evidence.ts';
import {
  type Finding,
  type Findings,
  MOST_FINDINGS,
  type ModeName,
  type NotComputable,
  type PastFinding,
  type Proof,
  type Remedy,
} from './finding.ts';
import { History, type Moment } from './history.ts';
import { modes } from './modes/all.ts';
import { factReaders, type Mode, stages } from './modes/mode.ts';
import { serverFaults } from './modes/played.ts';
import { type Spell, spellsOf } from './spells.ts';

/** Maximum number of values of a metric shown as evidence, newest last. */
const MOST_VALUES = 8;

function missing(history: History, mode: Mode): readonly string[] {
  const facts = mode.asks.filter((name) => factReaders[name](history.facts) === undefined);
  if (facts.length === 0 && !mode.applies(history.facts)) return [];
  return [...mode.reads.filter((key) => !history.has(key)), ...facts];
}

/** A failure mode, and a period of the run in which it is present. */
interface Seen {
  readonly mode: Mode;
  readonly spell: Spell;
}

/** Whether this mode is a consequence of an earlier cause that still holds. */
function follows({ mode, spell }: Seen, all: readonly Seen[]): boolean {
  return all.some(
    (cause) =>
      cause.mode !== mode &&
      cause.mode.explains.includes(mode.name) &&
      (cause.spell.from <= spell.to || cause.spell.raised <= spell.raised) &&
      !(mode.explains.includes(cause.mode.name) && spell.from < cause.spell.from),
  );
}

function precedence(a: Seen, b: Seen): number {
  return (
    a.spell.from - b.spell.from ||
    stages.indexOf(a.mode.stage) - stages.indexOf(b.mode.stage) ||
    a.spell.raised - b.spell.raised
  );
}

function proofOf(history: History, metric: MetricKey, { onset, raised }: Spell): Proof | null {
  const from = Math.max(onset, raised - MOST_VALUES + 1);
  const values = [...history.column(metric).subarray(from, raised + 1)];
  if (!values.every(Number.isFinite)) return null;
  return {
    metric,
    iterations: [history.iteration(from), history.iteration(raised)],
    values: values.map((value) => Number(value.toPrecision(4))),
  };
}

/** If a remedy works, the cause is almost certain; if none works, the evidence counts half. */
function confidenceOf(seen: number, trial: TrialOutcome | undefined): number {
  if (trial === 'proved') return Math.max(seen, 0.95);
  return trial === 'refuted' ? seen / 2 : seen;
}

/** The text without sentences in which a number is missing. */
export function withoutGaps(text: string): string {
  const sentences = text.split(/(?<=[.!?]) (?=[A-Z])/);
  return sentences.filter((sentence) => !/(^|[ (])–(?=[ ,.;)]|$)/.test(sentence)).join(' ');
}

function findingOf(
  history: History,
  { mode, spell }: Seen,
  trials: NonNullable<Evidence['trials']>,
): Finding {
  const raised = history.at(spell.raised);
  const texts = mode.tell(raised, history.at(spell.onset), history.at(history.length - 1));
  return {
    mode: mode.name,
    title: withoutGaps(texts.title),
    text: withoutGaps(texts.text),
    onset: history.iteration(spell.onset),
    interval: [history.iteration(spell.from), history.iteration(spell.to)],
    known: history.iteration(spell.raised),
    confidence: Number(confidenceOf(texts.confidence, trials[mode.name]).toFixed(2)),
    evidence: mode.proofs.flatMap((metric) => proofOf(history, metric, spell) ?? []),
    rivals: mode.rivals.map((rival) => ({ ...rival, remedies: remediesOf(rival.mode, raised) })),
    remedies: mode.remedies(raised),
    beside: Object.fromEntries(
      Object.entries(texts.beside).map(([metric, text]) => [metric, withoutGaps(text)]),
    ),
  };
}

/** Remedies for a run in which this mode is the cause. */
function remediesOf(name: ModeName, raised: Moment): readonly Remedy[] {
  return modes.find((mode) => mode.name === name)?.remedies(raised) ?? [];
}

/** Every period in which a mode was present. */
function allSeen(history: History, mode: Mode): readonly Seen[] {
  if (!mode.applies(history.facts)) return [];
  return spellsOf(history, mode).map((spell) => ({ mode, spell }));
}

const lasts = ({ spell }: Seen) => spell.ended === undefined;

/** Findings that no longer hold and that no other cause explains, oldest first. */
function pastFindings(
  history: History,
  ended: readonly Seen[],
  lasting: readonly Seen[],
): readonly PastFinding[] {
  return ended
    .filter(
      (one) =>
        // Nothing is lost by a fault of the server whose episodes were replayed.
        one.mode !== serverFaults &&
        !follows(one, ended) &&
        !lasting.some(({ mode }) => mode === one.mode),
    )
    .sort((a, b) => a.spell.raised - b.spell.raised)
    .slice(-MOST_FINDINGS)
    .map(({ mode, spell }) => {
      const raised = history.at(spell.raised);
      const { title, text } = mode.tell(raised, history.at(spell.onset), raised);
      return {
        mode: mode.name,
        title: withoutGaps(title),
        text: withoutGaps(text),
        from: history.iteration(spell.onset),
        to: history.iteration(spell.ended ?? spell.raised),
        known: history.iteration(spell.raised),
      };
    });
}

/**
 * If several rules detect the same mode, keeps the period with the earliest onset. Replayed faults come last,
 * because they explain nothing.
 */
const earliest = (seen: readonly Seen[]) =>
  [...seen]
    .sort(
      (a, b) =>
        Number(a.mode === serverFaults) - Number(b.mode === serverFaults) || precedence(a, b),
    )
    .slice(0, 1);

/**
 * The diagnosis of the rows so far. It is deterministic, and a finding keeps its onset and evidence when rows
 * are added.
 */
export const diagnose = remembered((evidence): Findings => {
  const { recipe = 'reinforcement' } = evidence.facts;
  const history = new History(evidence);
  const notComputable: NotComputable[] = [];
  const all: Seen[] = [];
  // All modes are failures of reinforcement learning; in other recipes the same numbers have other
  // meanings.
  if (history.length === 0 || recipe !== 'reinforcement') {
    return { findings: [], past: [], notComputable };
  }
  for (const name of new Set(modes.map((mode) => mode.name))) {
    const rules = modes.filter((mode) => mode.name === name);
    const lacking = rules.map((mode) => ({ mode, log: missing(history, mode) }));
    const computable = lacking.filter(({ log }) => log.length === 0);
    const [least] = lacking.map(({ log }) => log).sort((a, b) => a.length - b.length);
    if (computable.length === 0 && least !== undefined) {
      notComputable.push({ mode: name, log: least });
    }
    const spells = computable.flatMap(({ mode }) => allSeen(history, mode));
    all.push(...earliest(spells.filter(lasts)), ...spells.filter((one) => !lasts(one)));
  }
  const seen = all.filter(lasts);
  const { trials = {} } = evidence;
  // A finding whose own remedies fail explains nothing and ranks below untested findings.
  const refuted = ({ mode }: Seen) => trials[mode.name] === 'refuted';
  const causes = seen.filter((one) => !refuted(one));
  const first = seen
    .filter((one) => !follows(one, causes))
    .sort((a, b) => Number(refuted(a)) - Number(refuted(b)) || precedence(a, b));
  return {
    findings: first.slice(0, MOST_FINDINGS).map((one) => findingOf(history, one, trials)),
    past: pastFindings(
      history,
      all.filter((one) => !lasts(one)),
      seen,
    ),
    notComputable,
  };
});

/**
 * Remedies for each of these modes, given what was known in an iteration.
 *
 * @param iteration an iteration that has a row
 */
export function curesBeside(
  evidence: Evidence,
  iteration: number,
  names: readonly ModeName[],
): readonly { readonly mode: ModeName; readonly remedies: readonly Remedy[] }[] {
  const history = new History(evidence);
  const moment = history.at(evidence.rows.findIndex((row) => row.iteration === iteration));
  return names.map((mode) => ({ mode, remedies: remediesOf(mode, moment) }));
}

/** What was known right after an iteration. */
export function asOf<E extends Evidence>(evidence: E, iteration: number): E {
  const { rows, evaluations } = evidence;
  if ((rows.at(-1)?.iteration ?? 0) <= iteration) return evidence;
  return {
    ...evidence,
    rows: rows.filter((row) => row.iteration <= iteration),
    evaluations: evaluations.filter((one) => one.iteration <= iteration),
  };
}

/**
 * A rule for the text beside a metric's chart. If a finding has a text for the metric, it replaces the
 * rule's own text, so that no two sentences on the page contradict each other.
 */
export function diagnosedFirst(metric: MetricKey, rule: Rule): Rule {
  return (evidence) => {
    for (const { beside } of diagnose(evidence).findings) {
      const said = beside[metric];
      if (said !== undefined) return said;
    }
    return rule(evidence);
  };
}
