/** Stored pretrained models, and runs that train an adapter of one. */
import { create } from 'zustand';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import type { GivenFile } from '../../../exchange/logs/log-work.ts';
import {
  adapterDefaults,
  adapterOf,
  type BasePrecision,
} from '../../../exchange/pretrained/defaults.ts';
import type { ModelFormat } from '../../../exchange/pretrained/export-model.ts';
import { cachedName } from '../../../exchange/pretrained/model-files.ts';
import { findModelPreset } from '../../../exchange/pretrained/model-presets.ts';
import type { StoredModel } from '../../../exchange/pretrained/model-store.ts';
import type { ModelAnswer, ModelPlan } from '../../../exchange/pretrained/model-work.ts';
import type { KeptBase } from '../../../runs/checkpoint.ts';
import { bytes } from '../../../runs/numbers.ts';
import { choose } from '../../shell/episode/playback.ts';
import { loadWorlds } from '../../shell/episode/worlds.ts';
import { runName, startRun } from '../../shell/lab/commands.ts';
import { QuestionRefusedError } from '../../shell/lab/questions.ts';
import { askToPersist } from '../../shell/lab/run-storage.ts';
import { useLab } from '../../shell/lab/store.ts';
import { shown } from '../../shell/language/current.ts';
import { closePanel } from '../../shell/page/panels.ts';
import { discardEdits } from '../../shell/settings/store-settings.ts';
import { type Asked, ask } from './requests.ts';

/** Choices for the next run. */
export interface TrainingChoice {
  /** Name of a preset, also one for pretrained models; null for the settings of the current run. */
  readonly preset: string | null;
  readonly rank: number;
  readonly base: BasePrecision;
}

export interface ModelsState {
  /** Null until loaded. */
  readonly models: readonly StoredModel[] | null;
  /** Digest of the selected model. */
  readonly chosen: string | null;
  readonly choice: TrainingChoice;
  /** The planned run; null while it is computed. */
  readonly plan: ModelPlan | null;
  /** Share of the files copied so far; null if none are being copied. */
  readonly adding: number | null;
  /** Error message. */
  readonly problem: string | null;
}

export const useModels = create<ModelsState>()(() => ({
  models: null,
  chosen: null,
  choice: { preset: null, ...adapterDefaults },
  plan: null,
  adding: null,
  problem: null,
}));

export const fail = (problem: string) => useModels.setState({ problem });

/** Handles answers common to all requests. */
function takeCommon(answer: ModelAnswer): void {
  if (answer.kind === 'refused' || answer.kind === 'failed') fail(answer.message);
  if (answer.kind === 'models') {
    const { chosen } = useModels.getState();
    const kept = answer.models.find(({ digest }) => digest === chosen) ?? answer.models[0];
    useModels.setState({ models: answer.models });
    chooseModel(kept?.digest ?? null);
  }
}

export function refreshModels(): void {
  ask({ kind: 'list' }, (answer) => {
    takeCommon(answer);
    if (answer.kind !== 'models') useModels.setState({ models: [] });
  });
}

let adding: Asked | null = null;

/** Finds the model among the files, in the folder of the topmost `config.json`, and stores it. */
export function addModel(given: readonly GivenFile[]): void {
  if (given.length === 0) return;
  const { name, files } = modelAmong(given);
  adding?.stop();
  useModels.setState({ adding: 0, problem: null });
  const asked = ask({ kind: 'add', name, files }, (answer) => {
    if (adding !== asked) return;
    if (answer.kind === 'progress') {
      useModels.setState({ adding: answer.fraction });
      return;
    }
    adding = null;
    useModels.setState({ adding: null });
    takeCommon(answer);
    if (answer.kind === 'added') takeAdded(answer.model);
  });
  adding = asked;
}

/** Selects a model that was just stored. */
export function takeAdded({ digest }: StoredModel): void {
  useModels.setState({ chosen: digest });
  refreshModels();
  void askToPersist();
}

export function cancelAdding(): void {
  adding?.stop();
  adding = null;
  useModels.setState({ adding: null });
}

/** The files of one folder by name, and the model's name. */
export function modelAmong(given: readonly GivenFile[]): {
  readonly name: string;
  readonly files: ReadonlyMap<string, Blob>;
} {
  const parts = given.map(({ path, file }) => ({ path: path.split('/'), file }));
  const depths = parts.filter(({ path }) => path.at(-1) === 'config.json');
  const [top = parts[0]] = depths.toSorted((a, b) => a.path.length - b.path.length);
  const folder = top?.path.slice(0, -1) ?? [];
  const inside = parts.filter(({ path }) => path.slice(0, -1).join('/') === folder.join('/'));
  return {
    name: cachedName(folder) ?? folder.at(-1) ?? 'model',
    files: new Map(inside.map(({ path, file }) => [path.at(-1) ?? '', file])),
  };
}

/** Deletes a stored model once the user has confirmed it. */
export function removeModel({ name, digest, bytes: size }: StoredModel): void {
  if (!window.confirm(shown(`Delete the model ${name} (${bytes(size)})?`))) return;
  ask({ kind: 'remove', digest }, takeCommon);
}

export function chooseModel(chosen: string | null): void {
  useModels.setState({ chosen });
  makePlan();
}

export function chooseTraining(change: Partial<TrainingChoice>): void {
  useModels.setState(({ choice }) => ({ choice: { ...choice, ...change } }));
  // The plan covers every precision, so a change of precision needs no new plan.
  if (change.base === undefined) makePlan();
}

let planning: Asked | null = null;
/** The last problem with a plan, which the next plan solves. */
let planProblem: string | null = null;

function makePlan(): void {
  planning?.stop();
  planning = null;
  useModels.setState({ plan: null });
  const model = chosenModel();
  if (model === null) return;
  const { name, digest } = model;
  const request = { kind: 'plan', model: { name, digest }, ...plannedSettings() } as const;
  const asked = ask(request, (answer) => {
    if (planning !== asked) return;
    takeCommon(answer);
    if (answer.kind === 'plan') {
      // Problems of other requests stay until the user acts.
      const { problem } = useModels.getState();
      const isOver = problem === planProblem;
      useModels.setState({ plan: answer.plan, ...(isOver && { problem: null }) });
    }
    if ('message' in answer) planProblem = answer.message;
  });
  planning = asked;
}

/** Settings and rank of the next run, before they are adapted to a model. */
export function plannedSettings() {
  const { preset, rank } = useModels.getState().choice;
  const modelPreset = findModelPreset(preset);
  const config: Config =
    preset === null
      ? { ...useLab.getState().config, changes: '' }
      : presetConfig(modelPreset?.preset ?? preset);
  return { config, set: modelPreset?.set ?? [], rank };
}

function chosenModel(): StoredModel | null {
  const { models, chosen } = useModels.getState();
  return models?.find(({ digest }) => digest === chosen) ?? null;
}

/**
 * An adapter checkpoint's agent as a zip.
 *
 * @throws {QuestionRefusedError} with a sentence for the user
 */
export function exportAdapter(
  checkpoint: Uint8Array<ArrayBuffer>,
  format: ModelFormat,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    ask({ kind: 'export', checkpoint, format }, (answer) => {
      if (answer.kind === 'exported') resolve(answer.zip);
      else if ('message' in answer) reject(new QuestionRefusedError(answer.message));
    });
  });
}

/** Starts the planned run. */
export async function train(): Promise<void> {
  const { plan, choice } = useModels.getState();
  const model = chosenModel();
  if (plan === null || model === null) return;
  const { rank, base: precision } = choice;
  const preset =
    findModelPreset(choice.preset)?.preset ?? choice.preset ?? useLab.getState().preset;
  const { name, digest } = model;
  const base: KeptBase = { name, digest, adapter: adapterOf({ rank, base: precision }) };
  await loadWorlds([plan.config.env.id]);
  discardEdits();
  closePanel('models');
  choose('latest');
  startRun(plan.config, preset, false, undefined, runName(plan.config, preset, base), base);
}
