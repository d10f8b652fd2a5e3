import { useState } from 'react';
import type { EmbeddingReading, NetworkReading } from '../../../runs/network-reading.ts';
import { fineShare, percent } from '../../../runs/numbers.ts';
import { isOver, useLab } from '../../shell/lab/store.ts';
import { Arcs } from './arcs.tsx';
import { useNetwork } from './store.ts';
import { MovedTable, RankedTable } from './tables.tsx';

/** The most likely next words after each layer. */
export function Lens({ reading: { pass, changed } }: { readonly reading: NetworkReading }) {
  const { lens } = changed ?? pass;
  const most = lens[0]?.length ?? 0;
  return (
    <div className="net-scroll">
      <table className="net-table net-lens" data-testid="net-lens">
        <caption>
          Logit lens: the next word if the network stopped after a layer, through the final norm and
          the output matrix
        </caption>
        <thead>
          <tr>
            <th scope="col">Rank</th>
            {lens.map((_, layer) => (
              <th key={layer} scope="col">
                {layer === 0
                  ? 'Embedding'
                  : layer === lens.length - 1
                    ? `Layer ${layer}: output`
                    : `Layer ${layer}`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: most }, (_, rank) => (
            <tr key={rank}>
              <th scope="row">{rank + 1}</th>
              {lens.map((words, layer) => {
                const { text = '', probability = 0 } = words[rank] ?? {};
                return (
                  <td key={layer} className="net-cell">
                    <span
                      className="net-fill"
                      aria-hidden
                      style={{ width: `${100 * probability}%` }}
                    />
                    <span translate="no">{text}</span> <small>{fineShare(probability)}</small>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the last update changed. */
export function Update({ reading }: { readonly reading: NetworkReading }) {
  const { update, pass, heads, hidden, iteration } = reading;
  const [selected, setSelected] = useState<number | null>(null);
  const isNewest = useNetwork((network) => network.opened === null && network.iteration === null);
  const over = useLab(isOver);
  const last = pass.tokens.length - 1;
  if (update === null) {
    return (
      <p>
        {isNewest && !over
          ? 'No earlier weights are kept. Wait for the next iteration.'
          : 'No earlier weights are kept.'}
      </p>
    );
  }
  const { since, words, positions } = update;
  const most = Math.max(...positions, 1e-12);
  const query = Math.min(selected ?? last, last);
  return (
    <>
      <p className="net-note">
        From iteration {since} to {iteration}. Bars below the sentence: how much the prediction
        after each token changed.
      </p>
      <Arcs
        {...{ pass, heads, head: null, query, selected: query }}
        swapped={new Set()}
        marks={positions.map((distance) => distance / most)}
        markText={(i) => `changed by ${fineShare(positions[i] ?? 0)}`}
        onSelect={setSelected}
      />
      <div className="net-columns" data-testid="net-update">
        <MovedTable
          caption="Words whose probability changed most after the last token"
          what="Word"
          before={`Iteration ${since}`}
          after={`Iteration ${iteration}`}
          rows={words}
        />
        <RankedTable
          caption="Positions whose prediction changed most"
          what="After token"
          measure="Total variation"
          values={positions}
          format={fineShare}
          most={8}
          tokens={pass.tokens}
          hidden={hidden}
        />
      </div>
    </>
  );
}

const SIZE = 360;
const MARGIN = 26;

const shortened = (text: string) => (text.length > 18 ? `${text.slice(0, 17)}…` : text);

/** The texts whose labels overlap no earlier label. */
function withoutOverlap(
  texts: readonly { readonly text: string; readonly left: number; readonly top: number }[],
): ReadonlySet<string> {
  const placed: { readonly text: string; readonly x: number; readonly y: number }[] = [];
  const widthOf = (text: string) => 12 + 6 * shortened(text).length;
  for (const { text, left, top } of texts) {
    const x = left > 0.75 * SIZE ? left - widthOf(text) : left;
    const covers = placed.some(
      (other) =>
        Math.abs(other.y - top) < 11 &&
        x < other.x + widthOf(other.text) &&
        other.x < x + widthOf(text),
    );
    if (!covers) placed.push({ text, x, y: top });
  }
  return new Set(placed.map(({ text }) => text));
}

interface EmbeddingsProps {
  readonly embeddings: EmbeddingReading;
  readonly reading: NetworkReading | null;
}

/** Token embeddings projected onto two axes, with labels for the actions and the words of the sentence. */
export function Embeddings({ embeddings, reading }: EmbeddingsProps) {
  const named = useNetwork((network) => network.named);
  const { words, explained, extent, iteration } = embeddings;
  const read = new Set(reading?.pass.tokens ?? []);
  const actions = new Set(named?.actions ?? []);
  const place = (value: number) =>
    SIZE / 2 + (value / Math.max(extent, 1e-12)) * (SIZE / 2 - MARGIN);
  const classOf = (text: string) =>
    actions.has(text) ? 'net-dot net-action' : read.has(text) ? 'net-dot net-read' : 'net-dot';
  const important = words.filter(({ text }) => actions.has(text) || read.has(text));
  const labeled = withoutOverlap(
    important
      .map(({ text, x, y }) => ({ text, left: place(x), top: place(-y) }))
      .sort((a, b) => Number(actions.has(b.text)) - Number(actions.has(a.text))),
  );
  return (
    <div className="net-columns" data-testid="net-embeddings">
      <figure className="net-plane">
        <svg
          viewBox={`0 0 ${SIZE} ${SIZE}`}
          role="img"
          aria-label={`Embeddings of ${words.length} words after iteration ${iteration} projected onto two principal axes. The table lists the words of this sentence and the actions.`}
        >
          <path className="net-axes" d={`M${SIZE / 2},4V${SIZE - 4}M4,${SIZE / 2}H${SIZE - 4}`} />
          {words.map(({ text, x, y }) => (
            <g
              key={text}
              className={classOf(text)}
              style={{ transform: `translate(${place(x)}px, ${place(-y)}px)` }}
            >
              <title translate="no">{text}</title>
              <circle r={actions.has(text) ? 5 : read.has(text) ? 4 : 2.5} />
              {labeled.has(text) ? (
                <text
                  x={place(x) > 0.75 * SIZE ? -7 : 7}
                  y={4}
                  textAnchor={place(x) > 0.75 * SIZE ? 'end' : 'start'}
                >
                  {shortened(text)}
                </text>
              ) : null}
            </g>
          ))}
        </svg>
        <figcaption>
          Principal axes of the newest embeddings: {percent(explained[0])} and{' '}
          {percent(explained[1])} of the variance. They are the same for all iterations. Ochre:
          actions; blue: words of the sentence.
        </figcaption>
      </figure>
      <table className="net-table">
        <caption>Coordinates after iteration {iteration}</caption>
        <thead>
          <tr>
            <th scope="col">Word</th>
            <th scope="col">Axis 1</th>
            <th scope="col">Axis 2</th>
          </tr>
        </thead>
        <tbody>
          {important.map(({ text, x, y }) => (
            <tr key={text}>
              <th scope="row" translate="no">
                {text}
              </th>
              <td>{x.toFixed(2)}</td>
              <td>{y.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
