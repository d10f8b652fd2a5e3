import {
  ActionIcon,
  Button,
  NumberInput,
  Select,
  Slider,
  Switch,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { IconArrowBackUp, IconFileText, IconHelpCircle } from '@tabler/icons-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { advantageNames, estimators } from '../../../algorithms/advantages.ts';
import { surrogates, surrogateTraits } from '../../../algorithms/surrogates.ts';
import { allowed } from '../../../config/fields.ts';
import type { PanelField } from '../../../config/panel-fields.ts';
import { titleOf } from '../../../envs/registry.ts';
import { FileInput } from '../files/file-input.tsx';
import { EnvironmentSelect } from './settings-environment.tsx';

interface FieldProps {
  readonly field: PanelField;
  readonly text: string;
  readonly changed: boolean;
  /** The current run's value. */
  readonly before: string;
  /** Validation error. */
  readonly error: string | undefined;
  readonly inForce: boolean;
  readonly onChange: (text: string) => void;
  /** Replaces the default control of the field's type. */
  readonly children?: ReactNode;
}

/** A setting: name, help, control, and a button that restores the current run's value. */
export function Field(props: FieldProps) {
  const { field, text, changed, before, error, inForce, onChange, children } = props;
  const id = useId();
  const help =
    field.option?.type === 'text'
      ? field.description
      : `${field.description} Allowed: ${allowed(field)}.`;
  const old = shortly(field, before);
  return (
    <div className={changed ? 'field field-changed' : 'field'} data-path={field.path}>
      <div className="field-label">
        <label htmlFor={id}>{field.title}</label>
        {inForce ? null : <span className="idle">no effect</span>}
        {field.zero !== undefined && Number(text) === 0 ? (
          <span className="idle">0: {field.zero}</span>
        ) : null}
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
            aria-label={`Reset ${field.title} to ${old}`}
          >
            <IconArrowBackUp size={13} aria-hidden /> {old}
          </button>
        ) : null}
      </div>
      {children ?? <Control field={field} id={id} text={text} error={error} onChange={onChange} />}
    </div>
  );
}

/** A value as button text. */
function shortly(field: PanelField, text: string): string {
  if (field.type === 'mixture') return text === '[]' ? 'one environment' : 'the previous mixture';
  if (text === '') return 'empty';
  const label = field.type === 'choice' ? labelOf(field, text) : text;
  return label.length > 24 ? `${label.slice(0, 23)}…` : label;
}

type ControlProps = Pick<FieldProps, 'field' | 'text' | 'error' | 'onChange'> & {
  readonly id: string;
};

function Control({ field, id, text, error, onChange }: ControlProps) {
  const { type } = field;
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
      if (field.path === 'env.id') {
        return <EnvironmentSelect id={id} value={text} onChange={onChange} />;
      }
      return (
        <Select
          size="sm"
          id={id}
          value={text}
          data={(field.choices ?? []).map((value) => ({ value, label: labelOf(field, value) }))}
          onChange={(value) => {
            if (value !== null) onChange(value);
          }}
          error={error}
          disabled={(field.choices ?? []).length < 2}
          comboboxProps={{ withinPortal: true }}
        />
      );
    case 'integer':
    case 'number':
      return <NumberControl field={field} id={id} text={text} error={error} onChange={onChange} />;
    case 'integers':
    case 'text':
    case 'options':
    case 'mixture':
      if (field.option?.type === 'text') {
        return <TextControl field={field} id={id} text={text} error={error} onChange={onChange} />;
      }
      return (
        <TextInput
          id={id}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={error}
          inputMode={type === 'integers' ? 'numeric' : 'text'}
          spellCheck={false}
          {...(type === 'integers' ? { description: 'Numbers separated by commas' } : {})}
        />
      );
    default:
      return type satisfies never;
  }
}

/** Without exponent: the number input would read 1e-8 as 18. */
function plainNumber(text: string): string {
  const number = Number(text);
  return /e/i.test(text) && Number.isFinite(number)
    ? number.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 })
    : text;
}

/** Ranges with at most this many steps get a slider. */
const SLIDER_STEPS = 300;

function NumberControl({ field, id, text, error, onChange }: ControlProps) {
  const { min, max, step = 1, unit } = field;
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
          min={min}
          max={max}
          step={step}
          value={Number.isFinite(number) ? Math.min(max, Math.max(min, number)) : min}
          label={null}
          onChange={(value) => onChange(String(Number(value.toFixed(6))))}
          thumbLabel={field.title}
        />
      ) : null}
      <NumberInput
        size="sm"
        id={id}
        value={plainNumber(text)}
        onChange={(value) => onChange(String(value))}
        step={step}
        allowDecimal={field.type === 'number'}
        clampBehavior="none"
        error={error}
        {...(unit === undefined
          ? {}
          : { suffix: ` ${number === 1 ? unit.replace(/s$/, '') : unit}` })}
      />
    </div>
  );
}

/** Largest file for a text field; the limits of options are much lower. */
const MOST_BYTES = 2_000_000;

/** A text, typed or loaded from a local file. */
function TextControl({ field, id, text, error, onChange }: ControlProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const load = async (file: File) => {
    if (file.size > MOST_BYTES) {
      setProblem(`${file.name} is larger than 2 MB. Choose a text file in the format described.`);
      return;
    }
    setProblem(null);
    onChange((await file.text()).trim());
  };
  return (
    <>
      <Textarea
        id={id}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        placeholder="Empty: the environment’s default"
        error={problem ?? error}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
      />
      <div className="row field-text">
        <FileInput
          ref={input}
          aria-label={`File for ${field.title}`}
          data-testid="option-file"
          onFiles={([file]) => void load(file)}
        />
        <Button
          size="compact-sm"
          leftSection={<IconFileText size={14} aria-hidden />}
          onClick={() => input.current?.click()}
        >
          Load a file
        </Button>
        {text === '' ? null : (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            onClick={() => {
              setProblem(null);
              onChange('');
            }}
          >
            Clear
          </Button>
        )}
        <span>{text === '' ? '' : `${text.length.toLocaleString('en-US')} characters`}</span>
      </div>
    </>
  );
}

/** Labels of choices, as in the papers. */
const choiceLabels: Readonly<Record<string, string>> = {
  fixed: 'Fixed',
  scaling_inter: 'ScalingInter (grows in phases)',
  bare: 'Action only',
  react: 'ReAct (thought, then action)',
  ...Object.fromEntries(advantageNames.map((name) => [name, estimators[name].label])),
  ...Object.fromEntries(surrogates.map((name) => [name, surrogateTraits[name].label])),
  behaviour: 'Behavior policy',
  proximal: 'Proximal policy',
  loss: 'In the loss',
  reward: 'In the reward',
  token_mean: 'Token mean',
  seq_mean_token_mean: 'Mean of episode means',
  seq_mean_token_sum_norm: 'Episode sums divided by a constant',
  value_share: 'Value share (paper)',
  pn_ratio: 'Positive-to-negative ratio (code)',
  active_gradient_share: 'Share of active gradients',
  high_first: 'Upper bound first (paper)',
  low_first: 'Lower bound first (code)',
  constant: 'Constant',
  linear: 'Linear',
  cosine: 'Cosine',
};

/** Choices of environment options are labeled by the environment. */
function labelOf({ path, option }: PanelField, choice: string): string {
  if (path === 'env.id') return titleOf(choice);
  return option === undefined ? (choiceLabels[choice] ?? choice) : choice;
}
