import '@mantine/core/styles/Progress.css';
import './models.css';
import { Button, Drawer, NativeSelect, Progress } from '@mantine/core';
import { IconFiles, IconFolderOpen, IconPlayerPlayFilled } from '@tabler/icons-react';
import { Fragment, useEffect, useRef } from 'react';
import { presetConfig, presets } from '../../../config/presets.ts';
import { criticizes } from '../../../config/recipes.ts';
import type { GivenFile } from '../../../exchange/logs/log-work.ts';
import { basePrecisions } from '../../../exchange/pretrained/defaults.ts';
import {
  iterationTime,
  type ModelPreset,
  modelPresets,
} from '../../../exchange/pretrained/model-presets.ts';
import type { StoredModel } from '../../../exchange/pretrained/model-store.ts';
import { bytes, percent, thousands } from '../../../runs/numbers.ts';
import { useDrop } from '../../shell/files/drop.ts';
import { FileInput } from '../../shell/files/file-input.tsx';
import { collect, given } from '../../shell/files/folders.ts';
import { isOver, useLab } from '../../shell/lab/store.ts';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { useOverlay } from '../../shell/page/panels.ts';
import { DownloadModel } from './download.tsx';
import { refreshDownloads } from './downloads.ts';
import {
  addModel,
  cancelAdding,
  chooseModel,
  chooseTraining,
  refreshModels,
  removeModel,
  train,
  useModels,
} from './store.ts';

/** Pretrained models: open, store, delete and train. */
export function Models() {
  const overlay = useOverlay('models', 'Close the models');
  const problem = useModels((state) => state.problem);
  useEffect(() => {
    if (!overlay.opened) return;
    refreshModels();
    refreshDownloads();
  }, [overlay.opened]);
  return (
    <Drawer
      {...overlay}
      size="min(760px, 100vw)"
      title="Pretrained models"
      classNames={{ body: 'models' }}
    >
      <div data-testid="models">
        <p className="models-soft">
          Train a LoRA adapter for a pretrained language model with reinforcement learning. The
          model’s files are stored in this browser and never leave it.
        </p>
        <DownloadModel />
        <ProblemNotice
          problem={problem}
          onClose={() => useModels.setState({ problem: null })}
          mb="sm"
        />
        <OpenModel />
        <ModelList />
        <Training />
      </div>
    </Drawer>
  );
}

/**
 * Maximum number of files read, more than any model has, so that a wrong folder is not read
 * completely.
 */
const MOST_FILES = 2000;

/** Opens a folder or files, also dropped ones. */
function OpenModel() {
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const adding = useModels((state) => state.adding);
  const [over, dropZone] = useDrop(async (dropped, entries) => {
    const found: GivenFile[] = [];
    await collect(entries, found, MOST_FILES, () => {});
    addModel(entries.length === 0 ? dropped.map(given) : found);
  });
  const onFiles = (chosen: readonly File[]) => addModel(chosen.map(given));
  return (
    <div className="models-open" data-over={over} {...dropZone}>
      <p>
        A model folder as saved by Hugging Face transformers, of type llama, qwen2, qwen3 or
        gemma3_text: config.json, tokenizer.json, tokenizer_config.json with a chat template,
        model.safetensors. Choose it or drop it here.
      </p>
      {/* Folders and files need separate inputs. */}
      <FileInput
        ref={folder}
        aria-label="Folder of a model"
        data-testid="model-folder"
        {...{ webkitdirectory: '' }}
        onFiles={onFiles}
      />
      <FileInput
        ref={files}
        multiple
        aria-label="Files of a model"
        data-testid="model-files"
        onFiles={onFiles}
      />
      <div className="row models-row">
        <span role="status">{adding === null ? '' : adding === 0 ? 'Checking' : 'Copying'}</span>
        {adding === null ? (
          <>
            <Button
              size="sm"
              leftSection={<IconFolderOpen size={16} aria-hidden />}
              onClick={() => folder.current?.click()}
            >
              Open a folder
            </Button>
            <Button
              size="sm"
              leftSection={<IconFiles size={16} aria-hidden />}
              onClick={() => files.current?.click()}
            >
              Open files
            </Button>
          </>
        ) : (
          <>
            {adding === 0 ? null : <span>{percent(adding)}</span>}
            <Progress className="models-progress" value={100 * adding} aria-label="Copied so far" />
            <Button onClick={cancelAdding}>Cancel</Button>
          </>
        )}
      </div>
    </div>
  );
}

function ModelList() {
  const models = useModels((state) => state.models);
  if (models === null) return <p className="models-soft">Loading models…</p>;
  if (models.length === 0) return <p className="models-soft">No model is stored.</p>;
  return (
    <fieldset className="models-list">
      <legend>Stored models</legend>
      {models.map((model) => (
        <Model key={model.digest} model={model} />
      ))}
    </fieldset>
  );
}

function Model({ model }: { readonly model: StoredModel }) {
  const { digest, name, modelType, shape, parameters, contextLength } = model;
  const chosen = useModels((state) => state.chosen === digest);
  const inUse = useLab(
    (lab) => lab.base?.digest === digest && lab.status !== 'failed' && !isOver(lab),
  );
  const id = `model-${digest.slice(0, 12)}`;
  return (
    <div className="models-item" data-testid="model">
      <input
        type="radio"
        name="model"
        id={id}
        checked={chosen}
        onChange={() => chooseModel(digest)}
      />
      <label htmlFor={id}>
        <strong>
          {name.split(/(?<=\/)/).map((part) => (
            // Allows a line break after the owner.
            <Fragment key={part}>
              {part}
              <wbr />
            </Fragment>
          ))}
        </strong>
        <span>
          {modelType}, {shape.layers} layers, width {shape.width}, {thousands(shape.vocabulary)}{' '}
          tokens
        </span>
        <span>
          {thousands(parameters)} parameters, {bytes(model.bytes)}
          {contextLength === null ? '' : `, context of ${thousands(contextLength)} tokens`}
        </span>
        {inUse ? <span>The current run trains an adapter for this model.</span> : null}
      </label>
      <Button
        aria-label={`Delete the model ${name}`}
        disabled={inUse}
        onClick={() => removeModel(model)}
      >
        Delete
      </Button>
    </div>
  );
}

const trainable = presets.filter(({ name }) => !criticizes(presetConfig(name)));
const choices = (all: readonly Pick<ModelPreset, 'name' | 'title'>[]) =>
  all.map(({ name, title }) => ({ value: name, label: title }));
/** Selects the settings of the current run instead of a preset. */
const CURRENT = '';

const ranks = [4, 8, 16, 32, 64];

/** What to train the selected model on. */
function Training() {
  const chosen = useModels((state) => state.chosen);
  const { preset, rank, base } = useModels((state) => state.choice);
  const plan = useModels((state) => state.plan);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  if (chosen === null) return null;
  const memory = plan?.memory[base] ?? null;
  return (
    <section className="models-training" aria-labelledby="models-training">
      <h3 id="models-training">Train an adapter</h3>
      <div className="models-fields">
        <NativeSelect
          label="Preset"
          description="Environment, batch and horizon"
          value={preset ?? CURRENT}
          data={[
            { value: CURRENT, label: 'Current settings' },
            { group: 'For pretrained models', items: choices(modelPresets) },
            { group: 'For small agents', items: choices(trainable) },
          ]}
          onChange={({ currentTarget: { value } }) =>
            chooseTraining({ preset: value === CURRENT ? null : value })
          }
        />
        <NativeSelect
          label="Frozen weights"
          description="Precision of the model"
          value={base}
          data={[...basePrecisions]}
          onChange={({ currentTarget }) => {
            const precision = basePrecisions.find((name) => name === currentTarget.value);
            if (precision !== undefined) chooseTraining({ base: precision });
          }}
        />
        <NativeSelect
          label="LoRA rank"
          description="Alpha is twice the rank"
          value={String(rank)}
          data={ranks.map(String)}
          onChange={(event) => chooseTraining({ rank: Number(event.currentTarget.value) })}
        />
      </div>
      <dl className="models-memory" data-testid="model-memory">
        {basePrecisions.map((precision) => (
          <div key={precision} data-chosen={precision === base}>
            <dt>Memory in {precision}</dt>
            <dd>{plan === null ? '…' : memoryText(plan.memory[precision])}</dd>
          </div>
        ))}
      </dl>
      <p className="models-soft">
        {plan === null ? '' : `Estimate: ${iterationTime(plan)}. `}GRPO, ReAct format, no imitation.
        The memory estimates include weights, caches and activations. They apply to a GPU and to the
        processor, which uses at most 4 GB.
      </p>
      <Button
        size="sm"
        variant="filled"
        leftSection={<IconPlayerPlayFilled size={15} aria-hidden />}
        disabled={memory === null || cannotTrain}
        onClick={() => void train()}
      >
        Train
      </Button>
    </section>
  );
}

const memoryText = (size: number | null) => (size === null ? 'not possible' : bytes(size));
