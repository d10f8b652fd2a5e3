import { Select } from '@mantine/core';
import { environmentFamilies } from '../envs/registry.ts';
import { familyOf, grouped, groupName } from './families.ts';

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
  const offered = environmentFamilies.filter((family) => !without.includes(family.id));
  const groups = grouped(offered, (family) => groupName(family.id));
  const explanation = value === null ? undefined : familyOf(value)?.explanation;
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
    </>
  );
}
