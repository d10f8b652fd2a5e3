import './view.css';

/** How a character of a drawing is shown. */
function kindOf(mark: string): 'wall' | 'agent' | 'empty' | 'mark' {
  if (mark === '#') return 'wall';
  if (mark === '@') return 'agent';
  return mark === '.' || mark === '_' || mark.trim() === '' ? 'empty' : 'mark';
}

/** Squares are smaller if there are more columns than this. */
const DENSE = 8;

/** Larger drawings would slow down the page. */
const MOST_SQUARES = 30;

/** Rows of squares as drawn by the code: # wall, @ agent, . or _ empty, other characters as is. */
export function Rows({ rows }: { readonly rows: readonly string[] }) {
  const marks = rows.map((row) => [...row]);
  const columns = marks.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return null;
  if (rows.length > MOST_SQUARES || columns > MOST_SQUARES) {
    return (
      <p className="written-text">
        The drawing is {rows.length} × {columns} squares. At most {MOST_SQUARES} × {MOST_SQUARES}{' '}
        can be shown.
      </p>
    );
  }
  const squares = marks.map((row) => Array.from({ length: columns }, (_, c) => row[c] ?? ' '));
  return (
    <div
      className="written-rows"
      role="img"
      data-dense={columns > DENSE || undefined}
      aria-label={`Drawing: ${rows.join(', ')}`}
      style={{
        gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
        '--written-columns': columns,
      }}
    >
      {squares.flatMap((row, r) =>
        row.map((mark, c) => {
          const kind = kindOf(mark);
          return (
            <span key={`${r} ${c + 1}`} className={`written-square written-${kind}`}>
              {kind === 'mark' ? mark : ''}
            </span>
          );
        }),
      )}
    </div>
  );
}

declare module 'react' {
  interface CSSProperties {
    '--written-columns'?: number;
  }
}
