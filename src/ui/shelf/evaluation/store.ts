/** Evaluation of the current run's agent, and its download. */

import { create } from 'zustand';
import type { ModelFormat } from '../../../exchange/pretrained/export-model.ts';
import type { EvaluationSettings } from '../../../lab/questions.ts';
import {
  type EvaluationReport,
  formatReport,
  type ReportFormat,
} from '../../../runs/evaluation-report.ts';
import type { SavedFile } from '../../shell/files/download.ts';
import { ask, QuestionRefusedError } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';

interface EvaluationState {
  readonly settings: EvaluationSettings;
  /** The newest report, and its run. */
  readonly report: { readonly runId: string; readonly report: EvaluationReport } | null;
  /** The pending question, if any. */
  readonly pending: { readonly runId: string; readonly what: 'report' | 'checkpoint' } | null;
  /** Why the last question failed, in one sentence. */
  readonly problem: string | null;
}

export const useEvaluation = create<EvaluationState>()(() => ({
  settings: { tasks: 0, samples: 4, seed: 1 },
  report: null,
  pending: null,
  problem: null,
}));

/** Evaluates the current run's agent. */
export async function evaluate(): Promise<void> {
  await track('report', async (runId) => {
    const report = await ask('evaluate-agent', useEvaluation.getState().settings);
    // Another run may have started in the meantime.
    if (useLab.getState().runId === runId) useEvaluation.setState({ report: { runId, report } });
  });
}

/** The current run's checkpoint as a file; null, with `problem` set, if it is unavailable. */
export async function checkpointFile(): Promise<SavedFile | null> {
  let file: SavedFile | null = null;
  await track('checkpoint', async () => {
    const { preset } = useLab.getState();
    const parts = [await ask('read-checkpoint', {})];
    file = { name: `palestra-${preset}.safetensors`, parts, type: 'application/octet-stream' };
  });
  return file;
}

/**
 * The current run's agent in the formats of other tools, as one zip; null as with `checkpointFile`.
 *
 * @param format of an adapter of a pretrained model
 */
export async function exportedFile(format: ModelFormat | null = null): Promise<SavedFile | null> {
  let file: SavedFile | null = null;
  await track('checkpoint', async (runId) => {
    const { preset } = useLab.getState();
    const bytes = await ask('read-checkpoint', {});
    // Loaded on demand.
    if (format !== null) {
      const { exportAdapter } = await import('../models/store.ts');
      const parts = [await exportAdapter(bytes, format)];
      file = { name: `palestra-${preset}-${format}.zip`, parts, type: 'application/zip' };
      return;
    }
    const { checkpointZip } = await import('./checkpoint-zip.ts');
    const { report } = useEvaluation.getState();
    const own = report?.runId === runId ? report.report : null;
    file = {
      name: `palestra-${preset}.zip`,
      parts: [checkpointZip(bytes, own)],
      type: 'application/zip',
    };
  });
  return file;
}

/** Runs a question and keeps `pending` and `problem` up to date. */
async function track(
  what: 'report' | 'checkpoint',
  question: (runId: string) => Promise<void>,
): Promise<void> {
  const { runId } = useLab.getState();
  if (runId === null) return;
  const pending = { runId, what };
  useEvaluation.setState({ pending, problem: null });
  try {
    await question(runId);
  } catch (error) {
    if (!(error instanceof QuestionRefusedError)) throw error;
    // No message if the user has started another run.
    if (useLab.getState().runId === runId) useEvaluation.setState({ problem: error.message });
  } finally {
    if (useEvaluation.getState().pending === pending) useEvaluation.setState({ pending: null });
  }
}

const fileTypes: Readonly<Record<Exclude<ReportFormat, 'table'>, readonly [string, string]>> = {
  csv: ['csv', 'text/csv'],
  markdown: ['md', 'text/markdown'],
  json: ['json', 'application/json'],
};

/** The report as a file. */
export function reportFile(report: EvaluationReport, format: keyof typeof fileTypes): SavedFile {
  const [ending, type] = fileTypes[format];
  return { name: `palestra-evaluation.${ending}`, parts: [formatReport(report, format)], type };
}
