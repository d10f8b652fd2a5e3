import './evaluation.css';
import { Button, NumberInput } from '@mantine/core';
import {
  IconChecklist,
  IconDeviceFloppy,
  IconDownload,
  IconPackageExport,
  IconPlayerPlay,
} from '@tabler/icons-react';
import type { EvaluationReport } from '../../runs/evaluation-report.ts';
import { explainReport } from '../../runs/evaluation-report.ts';
import { percent } from '../../runs/numbers.ts';
import { download } from '../files/download.ts';
import { useLab } from '../lab/store.ts';
import { ProblemNotice } from '../notices/notices.tsx';
import { openPlay } from '../play/wanted.ts';
import { checkpointFile, evaluate, exportedFile, reportFile, useEvaluation } from './store.ts';
import { ReportTable } from './table.tsx';

/** The agent on the evaluation tasks, beside the expert and a random agent. */
export function Evaluation() {
  const runId = useLab((lab) => lab.runId);
  const newest = useEvaluation((evaluation) => evaluation.report);
  const report = newest !== null && newest.runId === runId ? newest.report : null;
  return (
    <section
      className="card evaluation"
      aria-labelledby="evaluation-title"
      data-testid="evaluation-panel"
    >
      <header className="evaluation-head">
        <div>
          <h2 id="evaluation-title">Evaluation</h2>
          <p>
            The agent on the evaluation tasks, beside the expert and an agent that acts at random.
            That one knows which actions are possible; ours does not, and so may stand below it at
            first.
          </p>
        </div>
        <Actions />
      </header>
      <Problem />
      <Progress />
      {report === null ? null : (
        <>
          <ReportTable report={report} />
          <footer className="evaluation-foot">
            <p>{explainReport(report)}</p>
            <Exports report={report} />
          </footer>
        </>
      )}
    </section>
  );
}

function Actions() {
  const status = useLab((lab) => lab.status);
  const asked = useEvaluation((evaluation) => evaluation.asked);
  const { tasks, samples } = useEvaluation((evaluation) => evaluation.settings);
  const hasAgent = status === 'running' || status === 'paused' || status === 'finished';
  const set = (change: { readonly tasks?: number; readonly samples?: number }) =>
    useEvaluation.setState(({ settings }) => ({ settings: { ...settings, ...change } }));
  const exportZip = async () => {
    const file = await exportedFile();
    if (file !== null) download(file);
  };
  const save = async () => {
    const file = await checkpointFile();
    if (file !== null) download(file);
  };
  return (
    <div className="evaluation-actions">
      <NumberInput
        size="xs"
        label="Tasks, 0 for all"
        value={tasks}
        min={0}
        max={100_000}
        allowDecimal={false}
        onChange={(value) => set({ tasks: whole(value, 0) })}
      />
      <NumberInput
        size="xs"
        label="Tries per task (k)"
        value={samples}
        min={1}
        max={64}
        clampBehavior="strict"
        allowDecimal={false}
        onChange={(value) => set({ samples: whole(value, 1) })}
      />
      <Button
        size="xs"
        leftSection={<IconChecklist size={15} />}
        disabled={!hasAgent || asked !== null}
        onClick={() => void evaluate()}
      >
        Evaluate
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconDeviceFloppy size={15} />}
        disabled={!hasAgent || asked !== null}
        onClick={() => void save()}
      >
        Save checkpoint
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPackageExport size={15} />}
        title="ONNX, Hugging Face layout and a model card in one zip"
        disabled={!hasAgent || asked !== null}
        onClick={() => void exportZip()}
      >
        Export
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlayerPlay size={15} />}
        title="Exported agents, watched and played against"
        onClick={() => openPlay(true)}
      >
        Play mode
      </Button>
    </div>
  );
}

/** A box that is being edited may hold nothing for a moment. */
function whole(value: number | string, least: number): number {
  const number = Math.round(Number(value));
  return Number.isFinite(number) ? Math.max(least, number) : least;
}

function Problem() {
  const problem = useEvaluation((evaluation) => evaluation.problem);
  return (
    <ProblemNotice problem={problem} onClose={() => useEvaluation.setState({ problem: null })} />
  );
}

/** What is waited for; empty, and out of sight, where nothing is. */
function Progress() {
  const asked = useEvaluation((evaluation) => evaluation.asked);
  const runId = useLab((lab) => lab.runId);
  const phase = useLab((lab) => lab.phase);
  const fraction = useLab((lab) => lab.fraction);
  const waiting = asked !== null && asked.runId === runId;
  const playing = waiting && asked.what === 'report' && phase === 'evaluate';
  return (
    <div className="evaluation-progress">
      <p role="status" data-testid="evaluation-status">
        {playing ? 'Playing the evaluation tasks.' : ''}
        {waiting && !playing ? 'Waiting for the present iteration to end.' : ''}
      </p>
      {playing ? (
        <>
          <span className="tick" aria-hidden>
            <span style={{ width: `${100 * fraction}%` }} />
          </span>
          <span aria-hidden>{percent(fraction)}</span>
        </>
      ) : null}
    </div>
  );
}

const exports = [
  ['csv', 'CSV'],
  ['markdown', 'Markdown'],
  ['json', 'JSON'],
] as const;

function Exports({ report }: { readonly report: EvaluationReport }) {
  return (
    <div className="evaluation-exports">
      {exports.map(([format, title]) => (
        <Button
          key={format}
          size="xs"
          variant="default"
          leftSection={<IconDownload size={15} />}
          onClick={() => download(reportFile(report, format))}
          aria-label={`Export as ${title}`}
        >
          {title}
        </Button>
      ))}
    </div>
  );
}
