import './evaluation.css';
import { Button, Menu } from '@mantine/core';
import {
  IconChecklist,
  IconDeviceFloppy,
  IconDownload,
  IconPackageExport,
  IconPlayerPlay,
} from '@tabler/icons-react';
import { isRemote } from '../../../envs/registry.ts';
import type { ModelFormat } from '../../../exchange/pretrained/export-model.ts';
import type { EvaluationReport } from '../../../runs/evaluation-report.ts';
import { explainReport } from '../../../runs/evaluation-report.ts';
import { percent } from '../../../runs/numbers.ts';
import { download } from '../../shell/files/download.ts';
import { useLab } from '../../shell/lab/store.ts';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { openPanel } from '../../shell/page/panels.ts';
import { WholeInput } from '../../shell/page/whole-input.tsx';
import { checkpointFile, evaluate, exportedFile, reportFile, useEvaluation } from './store.ts';
import { ReportTable } from './table.tsx';

/** Evaluates the agent, compared with the expert and a random agent. */
export function Evaluation() {
  const runId = useLab((lab) => lab.runId);
  const newest = useEvaluation((evaluation) => evaluation.report);
  const report = newest !== null && newest.runId === runId ? newest.report : null;
  return (
    <section
      className="card wide"
      aria-labelledby="evaluation-title"
      data-testid="evaluation-panel"
    >
      <header className="wide-head evaluation-head">
        <div>
          <h2 id="evaluation-title">Evaluation</h2>
          <p>
            The agent’s results on the evaluation tasks, compared with the expert and a random
            agent. The random agent chooses among valid actions only, so an untrained agent can
            score lower.
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

const adapterFormats: Readonly<Record<ModelFormat, string>> = {
  adapter: 'Adapter for PEFT',
  merged: 'Merged model, safetensors',
  'gguf-f16': 'GGUF, float16',
  'gguf-q8_0': 'GGUF, q8_0',
};

function Actions() {
  const status = useLab((lab) => lab.status);
  const isAdapter = useLab((lab) => lab.base !== null);
  const pending = useEvaluation((evaluation) => evaluation.pending);
  const { tasks, samples } = useEvaluation((evaluation) => evaluation.settings);
  const remote = useLab(({ config }) => isRemote(config.env.id));
  const hasAgent = status === 'running' || status === 'paused' || status === 'finished';
  const set = (change: { readonly tasks?: number; readonly samples?: number }) =>
    useEvaluation.setState(({ settings }) => ({ settings: { ...settings, ...change } }));
  const exportZip = async (format: ModelFormat | null = null) => {
    const file = await exportedFile(format);
    if (file !== null) download(file);
  };
  const save = async () => {
    const file = await checkpointFile();
    if (file !== null) download(file);
  };
  return (
    <div className="evaluation-actions">
      <WholeInput
        label="Tasks, 0 for all"
        value={tasks}
        min={0}
        max={100_000}
        onChange={(tasks) => set({ tasks })}
      />
      <WholeInput
        label="Tries per task (k)"
        value={samples}
        min={1}
        max={64}
        onChange={(samples) => set({ samples })}
      />
      <Button
        variant="filled"
        leftSection={<IconChecklist size={15} />}
        disabled={!hasAgent || remote || pending !== null}
        onClick={() => void evaluate()}
      >
        Evaluate
      </Button>
      <Button
        leftSection={<IconDeviceFloppy size={15} />}
        disabled={!hasAgent || pending !== null}
        onClick={() => void save()}
      >
        Save checkpoint
      </Button>
      {isAdapter ? (
        <Menu withinPortal>
          <Menu.Target>
            <Button
              leftSection={<IconPackageExport size={15} />}
              disabled={!hasAgent || pending !== null}
            >
              Export
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(Object.keys(adapterFormats) as ModelFormat[]).map((format) => (
              <Menu.Item key={format} onClick={() => void exportZip(format)}>
                {adapterFormats[format]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : (
        <Button
          leftSection={<IconPackageExport size={15} />}
          title="ONNX, Hugging Face layout and a model card in one zip"
          disabled={!hasAgent || pending !== null}
          onClick={() => void exportZip()}
        >
          Export
        </Button>
      )}
      <Button
        leftSection={<IconPlayerPlay size={15} />}
        title="Watch exported agents and play against them"
        onClick={() => openPanel('play')}
      >
        Play mode
      </Button>
      {remote ? (
        <p className="evaluation-why">
          An environment on a server has no expert and no random agent to compare with.
        </p>
      ) : null}
    </div>
  );
}

function Problem() {
  const problem = useEvaluation((evaluation) => evaluation.problem);
  return (
    <ProblemNotice problem={problem} onClose={() => useEvaluation.setState({ problem: null })} />
  );
}

/** What the panel waits for. */
function Progress() {
  const pending = useEvaluation((evaluation) => evaluation.pending);
  const runId = useLab((lab) => lab.runId);
  const status = useLab((lab) => lab.status);
  const phase = useLab((lab) => lab.phase);
  const fraction = useLab((lab) => lab.fraction);
  const waiting = pending !== null && pending.runId === runId;
  const evaluating = waiting && pending.what === 'report';
  const playing = evaluating && phase === 'evaluate';
  const text = () => {
    if (!waiting) return '';
    // A run that does not train answers at once.
    if (status === 'running' && !playing) return 'Waiting for the current iteration to finish.';
    return evaluating ? 'Playing the evaluation tasks.' : 'Preparing the file.';
  };
  return (
    <div className="evaluation-progress">
      <p role="status" data-testid="evaluation-status">
        {text()}
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
