/** Downloads of models from the Hugging Face Hub. */
import { create } from 'zustand';
import type {
  DownloadProgress,
  UnfinishedDownload,
} from '../../../exchange/pretrained/hub/hub-downloads.ts';
import type { HubModel } from '../../../exchange/pretrained/hub/hub-model.ts';
import type { FoundModel, ModelAnswer } from '../../../exchange/pretrained/model-work.ts';
import { bytes } from '../../../runs/numbers.ts';
import { askToPersist } from '../../shell/lab/run-storage.ts';
import { shown } from '../../shell/language/current.ts';
import { type Asked, ask } from './requests.ts';
import { fail, plannedSettings, takeAdded, useModels } from './store.ts';

/** The download of this tab. */
export interface RunningDownload {
  readonly model: HubModel;
  /** Null until the first report. */
  readonly progress: DownloadProgress | null;
  readonly cancelling: boolean;
}

export interface DownloadsState {
  readonly checking: boolean;
  /** The model that was checked last. */
  readonly found: FoundModel | null;
  readonly running: RunningDownload | null;
  /** Of this tab and of others. */
  readonly unfinished: readonly UnfinishedDownload[];
}

export const useDownloads = create<DownloadsState>()(() => ({
  ...{ checking: false, found: null, running: null, unfinished: [] },
}));

/** Shows the message of a failed request. */
function takeFailure(answer: ModelAnswer): void {
  if (answer.kind === 'refused' || answer.kind === 'failed') fail(answer.message);
}

let checking: Asked | null = null;

/** Looks a model up; the name may also be the address of its page. */
export function checkModel(name: string, revision: string): void {
  checking?.stop();
  useModels.setState({ problem: null });
  useDownloads.setState({ checking: true, found: null });
  const asked = ask({ kind: 'check', name, revision, ...plannedSettings() }, (answer) => {
    if (checking !== asked) return;
    checking = null;
    useDownloads.setState({ checking: false });
    takeFailure(answer);
    if (answer.kind === 'checked') useDownloads.setState({ found: answer.found });
  });
  checking = asked;
}

/** Ends a check, or closes its result. */
export function closeFound(): void {
  checking?.stop();
  checking = null;
  useDownloads.setState({ checking: false, found: null });
}

let downloading: Asked | null = null;

/** Starts a download or continues it where it stopped. */
export function download(model: HubModel): void {
  if (downloading !== null) return;
  closeFound();
  useModels.setState({ problem: null });
  useDownloads.setState({ running: { model, progress: null, cancelling: false } });
  void askToPersist();
  downloading = ask({ kind: 'download', model }, (answer) => {
    if (answer.kind === 'downloading') {
      const { progress } = answer;
      useDownloads.setState(({ running }) => ({ running: running && { ...running, progress } }));
      return;
    }
    downloading = null;
    useDownloads.setState({ running: null });
    takeFailure(answer);
    if (answer.kind === 'added') takeAdded(answer.model);
    refreshDownloads();
  });
}

/** Keeps the downloaded bytes. */
export function cancelDownload(): void {
  useDownloads.setState(({ running }) => ({
    running: running && { ...running, cancelling: true },
  }));
  downloading?.cancel();
}

function takeDownloads(answer: ModelAnswer): void {
  takeFailure(answer);
  if (answer.kind === 'downloads') useDownloads.setState({ unfinished: answer.downloads });
}

export function refreshDownloads(): void {
  ask({ kind: 'downloads' }, takeDownloads);
}

/** Deletes an unfinished download once the user has confirmed it. */
export function discardDownload({ model, bytes: stored }: UnfinishedDownload): void {
  const question = `Delete the unfinished download of ${model.name} (${bytes(stored)})?`;
  if (!window.confirm(shown(question))) return;
  ask({ kind: 'discard', model }, takeDownloads);
}
