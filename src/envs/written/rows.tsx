import './view.css';

/** How a character of a drawing is shown. */
function kindOf(mark: string): 'wall' | 'agent' | 'empty' | 'mark' {
  if (mark === '#') return 'wall';
  if (mark === '@') return 'agent';
  return mark === '.' || mark === '_' || mark.trim() === '' ? 'empty' : 'mark';
}

/** Squares are smaller if there are more columns than this. */
const DENSE = 8;

/** Rows of squares as drawn by the code: # wall, @ agent, . or _ empty, other characters as is. */
export function Rows({ rows }: { readonly rows: readonly string[] }) {
  const squares = rows.map((row) => [...row]);
  const columns = squares[0]?.length ?? 0;
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
