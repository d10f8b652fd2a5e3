import {
  Accordion,
  ActionIcon,
  Button,
  Drawer,
  NumberInput,
  Select,
  Slider,
  Switch,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconArrowBackUp, IconHelpCircle } from '@tabler/icons-react';
import { useId } from 'react';
import { environmentFamilies } from '../envs/registry.ts';
import { allowed, type ConfigField } from '../runs/config.ts';
import { startRun } from './lab-client.ts';
import { MethodChooser } from './method-chooser.tsx';
import { inForce } from './relevance.ts';
import { HorizonPreview } from './settings-horizon.tsx';
import { useLab } from './store.ts';
import {
  chooseMethod,
  discardEdits,
  draft,
  edit,
  errorOf,
  openSettings,
  panelFields,
  textOf,
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
    { id: 'preference', title: 'Preference', text: 'Learning from pairs of episodes first.' },
    { id: 'optimizer', title: 'Optimiser', text: 'How a gradient becomes new weights.' },
    { id: 'policy', title: 'Policy', text: 'The size of the transformer.' },
    { id: 'evaluation', title: 'Evaluation', text: 'How it is tested.' },
    { id: 'diagnostics', title: 'Diagnostics', text: 'How closely updates are looked at.' },
    { id: 'trajectories', title: 'Trajectories', text: 'How many episodes are kept.' },
    { id: 'stopping', title: 'Stopping', text: 'When the run ends.' },
    { id: '', title: 'Seed', text: 'Where all chance comes from.' },
  ];

/** Open from the start; the two that belong to an objective are only there with it. */
const opened = ['algorithm', 'bapo', 'covariance', 'horizon'];

/** The config panel, made from the schema: every field, its bounds and its explanation. */
export function Settings() {
  const { open, edits } = useSettings();
  const config = useLab((lab) => lab.config);
  const preset = useLab((lab) => lab.preset);
  const withoutGpu = useLab((lab) => lab.withoutGpu);
  const changed = Object.keys(edits).length;
  const { config: next, readable, errors } = draft(config, edits);
  const wrong = Object.entries(errors);
  const fields = panelFields(edits['env.id'] ?? config.env.id);
  const read = (path: string) => edits[path] ?? textOf(config, path);
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
                      onChoose={(name) => chooseMethod(config, name)}
                    />
                  ) : null}
                  {own.map((field) => (
                    <Field
                      key={field.path}
                      field={field}
                      text={read(field.path)}
                      changed={edits[field.path] !== undefined}
                      before={textOf(config, field.path)}
                      error={errorOf(errors, field.path)}
                      inForce={inForce(field.path, read)}
                      onChange={(text) => edit(config, field.path, text)}
                    />
                  ))}
                  {id === 'horizon' ? <HorizonPreview config={next ?? config} /> : null}
                </Accordion.Panel>
              </Accordion.Item>
            );
          })}
        </Accordion>
        <div className="settings-foot">
          <p
            role="status"
            className={wrong.length > 0 ? 'settings-status wrong' : 'settings-status'}
          >
            {wrong.length > 0
              ? wrong.map(([path, message]) => `${titleOf(fields, path)} ${message}`).join('. ')
              : changed === 0
                ? 'These are the settings of the present run.'
                : withoutGpu
                  ? 'Without WebGPU nothing trains; the maze takes on the new environment.'
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

function titleOf(fields: readonly ConfigField[], path: string): string {
  return (
    fields.find((field) => path === field.path || path.startsWith(`${field.path}.`))?.title ?? path
  );
}

interface FieldProps {
  readonly field: ConfigField;
  readonly text: string;
  readonly changed: boolean;
  /** The value of the present run. */
  readonly before: string;
  readonly error: string | undefined;
  readonly inForce: boolean;
  readonly onChange: (text: string) => void;
}

function Field({ field, text, changed, before, error, inForce, onChange }: FieldProps) {
  const id = useId();
  const help = `${field.description} Allowed: ${allowed(field)}.`;
  return (
    <div className={changed ? 'field field-changed' : 'field'} data-path={field.path}>
      <div className="field-label">
        <label htmlFor={id}>{field.title}</label>
        {inForce ? null : <span className="idle">not in force</span>}
        <Tooltip label={help} multiline w={300} events={{ hover: true, focus: true, touch: true }}>
          <ActionIcon
            variant="transparent"
            color="gray"
            size="sm"
            aria-label={`About ${field.title}: ${help}`}
          >
            <IconHelpCircle size={15} />
          </ActionIcon>
        </Tooltip>
        {changed ? (
          <button
            type="button"
            className="undo"
            onClick={() => onChange(before)}
            aria-label={`Put ${field.title} back to ${before}`}
          >
            <IconArrowBackUp size={13} aria-hidden /> {before}
          </button>
        ) : null}
      </div>
      <Control field={field} id={id} text={text} error={error} onChange={onChange} />
    </div>
  );
}

type ControlProps = Pick<FieldProps, 'field' | 'text' | 'error' | 'onChange'> & {
  readonly id: string;
};

/** Ranges up to this many steps can be set with a slider. */
const SLIDER_STEPS = 300;

function Control({ field, id, text, error, onChange }: ControlProps) {
  const { type, min, max, step = 1, unit, title } = field;
  switch (type) {
    case 'boolean':
      return (
        <Switch
          id={id}
          checked={text === 'true'}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
          label={text === 'true' ? 'on' : 'off'}
        />
      );
    case 'choice':
      return (
        <Select
          id={id}
          value={text}
          data={(field.choices ?? []).map((value) => ({ value, label: labelOf(value) }))}
          onChange={(value) => {
            if (value !== null) onChange(value);
          }}
          allowDeselect={false}
          error={error}
          disabled={(field.choices ?? []).length < 2}
          comboboxProps={{ withinPortal: true }}
        />
      );
    case 'integer':
    case 'number': {
      const number = Number(text);
      const slides =
        min !== undefined &&
        max !== undefined &&
        field.scale === undefined &&
        (max - min) / step <= SLIDER_STEPS;
      return (
        <div className="number">
          {slides ? (
            <Slider
              size="sm"
              min={min}
              max={max}
              step={step}
              value={Number.isFinite(number) ? Math.min(max, Math.max(min, number)) : min}
              label={null}
              onChange={(value) => onChange(String(Number(value.toFixed(6))))}
              thumbLabel={title}
            />
          ) : null}
          <NumberInput
            id={id}
            value={text}
            onChange={(value) => onChange(String(value))}
            step={step}
            allowDecimal={type === 'number'}
            clampBehavior="none"
            error={error}
            {...(unit === undefined ? {} : { suffix: ` ${unit}` })}
          />
        </div>
      );
    }
    case 'integers':
    case 'text':
    case 'options':
    case 'mixture':
      return (
        <TextInput
          id={id}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={error}
          inputMode={type === 'integers' ? 'numeric' : 'text'}
          spellCheck={false}
          {...(type === 'integers' ? { description: 'Numbers with commas between them' } : {})}
        />
      );
    default:
      return type satisfies never;
  }
}

/** Names of choices as papers write them. */
const choiceLabels: Readonly<Record<string, string>> = {
  fixed: 'Fixed',
  scaling_inter: 'ScalingInter (grows in phases)',
  gae: 'GAE (value head)',
  grpo: 'GRPO',
  dr_grpo: 'Dr. GRPO',
  rloo: 'RLOO',
  reinforce_plus_plus: 'REINFORCE++',
  remax: 'ReMax',
  ppo_clip: 'PPO clip',
  bapo: 'BAPO',
  gspo: 'GSPO',
  cispo: 'CISPO',
  clip_cov: 'Clip-Cov',
  kl_cov: 'KL-Cov',
  behaviour: 'Behaviour policy',
  proximal: 'Proximal policy',
  loss: 'In the loss',
  reward: 'In the reward',
  token_mean: 'Token mean',
  seq_mean_token_mean: 'Mean of episode means',
  seq_mean_token_sum_norm: 'Episode sums over a constant',
  value_share: 'Value share (paper)',
  pn_ratio: 'Positive over negative (code)',
  active_gradient_share: 'Share of active gradients',
  high_first: 'Upper bound first (paper)',
  low_first: 'Lower bound first (code)',
  constant: 'Constant',
  linear: 'Linear',
  cosine: 'Cosine',
};

function labelOf(choice: string): string {
  const family = environmentFamilies.find(({ id }) => id === choice);
  return family?.title ?? choiceLabels[choice] ?? choice;
}
