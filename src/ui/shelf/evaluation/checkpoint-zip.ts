import { exportAgent, zipAgent } from '../../../exchange/agent-files.ts';
import { decodeCheckpoint, keptAgent } from '../../../runs/checkpoint.ts';
import type { EvaluationReport } from '../../../runs/evaluation-report.ts';

/** The agent of a checkpoint as a zip in the formats of other tools, under the MIT license. */
export function checkpointZip(
  bytes: Uint8Array,
  report: EvaluationReport | null,
): Uint8Array<ArrayBuffer> {
  return zipAgent(exportAgent(keptAgent(decodeCheckpoint(bytes)), { report, license: 'MIT' }));
}
