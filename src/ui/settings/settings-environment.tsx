import { Select } from '@mantine/core';
import { presetConfig, presets } from '../../config/presets.ts';
import { familyOf, offeredFamilies } from '../../envs/registry.ts';
import { grouped, groupName } from '../environments/families.ts';
import { startPreset } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { discardEdits, openSettings } from './store-settings.ts';

interface EnvironmentSelectProps {
  readonly id?: string;
  /** Id of the chosen family; null where none is chosen. */
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  /** Ids that are not offered. */
  readonly without?: readonly string[];
  readonly placeholder?: string;
}

/** Chooses among the registered environments, by family, each with what it is about. */
export function EnvironmentSelect({
  id,
  value,
  onChange,
  without = [],
  placeholder,
}: EnvironmentSelectProps) {
  // One that is superseded is shown only where it is chosen already.
  const chosen = value === null ? undefined : familyOf(value);
  const all = chosen?.supersededBy === undefined ? offeredFamilies : [...offeredFamilies, chosen];
  const offered = all.filter((family) => !without.includes(family.id));
  const groups = grouped(offered, (family) => groupName(family.id));
  const explanation = chosen?.explanation;
  return (
    <>
      <Select
        {...(id === undefined ? {} : { id })}
        {...(placeholder === undefined ? {} : { placeholder, 'aria-label': placeholder })}
        value={value}
        data={groups.map(({ group, items }) => ({
          group,
          items: items.map((family) => ({ value: family.id, label: family.title })),
        }))}
        onChange={(chosen) => {
          if (chosen !== null) onChange(chosen);
        }}
        allowDeselect={false}
        disabled={offered.length === 0}
        maxDropdownHeight={420}
        comboboxProps={{ withinPortal: true }}
        renderOption={({ option }) => (
          <span className="method-option">
            <b>{option.label}</b>
            <span className="environment-about">{familyOf(option.value)?.explanation}</span>
          </span>
        )}
      />
      {explanation === undefined ? null : <p className="method-about">{explanation}</p>}
      {value === null ? null : <FittingPreset id={value} />}
    </>
  );
}

const presetEnvironments = presets.map(({ name }) => ({ name, env: presetConfig(name).env }));

/** Whether a preset acts in one environment alone, and which. */
function actsIn(name: string, id: string): boolean {
  const env = presetEnvironments.find((preset) => preset.name === name)?.env;
  return env !== undefined && env.mixture.length === 0 && env.id === id;
}

/** The way to settings that suit an environment: those of another one seldom do. */
function FittingPreset({ id }: { readonly id: string }) {
  const present = useLab((lab) => lab.preset);
  const fitting = presets.find(({ name }) => actsIn(name, id));
  if (fitting === undefined || actsIn(present, id)) return null;
  const { name, title } = fitting;
  return (
    <p className="method-about" data-testid="fitting-preset">
      All other settings stay those of the present run. The preset “{title}” has settings that suit
      this environment.{' '}
      <button
        type="button"
        className="fold"
        onClick={() => {
          discardEdits();
          openSettings(false);
          startPreset(name);
        }}
      >
        Start this preset
      </button>
    </p>
  );
}
