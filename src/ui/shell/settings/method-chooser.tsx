import { SegmentedControl, Select } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useMemo } from 'react';
import { methodDifferences } from '../../../config/method-differences.ts';
import {
  isInForm,
  type Method,
  type MethodForm,
  matchMethod,
  methods,
} from '../../../config/methods.ts';
import type { Config } from '../../../config/schema.ts';

/** Label for settings that match no method. */
const CUSTOM = 'custom';

const formTitles = [
  { value: 'adapted', label: 'Adapted to small agents' },
  { value: 'published', label: 'As published' },
] as const satisfies readonly { value: MethodForm; label: string }[];

interface MethodChooserProps {
  /** Config with all edits. */
  readonly config: Config;
  /** The preset's config. */
  readonly preset: Config;
  readonly onChoose: (name: string, form: MethodForm) => void;
}

/** Selects a published algorithm, which sets its fields. */
export function MethodChooser({ config, preset, onChoose }: MethodChooserProps) {
  const chosen = useMemo(() => matchMethod(config), [config]);
  const choices = methods.map(({ name, title }) => ({ value: name, label: title }));
  return (
    <div className="method" data-testid="method">
      <Select
        size="sm"
        label="Method"
        value={chosen?.name ?? CUSTOM}
        data={
          chosen === null
            ? [{ value: CUSTOM, label: 'Custom', disabled: true }, ...choices]
            : choices
        }
        onChange={(name) => {
          if (name !== null && name !== CUSTOM) onChoose(name, 'adapted');
        }}
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
        <p className="method-about">Custom settings. Choose a method to set all of its fields.</p>
      ) : (
        <Chosen method={chosen} config={config} preset={preset} onChoose={onChoose} />
      )}
    </div>
  );
}

/** The selected method, and its differences from the paper. */
function Chosen({
  method,
  config,
  preset,
  onChoose,
}: MethodChooserProps & { readonly method: Method }) {
  const differences = methodDifferences(method, config, preset);
  const form = formTitles.find(({ value }) => isInForm(config, method, value))?.value;
  const adaptable = method.settings.some(({ adapted }) => adapted !== undefined);
  return (
    <>
      <p className="method-about">
        {method.description}{' '}
        <a href={method.paper.url} target="_blank" rel="noreferrer">
          {method.paper.title}
          <IconExternalLink size={12} aria-label="(opens another page)" />
        </a>
      </p>
      {adaptable || form === undefined ? (
        <SegmentedControl
          className="method-form"
          aria-label="Settings of the method"
          fullWidth
          data={[...formTitles]}
          // Nothing is selected if single settings were changed.
          value={form ?? ''}
          onChange={(value) =>
            onChoose(method.name, value === 'published' ? 'published' : 'adapted')
          }
        />
      ) : null}
      {differences.length === 0 ? (
        <p className="method-about">All settings of the method are as in its paper.</p>
      ) : (
        <details className="method-differences">
          <summary>
            {differences.length === 1
              ? '1 setting differs from the paper'
              : `${differences.length} settings differ from the paper`}
          </summary>
          <dl>
            {differences.map(({ path, title, here, published, source, why }) => (
              <div key={path}>
                <dt>{title}</dt>
                <dd>
                  <b>{here}</b> here, <b>{published}</b> published ({source}). {why}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {method.missing === undefined ? null : <p className="method-about">{method.missing}</p>}
    </>
  );
}
