import type { Moved } from '../../../runs/network-reading.ts';
import { fineShare } from '../../../runs/numbers.ts';

/** A bar in proportion to a probability. */
export function Share({ of }: { readonly of: number }) {
  return (
    <td className="net-share">
      <span className="bar net-bar" aria-hidden>
        <span style={{ width: `${100 * of}%` }} />
      </span>
      {fineShare(of)}
    </td>
  );
}

interface MovedTableProps {
  readonly caption: string;
  readonly what: string;
  readonly before: string;
  /** Header of the second column; null leaves it out. */
  readonly after: string | null;
  readonly rows: readonly Moved[];
}

/** A difference of probabilities in percentage points. */
function points(by: number): string {
  const text = (100 * Math.abs(by)).toFixed(1);
  return text === '0.0' ? text : `${by < 0 ? '−' : '+'}${text}`;
}

/** Probabilities before and after a change, side by side. */
export function MovedTable({ caption, what, before, after, rows }: MovedTableProps) {
  return (
    <table className="net-table">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <th scope="col">{before}</th>
          {after === null ? null : (
            <>
              <th scope="col">{after}</th>
              <th scope="col">Points</th>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.text}>
            <th scope="row" translate={row.text === '' ? undefined : 'no'}>
              {row.text === '' ? '(nothing)' : row.text}
            </th>
            <Share of={row.before} />
            {after === null ? null : (
              <>
                <Share of={row.after} />
                <td
                  className={
                    row.after > row.before ? 'net-up' : row.after < row.before ? 'net-down' : ''
                  }
                >
                  {points(row.after - row.before)}
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface RankedTableProps {
  readonly caption: string;
  readonly testId?: string;
  /** Headers of the two columns. */
  readonly what: string;
  readonly measure: string;
  /** One value per token; the largest ones are shown. */
  readonly values: ArrayLike<number>;
  readonly format: (value: number) => string;
  /** Maximum number of rows. */
  readonly most: number;
  readonly tokens: readonly string[];
  /** Number of tokens before the first one. */
  readonly hidden: number;
}

/** The tokens with the largest values. */
export function RankedTable(props: RankedTableProps) {
  const { caption, testId, what, measure, values, format, most, tokens, hidden } = props;
  const ranked = Array.from(values, (value, i) => ({ value, i }))
    .sort((a, b) => b.value - a.value)
    .slice(0, most);
  return (
    <table className="net-table" data-testid={testId}>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <th scope="col">{measure}</th>
        </tr>
      </thead>
      <tbody>
        {ranked.map(({ value, i }) => (
          <tr key={i}>
            <th scope="row">
              {tokens[i]} <small>({hidden + i + 1})</small>
            </th>
            <td>{format(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
