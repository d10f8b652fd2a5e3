import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import type { Head, Moved, NetworkReading } from '../../../runs/network-reading.ts';
import { percent } from '../../../runs/numbers.ts';
import { useLab } from '../../shell/lab/store.ts';
import { Arcs, weightsOf } from './arcs.tsx';
import { change, isSame, swap, toggleHead, useNetwork } from './store.ts';
import { MovedTable, RankedTable } from './tables.tsx';

const nameOf = ({ layer, head }: Head) => `Layer ${layer + 1}, head ${head + 1}`;

/** Attention of one head, and the effect of switching heads off or replacing words. */
export function Attention({ reading }: { readonly reading: NetworkReading }) {
  const head = useNetwork((network) => network.head);
  const off = useNetwork((network) => network.off);
  const swaps = useNetwork((network) => network.swaps);
  const token = useNetwork((network) => network.token);
  const { heads, hidden, pass, changed, vocabulary } = reading;
  const shown = changed ?? pass;
  const last = shown.tokens.length - 1;
  const [pointed, setPointed] = useState<number | null>(null);
  const selected = Math.min(token ?? last, last);
  const query = Math.min(pointed ?? selected, last);
  const weights = weightsOf(shown, heads, head, query);
  const isOff = off.some((one) => isSame(one, head));
  const swapped = new Set(swaps.map(({ position }) => position - hidden));
  return (
    <>
      <HeadGrid reading={reading} />
      <Arcs
        {...{ pass: shown, heads, head, query, selected, swapped }}
        onSelect={(chosen) => useNetwork.setState({ token: chosen })}
        onPoint={setPointed}
      />
      <div className="net-columns">
        <RankedTable
          testId="net-reads"
          caption={`${nameOf(head)}: what “${shown.tokens[query]}” reads`}
          what="Token"
          measure="Attention"
          values={weights}
          format={percent}
          most={5}
          tokens={shown.tokens}
          hidden={hidden}
        />
        <div className="net-change">
          <Button
            variant={isOff ? 'filled' : 'default'}
            aria-pressed={isOff}
            onClick={() => toggleHead(head)}
          >
            {isOff ? 'Switch this head on' : 'Switch this head off'}
          </Button>
          <Select
            allowDeselect
            label={`Replace “${pass.tokens[selected]}” with`}
            placeholder="another word"
            searchable
            clearable
            limit={40}
            disabled={vocabulary.length === 0}
            data={[...vocabulary]}
            value={swaps.find(({ position }) => position === hidden + selected)?.text ?? null}
            onChange={(text) => swap(hidden + selected, text)}
          />
          <Button
            disabled={off.length === 0 && swaps.length === 0}
            onClick={() => change({ off: [], swaps: [] })}
          >
            Undo all changes
          </Button>
        </div>
        <Effect reading={reading} />
      </div>
    </>
  );
}

/** All heads by layer; those that are off are crossed out. */
function HeadGrid({ reading: { layers, heads } }: { readonly reading: NetworkReading }) {
  const chosen = useNetwork((network) => network.head);
  const off = useNetwork((network) => network.off);
  return (
    <div className="net-heads">
      {Array.from({ length: layers }, (_, layer) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex row everywhere
        <div key={layer} role="group" aria-label={`Heads of layer ${layer + 1}`}>
          <span aria-hidden>Layer {layer + 1}</span>
          {Array.from({ length: heads }, (_, head) => {
            const one = { layer, head };
            const isOff = off.some((other) => isSame(other, one));
            return (
              <button
                key={head}
                type="button"
                aria-pressed={isSame(chosen, one)}
                aria-label={`${nameOf(one)}${isOff ? ', off' : ''}`}
                className={isOff ? 'net-head net-off' : 'net-head'}
                onClick={() => useNetwork.setState({ head: one })}
              >
                {head + 1}
              </button>
            );
          })}
        </div>
      ))}
    </div>
  );
}

/** Probabilities of actions or words with and without the changes. */
function Effect({ reading }: { readonly reading: NetworkReading }) {
  const named = useNetwork((network) => network.named);
  const running = useLab(({ status }) => status === 'running');
  const follows = useNetwork(({ opened, iteration }) => opened === null && iteration === null);
  const { pass, changed, words } = reading;
  const { actions } = pass;
  const asActions = actions !== null && (named?.actions.length ?? 0) === actions.length;
  const rows: readonly Moved[] =
    asActions && actions.length > 0
      ? (named?.actions ?? []).map((text, i) => ({
          text,
          before: actions[i] ?? 0,
          after: changed?.actions?.[i] ?? actions[i] ?? 0,
        }))
      : words;
  return (
    <div data-testid="net-effect">
      <MovedTable
        caption={rows === words ? 'Most likely next words' : 'Probability of each action'}
        what={rows === words ? 'Word' : 'Action'}
        before={changed === null ? 'Probability' : 'Unchanged'}
        after={changed === null ? null : 'Changed'}
        rows={rows}
      />
      {/* Training changes the numbers several times a second. */}
      <p
        className="visually-hidden"
        role="status"
        aria-live={running && follows ? 'off' : 'polite'}
      >
        {changed === null
          ? ''
          : rows
              .map(({ text, before, after }) => `${text}: ${percent(before)} to ${percent(after)}`)
              .join(', ')}
      </p>
    </div>
  );
}
