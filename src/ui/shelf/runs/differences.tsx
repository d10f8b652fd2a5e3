import type { Config, ConfigValue } from '../../../config/schema.ts';
import { asText } from '../../../config/text.ts';
import type { RunEntry } from '../../../runs/record.ts';
import { differences } from './list.ts';

type MixturePart = Config['env']['mixture'][number];

/** Table of settings that differ between runs. */
export function Differences({ runs }: { readonly runs: readonly RunEntry[] }) {
  const rows = differences(runs);
  if (rows.length === 0) {
    return <p className="runs-same">These runs have the same settings and the same seed.</p>;
  }
  return (
    <section
      className="runs-scroll"
      aria-label="Settings that differ"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard.
      tabIndex={0}
      data-testid="runs-differences"
    >
      <table className="runs-table">
        <caption>Settings that differ</caption>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            {runs.map(({ id, name }) => (
              <th scope="col" key={id}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, title, values }) => (
            <tr key={path}>
              <th scope="row" title={path}>
                {title}
              </th>
              {values.map((value, i) => (
                <td key={runs[i]?.id}>{inWords(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A part of a mixture, with its share, weight and options. */
function ofMixture({ id, options, share, imitation_weight }: MixturePart): string {
  const details = [
    `share ${share}`,
    ...(imitation_weight === 1 ? [] : [`imitation weight ${imitation_weight}`]),
    ...Object.entries(options).map(([name, option]) => `${name} ${option}`),
  ];
  return `${id} (${details.join(', ')})`;
}

/** A setting as text. */
function inWords(value: ConfigValue): string {
  if (Array.isArray(value)) {
    return (
      value.map((part) => (typeof part === 'object' ? ofMixture(part) : String(part))).join(', ') ||
      '–'
    );
  }
  if (typeof value !== 'object') return asText(value) || '–';
  const parts = Object.entries(value).map(([name, option]) => `${name} ${String(option)}`);
  return parts.join(', ') || '–';
}
