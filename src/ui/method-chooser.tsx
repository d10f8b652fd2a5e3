import { Select } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { Config } from '../runs/config.ts';
import { matchMethod, methods } from '../runs/methods.ts';

/** What a mixture that no paper names is called. */
const CUSTOM = 'custom';

interface MethodChooserProps {
  /** The config with all edits. */
  readonly config: Config;
  readonly onChoose: (name: string) => void;
}

/** Published algorithms by name; choosing one fills in the fields that make it up. */
export function MethodChooser({ config, onChoose }: MethodChooserProps) {
  const chosen = useMemo(() => matchMethod(config), [config]);
  const choices = methods.map(({ name, title }) => ({ value: name, label: title }));
  return (
    <div className="method" data-testid="method">
      <Select
        label="Method"
        value={chosen?.name ?? CUSTOM}
        data={
          chosen === null
            ? [{ value: CUSTOM, label: 'Custom', disabled: true }, ...choices]
            : choices
        }
        onChange={(name) => {
          if (name !== null && name !== CUSTOM) onChoose(name);
        }}
        allowDeselect={false}
        maxDropdownHeight={420}
        renderOption={({ option }) => {
          const description = methods.find(({ name }) => name === option.value)?.description;
          return (
            <span className="method-option">
              <b>{option.label}</b>
              {description === undefined ? null : <span>{description}</span>}
            </span>
          );
        }}
      />
      {chosen === null ? (
        <p className="method-about">
          A mixture of your own. Choose a method to set the fields that make it up.
        </p>
      ) : (
        <p className="method-about">
          {chosen.description}{' '}
          <a href={chosen.paper.url} target="_blank" rel="noreferrer">
            {chosen.paper.title}
            <IconExternalLink size={12} aria-label="(opens another page)" />
          </a>
        </p>
      )}
    </div>
  );
}
