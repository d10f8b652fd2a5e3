import { ActionIcon, SegmentedControl, Slider, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { optionFields, type PanelField } from '../../../config/panel-fields.ts';
import { familyOf, titleOf } from '../../../envs/registry.ts';
import { environmentColor } from '../environments/colors.ts';
import { useLab } from '../lab/store.ts';
import {
  firstMixture,
  type MixtureParts,
  percentages,
  shareOut,
  withImitationWeight,
  withOption,
  withPart,
} from './mixture-parts.ts';
import { EnvironmentSelect } from './settings-environment.tsx';
import { Field } from './settings-field.tsx';
import { draft, errorOf, useSettings } from './store-settings.ts';

interface MixtureEditorProps {
  /** The parts as JSON; `[]` for a single environment. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** One environment, or a mixture with options and shares. */
export function MixtureEditor({ text, onChange }: MixtureEditorProps) {
  const config = useLab((lab) => lab.config);
  const edits = useSettings((settings) => settings.edits);
  const { readable, errors } = draft(config, edits);
  const parts: MixtureParts = JSON.parse(text);
  const set = (next: MixtureParts) => onChange(JSON.stringify(next));
  const shares = percentages(parts.map(({ share }) => share));
  return (
    <div className="mixture" data-testid="mixture">
      <SegmentedControl
        fullWidth
        aria-label="One environment or several"
        value={parts.length === 0 ? 'one' : 'several'}
        onChange={(value) => set(value === 'one' ? [] : firstMixture(readable.env))}
        data={[
          { value: 'one', label: 'One environment' },
          { value: 'several', label: 'A mixture' },
        ]}
      />
      {parts.length === 0 ? null : (
        <>
          <div className="mixture-bar" aria-hidden>
            {parts.map(({ id }, i) => (
              <span key={id} style={{ flexGrow: shares[i], background: environmentColor(i) }} />
            ))}
          </div>
          {parts.map((part, i) => (
            <Part
              key={part.id}
              parts={parts}
              index={i}
              percentage={shares[i] ?? 0}
              errors={errors}
              imitates={readable.imitation.epochs > 0}
              onChange={set}
            />
          ))}
          <EnvironmentSelect
            value={null}
            placeholder="Add an environment"
            without={parts.map(({ id }) => id)}
            onChange={(id) => set(withPart(parts, { id, options: {} }))}
          />
        </>
      )}
    </div>
  );
}

function imitationWeight(at: string): PanelField {
  return {
    path: `${at}.imitation_weight`,
    section: 'env',
    title: 'Imitation weight',
    description:
      'Weight of the environment in the imitated dialogues, relative to its share of the tasks.',
    type: 'number',
    min: 0.01,
    max: 100,
    scale: 'log',
    default: 1,
  };
}

interface PartProps {
  readonly parts: MixtureParts;
  readonly index: number;
  readonly percentage: number;
  readonly errors: Readonly<Record<string, string>>;
  /** The run starts with imitation. */
  readonly imitates: boolean;
  readonly onChange: (parts: MixtureParts) => void;
}

function Part({ parts, index, percentage, errors, imitates, onChange }: PartProps) {
  const part = parts[index];
  const [open, setOpen] = useState(false);
  if (part === undefined) return null;
  const at = `env.mixture.${index}`;
  const title = titleOf(part.id);
  const fields = optionFields(part.id, at);
  const set = Object.keys(part.options).length;
  return (
    <section className="mixture-part" aria-label={title} data-part={part.id}>
      <header>
        <i style={{ background: environmentColor(index) }} aria-hidden />
        <b>{title}</b>
        <span className="mixture-share">{Math.round(percentage)}% of the tasks</span>
        <Tooltip label={`Remove ${title}`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Remove ${title}`}
            onClick={() => onChange(parts.filter((_, i) => i !== index))}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </Tooltip>
      </header>
      {parts.length < 2 ? null : (
        <Slider
          min={1}
          max={101 - parts.length}
          value={Math.round(percentage)}
          label={null}
          thumbLabel={`Share of ${title} in percent`}
          onChange={(value) => onChange(shareOut(parts, index, value))}
        />
      )}
      {parts.length < 2 || !imitates ? null : (
        <Field
          field={imitationWeight(at)}
          text={String(part.imitation_weight)}
          changed={part.imitation_weight !== 1}
          before="1"
          error={errorOf(errors, `${at}.imitation_weight`)}
          inForce
          onChange={(text) => onChange(withImitationWeight(parts, index, text))}
        />
      )}
      {fields.length === 0 ? null : (
        <details
          open={open || errorOf(errors, at) !== undefined}
          onToggle={(event) => setOpen(event.currentTarget.open)}
        >
          <summary>
            Options
            {set === 0 ? '' : `, ${set} not at ${set === 1 ? 'its default' : 'their defaults'}`}
          </summary>
          {fields.map((field) => {
            const name = field.path.slice(`${at}.options.`.length);
            const standard = String(familyOf(part.id)?.options[name]?.default ?? '');
            return (
              <Field
                key={name}
                field={field}
                text={String(part.options[name] ?? standard)}
                changed={part.options[name] !== undefined}
                before={standard}
                error={errorOf(errors, field.path)}
                inForce
                onChange={(text) => onChange(withOption(parts, index, name, text))}
              />
            );
          })}
        </details>
      )}
    </section>
  );
}
