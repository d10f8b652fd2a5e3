import { Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { KeptConversation } from '../../../runs/conversation.ts';
import { pageOf } from '../../shell/page/page-of.ts';
import { Pages } from '../../shell/page/pages.tsx';
import { signed } from '../inspector/measures.ts';
import { flips, type Seen, type VerdictTruth, verdictTruths } from './reading.ts';
import { type ConversationFilter, useConversations } from './store.ts';
import { flipNames, verdictNames } from './words.ts';

/** A conversation in the list. */
export interface Entry {
  readonly said: KeptConversation;
  readonly seen: Seen;
}

export function listed(
  entries: readonly Entry[],
  { iteration, level, flip, verdict }: ConversationFilter,
): readonly Entry[] {
  return entries.filter(
    ({ said, seen }) =>
      (iteration === null || said.iteration === iteration) &&
      (level === null || seen.level === level) &&
      (flip === null || seen.flip === flip) &&
      (verdict === null || seen.verdict === verdict),
  );
}

const ANY = 'any';

/** Filters by one kind, or shows all. */
export function Choice({
  label,
  all,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  /** Label of the unfiltered choice. */
  readonly all: string;
  readonly value: string | number | null;
  readonly options: readonly (readonly [value: string | number, title: string])[];
  readonly onChange: (value: string | null) => void;
}) {
  return (
    <Select
      aria-label={label}
      value={value === null ? ANY : String(value)}
      onChange={(chosen) => onChange(chosen === ANY ? null : chosen)}
      data={[
        { value: ANY, label: all },
        ...options.map(([option, title]) => ({ value: String(option), label: title })),
      ]}
    />
  );
}

const number = (value: string | null): number | null => (value === null ? null : Number(value));

export function Filters({
  entries,
  levels,
}: {
  readonly entries: readonly Entry[];
  readonly levels: number;
}) {
  const filter = useConversations((state) => state.filter);
  const set = (change: Partial<ConversationFilter>) =>
    useConversations.setState({ filter: { ...filter, ...change }, chosen: null });
  const iterations = [...new Set(entries.map(({ said }) => said.iteration))];
  return (
    <div className="row">
      <Choice
        label="Iteration"
        all="All iterations"
        value={filter.iteration}
        options={iterations.map((n) => [n, `Iteration ${n}`])}
        onChange={(value) => set({ iteration: number(value) })}
      />
      <Choice
        label="Change in the answer"
        all="All outcomes"
        value={filter.flip}
        options={flips.map((flip) => [flip, flipNames[flip]])}
        onChange={(value) => set({ flip: flips.find((flip) => flip === value) ?? null })}
      />
      <Choice
        label="The critic’s verdict"
        all="All verdicts"
        value={filter.verdict}
        options={verdictTruths.map((truth) => [truth, verdictNames[truth]])}
        onChange={(value) => set({ verdict: verdictTruths.find((one) => one === value) ?? null })}
      />
      <Choice
        label="Level"
        all="All levels"
        value={filter.level}
        options={Array.from({ length: levels }, (_, i) => [i + 1, `Level ${i + 1}`] as const)}
        onChange={(value) => set({ level: number(value) })}
      />
    </div>
  );
}

const verdictWords: Readonly<Record<VerdictTruth, string>> = {
  true: verdictNames.true,
  false: verdictNames.false,
  malformed: 'unreadable',
  none: '–',
};

/** The conversations, page by page. */
export function List({
  entries,
  chosen,
  empty,
}: {
  readonly entries: readonly Entry[];
  readonly chosen: number | null;
  readonly empty: ReactNode;
}) {
  const [wished, setWished] = useState(0);
  const { page, pages, rows } = pageOf(entries, wished);
  if (entries.length === 0) return <p className="conv-none">{empty}</p>;
  // If the critic is not trained, no critique has an advantage.
  const learns = entries.some(({ said }) => said.learned !== null);
  return (
    <div className="conv-list">
      <div className="table-scroll">
        <table className="data-table" aria-label="Conversations">
          <thead>
            <tr>
              <th scope="col" className="amount">
                Iteration
              </th>
              <th scope="col" className="amount">
                Level
              </th>
              <th scope="col">The answer</th>
              <th scope="col">Verdict</th>
              {learns ? (
                <th scope="col" className="amount">
                  Advantage
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ said, seen }) => (
              <tr
                key={said.number}
                className={said.number === chosen ? 'shown' : ''}
                // The button is the row's control; a click elsewhere in the row is a shortcut for
                // the mouse.
                onClick={() => useConversations.setState({ chosen: said.number })}
              >
                <td className="amount">{said.iteration}</td>
                <td className="amount">{seen.level}</td>
                <td>
                  <button
                    type="button"
                    aria-pressed={said.number === chosen}
                    className={`conv-pick conv-${seen.flip}`}
                  >
                    {seen.flip === 'open'
                      ? seen.right
                        ? 'Correct'
                        : 'Wrong'
                      : flipNames[seen.flip]}
                  </button>
                </td>
                <td className={`conv-verdict-${seen.verdict}`}>{verdictWords[seen.verdict]}</td>
                {learns ? (
                  <td className="amount">
                    {said.learned === null ? '–' : signed(said.learned.advantage)}
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pages className="conv-pages" page={page} pages={pages} onPage={setWished}>
        <span>
          Page {page + 1} of {pages}, {entries.length} in total
        </span>
      </Pages>
    </div>
  );
}
