import { SegmentedControl, Select } from '@mantine/core';
import { useMemo } from 'react';
import type { Outcome, RowFilter, RowKind, TrajectoryRow } from './list.ts';
import { kindNames, outcomeNames } from './table.tsx';

const ANY = 'any';

interface FiltersProps {
  readonly rows: readonly TrajectoryRow[];
  readonly filter: RowFilter;
  readonly onChange: (filter: RowFilter) => void;
}

/** Filters of the episode list. */
export function Filters({ rows, filter, onChange }: FiltersProps) {
  const environments = useMemo(
    () => [...new Set(rows.map(({ environmentId }) => environmentId))].sort(),
    [rows],
  );
  return (
    <>
      <SegmentedControl
        aria-label="Kind of episode"
        value={filter.kind ?? ANY}
        onChange={(value) => onChange({ ...filter, kind: oneOf(kindNames, value) })}
        data={[{ value: ANY, label: 'All' }, ...choices(kindNames)]}
      />
      <Select
        aria-label="Environment"
        value={filter.environmentId ?? ANY}
        onChange={(value) => onChange({ ...filter, environmentId: value === ANY ? null : value })}
        data={[
          { value: ANY, label: 'All environments' },
          ...environments.map((id) => ({ value: id, label: id })),
        ]}
      />
      <Select
        aria-label="Outcome"
        value={filter.outcome ?? ANY}
        onChange={(value) => onChange({ ...filter, outcome: oneOf(outcomeNames, value) })}
        data={[{ value: ANY, label: 'All outcomes' }, ...choices(outcomeNames)]}
      />
    </>
  );
}

type Names = Readonly<Record<RowKind, string>> | Readonly<Record<Outcome, string>>;

const choices = (names: Names) => Object.entries(names).map(([value, label]) => ({ value, label }));

/** The value if it is one of the names; otherwise null. */
function oneOf<Name extends string>(
  names: Readonly<Record<Name, string>>,
  value: string | null,
): Name | null {
  const known = Object.keys(names) as Name[];
  return known.find((name) => name === value) ?? null;
}
