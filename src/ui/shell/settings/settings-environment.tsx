import { Select } from '@mantine/core';
import { presetConfig, presets } from '../../../config/presets.ts';
import { familyCard, offeredFamilies } from '../../../envs/registry.ts';
import { grouped, groupName } from '../environments/families.ts';
import { startPreset } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { closePanel } from '../page/panels.ts';
import { discardEdits } from './store-settings.ts';

interface EnvironmentSelectProps {
  readonly id?: string;
  /** Id of the selected family, or null. */
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  /** Ids to leave out. */
  readonly without?: readonly string[];
  readonly placeholder?: string;
}

/** Selects an environment, grouped by family, with descriptions. */
export function EnvironmentSelect({
  id,
  value,
  onChange,
  without = [],
  placeholder,
}: EnvironmentSelectProps) {
  // A superseded version and a server are listed only if they are selected.
  const chosen = value === null ? undefined : familyCard(value);
  const listed = offeredFamilies.some((family) => family.id === value);
  const all = chosen === undefined || listed ? offeredFamilies : [...offeredFamilies, chosen];
  const offered = all.filter((family) => !without.includes(family.id));
  const groups = grouped(offered, (family) => groupName(family.id));
  const explanation = chosen?.explanation;
  return (
    <>
      <Select
        size="sm"
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
        disabled={offered.length === 0}
        maxDropdownHeight={420}
        comboboxProps={{ withinPortal: true }}
        renderOption={({ option }) => (
          <span className="method-option">
            <b>{option.label}</b>
            <span className="environment-about">{familyCard(option.value)?.explanation}</span>
          </span>
        )}
      />
      {explanation === undefined ? null : <p className="method-about">{explanation}</p>}
      {value === null ? null : <FittingPreset id={value} />}
    </>
  );
}

const presetEnvironments = presets.map(({ name }) => ({ name, env: presetConfig(name).env }));

/** Whether a preset trains in this environment alone. */
function actsIn(name: string, id: string): boolean {
  const env = presetEnvironments.find((preset) => preset.name === name)?.env;
  return env !== undefined && env.mixture.length === 0 && env.id === id;
}

/** Offers the preset of a newly selected environment. */
function FittingPreset({ id }: { readonly id: string }) {
  const present = useLab((lab) => lab.preset);
  const fitting = presets.find(({ name }) => actsIn(name, id));
  if (fitting === undefined || actsIn(present, id)) return null;
  const { name, title } = fitting;
  return (
    <p className="method-about" data-testid="fitting-preset">
      All other settings stay as in the current run. The preset “{title}” has settings for this
      environment.{' '}
      <button
        type="button"
        className="fold"
        onClick={() => {
          discardEdits();
          closePanel('settings');
          startPreset(name);
        }}
      >
        Start this preset
      </button>
    </p>
  );
}
