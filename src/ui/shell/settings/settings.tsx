import './settings.css';
import { Accordion, Button, Drawer } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { type PanelField, panelFields, textOf } from '../../../config/panel-fields.ts';
import { presetConfig } from '../../../config/presets.ts';
import { inForce } from '../../../config/relevance.ts';
import { namedEnvironments } from '../../../envs/registry.ts';
import { DeviceChooser } from '../device/choose.tsx';
import { useWorlds } from '../episode/worlds.ts';
import { startAgain } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { closePanel, useOverlay } from '../page/panels.ts';
import { MethodChooser } from './method-chooser.tsx';
import { Field } from './settings-field.tsx';
import { HorizonPreview } from './settings-horizon.tsx';
import { MixtureEditor } from './settings-mixture.tsx';
import {
  chooseMethod,
  discardEdits,
  draft,
  edit,
  errorOf,
  inChosen,
  useSettings,
} from './store-settings.ts';

const sections: readonly { readonly id: string; readonly title: string; readonly text: string }[] =
  [
    { id: 'algorithm', title: 'Algorithm', text: 'How rewards become a gradient.' },
    { id: 'bapo', title: 'BAPO', text: 'How the clip bounds adapt.' },
    { id: 'covariance', title: 'Covariance', text: 'Which tokens are clipped by covariance.' },
    { id: 'horizon', title: 'Horizon', text: 'How many turns an episode may take.' },
    { id: 'env', title: 'Environment', text: 'Where the agent acts.' },
    { id: 'agent', title: 'Agent', text: 'What the agent reads and writes in a turn.' },
    { id: 'rollout', title: 'Rollout', text: 'How many episodes are played per iteration.' },
    { id: 'sampler', title: 'Sampler', text: 'Which weights generate rollouts.' },
    { id: 'replay', title: 'Replay', text: 'Training on earlier episodes.' },
    {
      id: 'imitation',
      title: 'Imitation',
      text: 'Copying an expert before reinforcement learning.',
    },
    { id: 'evolution', title: 'Evolution', text: 'Exploring, then imitating successful episodes.' },
    { id: 'critique', title: 'Critique', text: 'An actor that answers, and a critic that learns.' },
    {
      id: 'self_improvement',
      title: 'Self-improvement',
      text: 'An actor that trains on its own correct answers.',
    },
    {
      id: 'preference',
      title: 'Preference',
      text: 'Training on pairs of episodes before reinforcement learning.',
    },
    { id: 'optimizer', title: 'Optimizer', text: 'How a gradient becomes new weights.' },
    { id: 'policy', title: 'Policy', text: 'The size of the transformer.' },
    { id: 'evaluation', title: 'Evaluation', text: 'How the agent is evaluated.' },
    { id: 'diagnostics', title: 'Diagnostics', text: 'How often updates are analyzed.' },
    { id: 'trajectories', title: 'Trajectories', text: 'How many episodes are kept.' },
    { id: 'stopping', title: 'Stopping', text: 'When the run ends.' },
    { id: 'faults', title: 'Faults', text: 'Deliberate errors, for demonstrations.' },
    {
      id: '',
      title: 'Seed and recipe',
      text: 'The source of randomness, and what an iteration does.',
    },
  ];

/** Accordion value of the section with the id `''`. */
const SEED = 'seed';

/** Sections open by default; two of them exist only with their objective. */
const opened = ['algorithm', 'bapo', 'covariance', 'horizon'];

/** The settings panel, generated from the config schema. */
export function Settings() {
  const overlay = useOverlay('settings', 'Close settings');
  return (
    <Drawer {...overlay} size={460} title="Settings" classNames={{ body: 'settings-body' }}>
      <Form />
    </Drawer>
  );
}

function Form() {
  const { edits } = useSettings();
  const config = useLab((lab) => lab.config);
  const preset = useLab((lab) => lab.preset);
  const base = useLab((lab) => lab.base);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const changed = Object.keys(edits).length;
  // Validating the options of an environment requires loading it.
  useWorlds(namedEnvironments([config.env, edits]));
  const { config: next, readable, errors } = draft(config, edits);
  const wrong = Object.entries(errors);
  const fields = panelFields(edits['env.id'] ?? config.env.id);
  const before = (path: string) =>
    textOf(path === 'env.id' ? config : inChosen(config, edits), path);
  const read = (path: string) => edits[path] ?? before(path);
  const sectionsWith = (has: (path: string) => boolean) =>
    fields.flatMap(({ section, path }) => (has(path) ? section || SEED : []));
  // A remedy may have edited fields of any section.
  const [open, setOpen] = useState(() => [
    ...opened,
    ...sectionsWith((path) => edits[path] !== undefined),
  ]);
  const faulty = sectionsWith((path) => errorOf(errors, path) !== undefined);
  // They stay open when the error is corrected.
  if (faulty.some((id) => !open.includes(id))) setOpen([...open, ...faulty]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector('.field-changed')?.scrollIntoView({ block: 'center' });
  }, []);
  const apply = () => {
    if (next === null) return;
    discardEdits();
    closePanel('settings');
    startAgain(next);
  };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
      data-testid="settings"
    >
      <Accordion multiple value={open} onChange={setOpen} variant="default" order={3}>
        {sections.map(({ id, title, text }) => {
          // Edited fields stay visible, so that edits can be reverted.
          const own = fields.filter(
            ({ section, path }) =>
              section === id && (inForce(path, read) || edits[path] !== undefined),
          );
          if (own.length === 0) return null;
          const count = own.filter((field) => edits[field.path] !== undefined).length;
          return (
            <Accordion.Item key={id} value={id || SEED}>
              <Accordion.Control>
                <span className="section-title">
                  {title}
                  {count > 0 ? (
                    <span className={faulty.includes(id || SEED) ? 'count count-wrong' : 'count'}>
                      {count} changed
                    </span>
                  ) : null}
                </span>
                <span className="section-text">{text}</span>
              </Accordion.Control>
              <Accordion.Panel>
                {id === 'algorithm' ? (
                  <MethodChooser
                    config={readable}
                    preset={presetConfig(preset)}
                    onChoose={(name, form) => chooseMethod(config, name, form)}
                  />
                ) : null}
                {own.map((field) => (
                  <Field
                    key={field.path}
                    field={field}
                    text={read(field.path)}
                    changed={edits[field.path] !== undefined}
                    before={before(field.path)}
                    error={errorOf(errors, field.path)}
                    inForce={inForce(field.path, read)}
                    onChange={(text) => edit(config, field.path, text)}
                  >
                    {field.type === 'mixture' ? (
                      <MixtureEditor
                        text={read(field.path)}
                        onChange={(text) => edit(config, field.path, text)}
                      />
                    ) : null}
                  </Field>
                ))}
                {id === 'horizon' ? <HorizonPreview config={next ?? config} /> : null}
              </Accordion.Panel>
            </Accordion.Item>
          );
        })}
      </Accordion>
      <DeviceChooser />
      <div className="settings-foot">
        <p role="status" className={wrong.length > 0 ? 'settings-status wrong' : 'settings-status'}>
          {wrong.length > 0
            ? wrong.map(([path, message]) => complaint(fields, path, message)).join(' ')
            : changed === 0
              ? 'No changes to the current run.'
              : cannotTrain
                ? 'No device can train; only the environment changes.'
                : base === null
                  ? 'Applying restarts the run from random weights.'
                  : 'Applying restarts the run with an untrained adapter.'}
        </p>
        <Button size="sm" disabled={changed === 0} onClick={discardEdits}>
          Discard
        </Button>
        <Button size="sm" variant="filled" type="submit" disabled={changed === 0 || next === null}>
          Apply & restart
        </Button>
      </div>
    </form>
  );
}

/** The error message of a field. */
function complaint(fields: readonly PanelField[], path: string, message: string): string {
  const title =
    fields.find((field) => path === field.path || path.startsWith(`${field.path}.`))?.title ?? path;
  const stop = /[.…]$/.test(message) ? '' : '.';
  // Messages of options are full sentences; others continue after the field name.
  return /^[A-Z]/.test(message) ? `${title}: ${message}${stop}` : `${title} ${message}${stop}`;
}
