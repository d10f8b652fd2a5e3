/** The evaluation that the visitor asked for, and the agent as a file. */

import { create } from 'zustand';
import type { EvaluationSettings } from '../../lab/protocol.ts';
import {
  type EvaluationReport,
  formatReport,
  type ReportFormat,
} from '../../runs/evaluation-report.ts';
import type { SavedFile } from '../files/download.ts';
import { AgentGoneError, evaluateAgent, readCheckpoint } from '../lab/questions.ts';
import { useLab } from '../lab/store.ts';

export interface EvaluationState {
  readonly settings: EvaluationSettings;
  /** The newest report, and the run that it is of. */
  readonly report: { readonly runId: string; readonly report: EvaluationReport } | null;
  /** The run that is being asked, and for what. */
  readonly asked: { readonly runId: string; readonly what: 'report' | 'checkpoint' } | null;
  /** What was asked for and could not be had, in one sentence. */
  readonly problem: string | null;
}

export const useEvaluation = create<EvaluationState>()(() => ({
  settings: { tasks: 0, samples: 4, seed: 1 },
  report: null,
  asked: null,
  problem: null,
}));

/** Evaluates the present run's agent. */
export async function evaluate(): Promise<void> {
  await asking('report', async (runId) => {
    const report = await evaluateAgent(useEvaluation.getState().settings);
    // Another run may have begun in the meantime, and been evaluated.
    if (useLab.getState().runId === runId) useEvaluation.setState({ report: { runId, report } });
  });
}

/** The present run's agent as a file; null where it cannot be had, which is then told. */
export async function checkpointFile(): Promise<SavedFile | null> {
  let file: SavedFile | null = null;
  await asking('checkpoint', async () => {
    const { preset } = useLab.getState();
    const parts = [await readCheckpoint()];
    file = { name: `palestra-${preset}.safetensors`, parts, type: 'application/octet-stream' };
  });
  return file;
}

/** The present run's agent in the formats of others, as one zip; null as with `checkpointFile`. */
export async function exportedFile(): Promise<SavedFile | null> {
  let file: SavedFile | null = null;
  await asking('checkpoint', async (runId) => {
    const { preset } = useLab.getState();
    const bytes = await readCheckpoint();
    // Comes only when it is asked for.
    const { checkpointZip } = await import('../play/export.ts');
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

async function asking(
  what: 'report' | 'checkpoint',
  ask: (runId: string) => Promise<void>,
): Promise<void> {
  const { runId } = useLab.getState();
  if (runId === null) return;
  const asked = { runId, what };
  useEvaluation.setState({ asked, problem: null });
  try {
    await ask(runId);
  } catch (error) {
    if (!(error instanceof AgentGoneError)) throw error;
    // That a run which the visitor ended gives no more answers needs no telling.
    if (useLab.getState().runId === runId) useEvaluation.setState({ problem: error.message });
  } finally {
    if (useEvaluation.getState().asked === asked) useEvaluation.setState({ asked: null });
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
