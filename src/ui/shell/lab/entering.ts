/** Puts worker messages and stored runs into the page's state. */

import type { Machine, WorkerMessage } from '../../../lab/protocol.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { PhaseFacts } from '../../../runs/phase-facts.ts';
import type { KeptRun } from '../../../runs/record.ts';
import { withPast } from './past.ts';
import { chartRow, upTo } from './rows.ts';
import {
  blank,
  KEPT_DIAGNOSES,
  type LabState,
  MOST_LOSSES,
  type RunMarker,
  type ShownStep,
  useLab,
} from './store.ts';

/** Applies worker messages in order; those of other runs are dropped. */
export function receive(...messages: readonly WorkerMessage[]): void {
  useLab.setState((before) => {
    let lab = before;
    for (const message of messages) {
      if (message.runId === lab.runId) lab = { ...lab, ...reduce(lab, message) };
    }
    return lab;
  });
}

/**
 * Shows a stored run with its curves, and accepts its messages from now on.
 *
 * @param given whether the run was started with the weights of an agent
 */
export function showKeptRun({ entry, rows, shown }: KeptRun, given = false): void {
  const { id: runId, config, preset, name, base = null } = entry;
  useLab.setState({
    ...blank,
    ...shown,
    runId,
    config,
    preset,
    name,
    base,
    given,
    rows: rows.map(chartRow),
    evaluations: rows.flatMap(({ iteration, evaluation }) =>
      evaluation === undefined ? [] : { iteration, metrics: evaluation.metrics },
    ),
    staleness: rows.at(-1)?.details.staleness ?? [],
    diagnoses: rows
      .flatMap(({ iteration, details: { diagnosis } }) =>
        diagnosis === undefined ? [] : { iteration, diagnosis },
      )
      .slice(-KEPT_DIAGNOSES),
    markers: rows.flatMap(({ iteration, gpuLost, device }, i) => {
      const before = rows[i - 1]?.device;
      if (gpuLost === true) return gpuLostAfter(iteration - 1);
      const moved = device !== undefined && before !== undefined && device !== before;
      return moved ? movedAfter(iteration - 1, device) : [];
    }),
    storage: { state: 'kept', iteration: entry.iterations },
  });
}

/**
 * Adds the loss of an update before the first iteration. It replaces the last point if it is close to
 * the one before that, which limits the number of points.
 */
function losses(
  { rows, phase, losses }: LabState,
  { phase: now, fraction: at, loss }: Extract<WorkerMessage, { readonly type: 'progress' }>,
): LabState['losses'] {
  const before = phase === now ? losses : [];
  if (loss === undefined || rows.length > 0) return before;
  const isClose = at - (before.at(-2)?.at ?? Number.NEGATIVE_INFINITY) < 1 / MOST_LOSSES;
  return [...(isClose ? before.slice(0, -1) : before), { at, loss }];
}

function reduce(lab: LabState, message: WorkerMessage): Partial<LabState> {
  switch (message.type) {
    case 'machine':
      return { machine: message.machine, ...deviceMove(lab, message.machine) };
    case 'status': {
      const { status } = message;
      if (status === 'starting' || status === 'running') return { status };
      return { status, pausing: false, phase: null, fraction: 0, losses: [], serverWaiting: null };
    }
    case 'progress':
      return { phase: message.phase, fraction: message.fraction, losses: losses(lab, message) };
    case 'row': {
      const { row, episodes, evaluated } = message;
      const { iteration, evaluation } = row;
      const { staleness, diagnosis } = row.details;
      const [latest = null] = episodes;
      const success = episodes.find((episode) => episode.success) ?? null;
      const failure = episodes.find((episode) => !episode.success) ?? null;
      const [greedy = null] = evaluated;
      const shown = (record: EpisodeRecord | null) =>
        record === null ? null : { iteration, record };
      const seen = {
        ...(latest === null ? {} : { latest, success, failure }),
        ...(greedy === null ? {} : { evaluation: greedy }),
      };
      return {
        rows: [...lab.rows, chartRow(row)],
        evaluations:
          evaluation === undefined
            ? lab.evaluations
            : [...lab.evaluations, { iteration, metrics: evaluation.metrics }],
        staleness,
        step: lab.step === null ? null : { ...lab.step, over: true },
        diagnoses:
          diagnosis === undefined
            ? lab.diagnoses
            : [...lab.diagnoses, { iteration, diagnosis }].slice(-KEPT_DIAGNOSES),
        latest: shown(latest) ?? lab.latest,
        success: shown(success) ?? lab.success,
        failure: shown(failure) ?? lab.failure,
        evaluation: shown(greedy) ?? lab.evaluation,
        past: Object.keys(seen).length === 0 ? lab.past : withPast(lab.past, iteration, seen),
      };
    }
    case 'error': {
      const { name, message: text, advice } = message;
      return { error: { name, message: text, advice } };
    }
    case 'config-changed':
      return { config: message.config };
    case 'change-rejected':
      return { refusedChange: message.reason };
    case 'storage':
      return { storage: message.storage };
    case 'restored': {
      const { iteration: last, reason } = message;
      return {
        rows: upTo(lab.rows, last),
        evaluations: upTo(lab.evaluations, last),
        diagnoses: upTo(lab.diagnoses, last),
        past: upTo(lab.past, last),
        step: null,
        ...(reason === 'gpu-lost'
          ? { markers: [...lab.markers, gpuLostAfter(last)], recoveries: lab.recoveries + 1 }
          : { markers: upTo(lab.markers, last) }),
      };
    }
    case 'phase':
      return { step: withPhase(lab.step, message.facts) };
    case 'answer':
    case 'refusal':
      // Handled by the promise of the question.
      return {};
    default:
      return message satisfies never;
  }
}

/**
 * Adds the facts of a phase. The first phase starts a new iteration; a new loss removes the facts
 * of the previous update.
 */
function withPhase(step: ShownStep | null, facts: PhaseFacts): ShownStep | null {
  const { phase } = facts;
  if (phase === 'rollout' || phase === 'explore' || phase === 'answer') {
    const { iteration } = facts;
    return { iteration, facts: { [phase]: facts }, updates: [], phase, over: false };
  }
  if (step === null) return null;
  const { update: _before, ...others } = step.facts;
  const known = phase === 'loss' ? others : step.facts;
  return { ...step, facts: { ...known, [phase]: facts }, updates: withUpdate(step, facts), phase };
}

function withUpdate({ updates }: ShownStep, facts: PhaseFacts): ShownStep['updates'] {
  if (facts.phase === 'loss') return [...updates, { loss: facts, update: null }];
  const newest = updates.at(-1);
  if (facts.phase !== 'update' || newest?.loss.index !== facts.index) return updates;
  return [...updates.slice(0, -1), { loss: newest.loss, update: facts }];
}

/** Marks where a run moved to another device. */
function deviceMove(lab: LabState, { movedFrom, adapter }: Machine): Partial<LabState> {
  if (movedFrom === null) return {};
  const iteration = lab.rows.at(-1)?.iteration ?? 0;
  const before = lab.markers.filter((marker) => marker.iteration !== iteration);
  return {
    markers: [...before, movedAfter(iteration, adapter)],
    moved: { from: movedFrom, to: adapter },
  };
}

function movedAfter(iteration: number, device: string): RunMarker {
  return { iteration, text: `moved to ${device}` };
}

function gpuLostAfter(iteration: number): RunMarker {
  return { iteration, text: 'GPU lost, resumed here' };
}
