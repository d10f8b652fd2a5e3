import { SegmentedControl, Select } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useMemo } from 'react';
import { methodDifferences } from '../../config/method-differences.ts';
import {
  isInForm,
  type Method,
  type MethodForm,
  matchMethod,
  methods,
} from '../../config/methods.ts';
import type { Config } from '../../config/schema.ts';

/** What a mixture that no paper names is called. */
const CUSTOM = 'custom';

const formTitles = [
  { value: 'adapted', label: 'Adapted to small agents' },
  { value: 'published', label: 'As published' },
] as const satisfies readonly { value: MethodForm; label: string }[];

interface MethodChooserProps {
  /** The config with all edits. */
  readonly config: Config;
  /** What the preset has. */
  readonly preset: Config;
  readonly onChoose: (name: string, form: MethodForm) => void;
}

/** Published algorithms by name; choosing one fills in the fields that make it up. */
export function MethodChooser({ config, preset, onChoose }: MethodChooserProps) {
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
          if (name !== null && name !== CUSTOM) onChoose(name, 'adapted');
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
        <Chosen method={chosen} config={config} preset={preset} onChoose={onChoose} />
      )}
    </div>
  );
}

/** The chosen method: which of its settings are its paper's, and which are not and why. */
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
          size="xs"
          fullWidth
          data={[...formTitles]}
          // Neither, where single settings were changed.
          value={form ?? ''}
          onChange={(value) =>
            onChoose(method.name, value === 'published' ? 'published' : 'adapted')
          }
        />
      ) : null}
      {differences.length === 0 ? (
        <p className="method-about">The settings of the method are those of its paper.</p>
      ) : (
        <details className="method-differences">
          <summary>
            {differences.length === 1
              ? 'One setting is not the paper’s'
              : `${differences.length} settings are not the paper’s`}
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
