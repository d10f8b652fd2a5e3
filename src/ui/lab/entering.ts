/** What the worker tells of a run, and what storage has of one, entered into the state of the page. */

import type { Machine, WorkerMessage } from '../../lab/protocol.ts';
import type { EpisodeRecord } from '../../runs/episode.ts';
import type { PhaseFacts } from '../../runs/phase-facts.ts';
import type { KeptRun } from '../../runs/record.ts';
import { withPast } from './past.ts';
import { upTo, withEvaluation, withoutSamples } from './rows.ts';
import {
  blank,
  KEPT_DIAGNOSES,
  type LabState,
  type RunMarker,
  type ShownStep,
  useLab,
} from './store.ts';

/** Enters messages of the worker, oldest first; those of other runs are dropped. */
export function receive(...messages: readonly WorkerMessage[]): void {
  useLab.setState((before) => {
    let lab = before;
    for (const message of messages) {
      if (message.runId === lab.runId) lab = { ...lab, ...reduce(lab, message) };
    }
    return lab;
  });
}

/** Shows a kept run, with its curve, and takes its messages from now on. */
export function showKeptRun({ entry, rows, shown }: KeptRun): void {
  const { id: runId, config, preset, name } = entry;
  useLab.setState({
    ...blank,
    ...shown,
    runId,
    config,
    preset,
    name,
    rows: rows.map((row) =>
      withoutSamples({ ...row, metrics: { ...row.metrics, ...row.evaluation?.metrics } }),
    ),
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

function reduce(lab: LabState, message: WorkerMessage): Partial<LabState> {
  switch (message.type) {
    case 'machine':
      return { machine: message.machine, ...enterMove(lab, message.machine) };
    case 'status': {
      const { status } = message;
      if (status === 'starting' || status === 'running') return { status };
      return { status, pausing: false, phase: null, fraction: 0 };
    }
    case 'progress':
      return { phase: message.phase, fraction: message.fraction };
    case 'iteration': {
      const { iteration, metrics, details, milliseconds, episodes } = message;
      const { staleness, diagnosis } = details;
      const [latest = null] = episodes;
      const success = episodes.find((episode) => episode.success) ?? null;
      const failure = episodes.find((episode) => !episode.success) ?? null;
      const shown = (record: EpisodeRecord | null) =>
        record === null ? null : { iteration, record };
      return {
        rows: [...lab.rows, withoutSamples({ iteration, metrics, details, milliseconds })],
        staleness,
        step: lab.step === null ? null : { ...lab.step, over: true },
        diagnoses:
          diagnosis === undefined
            ? lab.diagnoses
            : [...lab.diagnoses, { iteration, diagnosis }].slice(-KEPT_DIAGNOSES),
        latest: shown(latest) ?? lab.latest,
        success: shown(success) ?? lab.success,
        failure: shown(failure) ?? lab.failure,
        past:
          latest === null ? lab.past : withPast(lab.past, iteration, { latest, success, failure }),
      };
    }
    case 'evaluation': {
      const { iteration, metrics, environments } = message;
      const record = message.episodes[0];
      return {
        rows: withEvaluation(lab.rows, iteration, {
          metrics,
          ...(environments === undefined ? {} : { environments }),
        }),
        evaluations: [...lab.evaluations, { iteration, metrics }],
        ...(record === undefined
          ? {}
          : {
              evaluation: { iteration, record },
              past: withPast(lab.past, iteration, { evaluation: record }),
            }),
      };
    }
    case 'error': {
      const { name, message: text, advice } = message;
      return { error: { name, message: text, advice } };
    }
    case 'changed':
      return { config: message.config, refusedChange: null };
    case 'unchanged':
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
      return { step: enterPhase(lab.step, message.facts) };
    case 'inspection':
    case 'alternatives':
    case 'episode-list':
    case 'episode-records':
    case 'evaluation-report':
    case 'conversations':
    case 'task-answer':
    case 'weighed-critiques':
    case 'collected-critiques':
    case 'drawn-samples':
    case 'checkpoint':
    case 'refusal':
      // Answers to a question; who asked takes them.
      return {};
    default:
      return message satisfies never;
  }
}

/** A new iteration begins with what is played first; a new loss puts the update before it out of sight. */
function enterPhase(step: ShownStep | null, facts: PhaseFacts): ShownStep | null {
  const { phase } = facts;
  if (phase === 'rollout' || phase === 'explore' || phase === 'answer') {
    return { iteration: facts.iteration, facts: { [phase]: facts }, phase, over: false };
  }
  if (step === null) return null;
  const { update: _before, ...others } = step.facts;
  const known = phase === 'loss' ? others : step.facts;
  return { ...step, facts: { ...known, [phase]: facts }, phase };
}

/** A run that another device has computed so far. */
function enterMove(lab: LabState, { movedFrom, adapter }: Machine): Partial<LabState> {
  if (movedFrom === null) return {};
  const iteration = lab.rows.at(-1)?.iteration ?? 0;
  const before = lab.markers.filter((marker) => marker.iteration !== iteration);
  return {
    markers: [...before, movedAfter(iteration, adapter)],
    moved: { from: movedFrom, to: adapter },
  };
}

function movedAfter(iteration: number, device: string): RunMarker {
  return { iteration, text: `${device} from here on` };
}

function gpuLostAfter(iteration: number): RunMarker {
  return { iteration, text: 'GPU lost, went on from here' };
}
