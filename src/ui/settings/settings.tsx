import { Accordion, Button, Drawer } from '@mantine/core';
import { type PanelField, panelFields, textOf } from '../../config/panel-fields.ts';
import { presetConfig } from '../../config/presets.ts';
import { inForce } from '../../config/relevance.ts';
import { namedEnvironments } from '../../envs/registry.ts';
import { DeviceChooser } from '../device/choose.tsx';
import { useWorlds } from '../episode/worlds.ts';
import { startRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
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
  openSettings,
  useSettings,
} from './store-settings.ts';

const sections: readonly { readonly id: string; readonly title: string; readonly text: string }[] =
  [
    { id: 'algorithm', title: 'Algorithm', text: 'How reward becomes a gradient.' },
    { id: 'bapo', title: 'BAPO', text: 'How the clip bounds adapt.' },
    { id: 'covariance', title: 'Covariance', text: 'Which tokens are held back.' },
    { id: 'horizon', title: 'Horizon', text: 'How many turns an episode may take.' },
    { id: 'env', title: 'Environment', text: 'Where the agent acts.' },
    { id: 'agent', title: 'Agent', text: 'What it reads and writes in a turn.' },
    { id: 'rollout', title: 'Rollout', text: 'How much it plays before each update.' },
    { id: 'replay', title: 'Replay', text: 'Learning again from earlier episodes.' },
    { id: 'imitation', title: 'Imitation', text: 'Copying an expert first.' },
    { id: 'evolution', title: 'Evolution', text: 'Exploring, and learning from what succeeded.' },
    { id: 'critique', title: 'Critique', text: 'An actor that answers, and a critic that learns.' },
    {
      id: 'self_improvement',
      title: 'Self-improvement',
      text: 'An actor that learns from its own right answers.',
    },
    { id: 'preference', title: 'Preference', text: 'Learning from pairs of episodes first.' },
    { id: 'optimizer', title: 'Optimiser', text: 'How a gradient becomes new weights.' },
    { id: 'policy', title: 'Policy', text: 'The size of the transformer.' },
    { id: 'evaluation', title: 'Evaluation', text: 'How it is tested.' },
    { id: 'diagnostics', title: 'Diagnostics', text: 'How closely updates are looked at.' },
    { id: 'trajectories', title: 'Trajectories', text: 'How many episodes are kept.' },
    { id: 'stopping', title: 'Stopping', text: 'When the run ends.' },
    { id: 'faults', title: 'Faults', text: 'What goes wrong on purpose, to see it happen.' },
    {
      id: '',
      title: 'Seed and recipe',
      text: 'Where all chance comes from; what an iteration does.',
    },
  ];

/** Open from the start; the two that belong to an objective are only there with it. */
const opened = ['algorithm', 'bapo', 'covariance', 'horizon'];

/** The config panel, made from the schema: every field, its bounds and its explanation. */
export function Settings() {
  const { open, edits } = useSettings();
  const config = useLab((lab) => lab.config);
  const preset = useLab((lab) => lab.preset);
  const cannotTrain = useLab((lab) => lab.cannotTrain);
  const changed = Object.keys(edits).length;
  // What an environment's options come to together is only known once its world is there.
  useWorlds(namedEnvironments([config.env, edits]));
  const { config: next, readable, errors } = draft(config, edits);
  const wrong = Object.entries(errors);
  const fields = panelFields(edits['env.id'] ?? config.env.id);
  const before = (path: string) =>
    textOf(path === 'env.id' ? config : inChosen(config, edits), path);
  const read = (path: string) => edits[path] ?? before(path);
  const apply = () => {
    if (next === null) return;
    discardEdits();
    openSettings(false);
    startRun(next, preset);
  };
  return (
    <Drawer
      opened={open}
      onClose={() => openSettings(false)}
      position="right"
      size={460}
      title="Settings of the run"
      closeButtonProps={{ 'aria-label': 'Close the settings' }}
      classNames={{ content: 'settings', body: 'settings-body', title: 'settings-title' }}
      overlayProps={{ backgroundOpacity: 0.25 }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
        data-testid="settings"
      >
        <Accordion multiple defaultValue={opened} variant="default" order={3}>
          {sections.map(({ id, title, text }) => {
            // What was edited stays in sight, so that it can be taken back.
            const own = fields.filter(
              ({ section, path }) =>
                section === id && (inForce(path, read) || edits[path] !== undefined),
            );
            if (own.length === 0) return null;
            const count = own.filter((field) => edits[field.path] !== undefined).length;
            const faulty = own.some((field) => errorOf(errors, field.path) !== undefined);
            return (
              <Accordion.Item key={id} value={id || 'seed'}>
                <Accordion.Control>
                  <span className="section-title">
                    {title}
                    {count > 0 ? (
                      <span className={faulty ? 'count count-wrong' : 'count'}>
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
          <p
            role="status"
            className={wrong.length > 0 ? 'settings-status wrong' : 'settings-status'}
          >
            {wrong.length > 0
              ? wrong.map(([path, message]) => complaint(fields, path, message)).join(' ')
              : changed === 0
                ? 'These are the settings of the present run.'
                : cannotTrain
                  ? 'Nothing trains here; the stage shows the new environment.'
                  : 'The run starts again from random weights.'}
          </p>
          <Button variant="default" disabled={changed === 0} onClick={discardEdits}>
            Discard
          </Button>
          <Button type="submit" disabled={changed === 0 || next === null}>
            Apply & restart
          </Button>
        </div>
      </form>
    </Drawer>
  );
}

/** One sentence or more: whose value is wrong, and what is expected of it. */
function complaint(fields: readonly PanelField[], path: string, message: string): string {
  const title =
    fields.find((field) => path === field.path || path.startsWith(`${field.path}.`))?.title ?? path;
  const stop = /[.…]$/.test(message) ? '' : '.';
  // An option's own complaint is a sentence by itself; the others go on from the name.
  return /^[A-Z]/.test(message) ? `${title}: ${message}${stop}` : `${title} ${message}${stop}`;
}
