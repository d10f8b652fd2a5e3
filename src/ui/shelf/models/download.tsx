import '@mantine/core/styles/Progress.css';
import { Button, Progress, TextInput } from '@mantine/core';
import { IconDownload, IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { basePrecisions } from '../../../exchange/pretrained/defaults.ts';
import type {
  DownloadProgress,
  UnfinishedDownload,
} from '../../../exchange/pretrained/hub/hub-downloads.ts';
import { bytesOf } from '../../../exchange/pretrained/hub/hub-model.ts';
import type { FoundModel } from '../../../exchange/pretrained/model-work.ts';
import { bytes, several, thousands } from '../../../runs/numbers.ts';
import {
  cancelDownload,
  checkModel,
  closeFound,
  discardDownload,
  download,
  type RunningDownload,
  useDownloads,
} from './downloads.ts';
import { useModels } from './store.ts';

/** Models of the supported types whose weights fit into a browser. */
const examples = [
  'HuggingFaceTB/SmolLM2-135M-Instruct',
  'HuggingFaceTB/SmolLM2-360M-Instruct',
  'Qwen/Qwen2.5-0.5B-Instruct',
  'Qwen/Qwen3-0.6B',
];

/** For inputs whose text must not be corrected. */
const asTyped = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** Downloads a model from the Hugging Face Hub by name. */
export function DownloadModel() {
  const [name, setName] = useState('');
  const [revision, setRevision] = useState('');
  const checking = useDownloads((state) => state.checking);
  const found = useDownloads((state) => state.found);
  const running = useDownloads((state) => state.running);
  const unfinished = useDownloads((state) => state.unfinished);
  const isRunning = ({ model }: UnfinishedDownload) =>
    running?.model.name === model.name && running.model.commit === model.commit;
  return (
    <section className="models-hub" aria-labelledby="models-hub" data-testid="models-hub">
      <h3 id="models-hub">Download from the Hugging Face Hub</h3>
      <form
        className="models-hub-form"
        onSubmit={(event) => {
          event.preventDefault();
          checkModel(name, revision);
        }}
      >
        <TextInput
          label="Model"
          placeholder={examples[0]}
          list="models-hub-examples"
          {...asTyped}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          withAsterisk={false}
        />
        <datalist id="models-hub-examples">
          {examples.map((example) => (
            <option key={example} value={example} />
          ))}
        </datalist>
        <TextInput
          label="Revision (optional)"
          placeholder="main"
          {...asTyped}
          value={revision}
          onChange={(event) => setRevision(event.currentTarget.value)}
        />
        <Button
          size="sm"
          type="submit"
          leftSection={<IconSearch size={16} aria-hidden />}
          loading={checking}
        >
          Check
        </Button>
      </form>
      <p className="models-soft">
        “Check” shows the size and the memory requirement before large files are downloaded. The Hub
        sees your IP address and the names of the files.
      </p>
      {found && <Found found={found} busy={running !== null} />}
      <p className="visually-hidden" role="status">
        {running ? statusText(running) : ''}
      </p>
      {running && <Running {...running} />}
      {unfinished
        .filter((one) => !isRunning(one))
        .map((one) => (
          <Unfinished
            key={`${one.model.name}@${one.model.commit}`}
            download={one}
            busy={running !== null}
          />
        ))}
    </section>
  );
}

function Found({ found, busy }: { readonly found: FoundModel; readonly busy: boolean }) {
  const { model, modelType, shape, parameters, stored, memory } = found;
  const size = bytesOf(model);
  const isStored = useModels(({ models }) =>
    (models ?? []).some(({ name }) => name === model.name),
  );
  return (
    <div className="models-card" role="status" data-testid="hub-found">
      <strong>{model.name}</strong>
      <span>
        {modelType}, {shape.layers} layers, width {shape.width}, {thousands(parameters)} parameters;
        commit {model.commit.slice(0, 8)}
      </span>
      <dl className="models-memory">
        <div>
          <dt>Download</dt>
          <dd>
            {bytes(size)} in {several(model.files.length, 'file')}
          </dd>
        </div>
        {basePrecisions.map((precision) => (
          <div key={precision}>
            <dt>Memory in {precision}, about</dt>
            <dd>{memory[precision] === null ? 'not possible' : bytes(memory[precision])}</dd>
          </div>
        ))}
      </dl>
      {isStored && <span>This browser already stores a model with this name.</span>}
      <div className="row models-row">
        <Button
          size="sm"
          variant="filled"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={busy}
          onClick={() => download(model)}
        >
          {stored > 0 ? `Resume (${bytes(size - stored)} left)` : `Download ${bytes(size)}`}
        </Button>
        <Button size="sm" onClick={closeFound}>
          Close
        </Button>
      </div>
    </div>
  );
}

/** What a download does, without numbers that change all the time. */
function statusText({ progress, cancelling }: RunningDownload): string {
  if (cancelling) return 'Cancelling';
  if (progress === null) return 'Starting';
  if (progress.phase === 'storing') return 'Checking and storing';
  return progress.phase === 'downloading' ? 'Downloading' : 'Connection lost';
}

function Running({ model, progress, cancelling }: RunningDownload) {
  const total = bytesOf(model);
  return (
    <div className="models-card" data-testid="hub-running">
      <strong>{model.name}</strong>
      <span>{cancelling ? 'Cancelling' : phaseText(progress, total)}</span>
      <div className="row models-row">
        <Progress
          className="models-progress"
          value={(100 * (progress?.bytes ?? 0)) / total}
          aria-label="Downloaded so far"
        />
        <Button disabled={cancelling} onClick={cancelDownload}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

function phaseText(progress: DownloadProgress | null, total: number): string {
  if (progress === null) return 'Starting';
  const { phase, seconds = 0 } = progress;
  if (phase === 'storing') return 'Checking and storing';
  const done = `${bytes(progress.bytes)} of ${bytes(total)}`;
  return phase === 'downloading' ? done : `${done}; connection lost, next attempt in ${seconds} s`;
}

function Unfinished({
  download: unfinished,
  busy,
}: {
  readonly download: UnfinishedDownload;
  readonly busy: boolean;
}) {
  const { model, bytes: stored } = unfinished;
  const total = bytesOf(model);
  return (
    <div className="models-card" data-testid="hub-unfinished">
      <strong>{model.name}</strong>
      <span>
        Unfinished: {bytes(stored)} of {bytes(total)} downloaded
      </span>
      <div className="row models-row">
        <Button
          leftSection={<IconPlayerPlay size={14} aria-hidden />}
          disabled={busy}
          aria-label={`Resume the download of ${model.name}`}
          onClick={() => download(model)}
        >
          Resume
        </Button>
        <Button
          disabled={busy}
          aria-label={`Delete the unfinished download of ${model.name}`}
          onClick={() => discardDownload(unfinished)}
        >
          Delete
        </Button>
      </div>
    </div>
  );
}
