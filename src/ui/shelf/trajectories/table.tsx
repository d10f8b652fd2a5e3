import { useReducedMotion } from '@mantine/hooks';
import { IconPlayerPlay, IconZoomScan } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { significant } from '../../../runs/numbers.ts';
import { usePlayback } from '../../shell/episode/playback.ts';
import { SortHeading } from '../sort-heading.tsx';
import type { Outcome, RowKind, SortColumn, Sorting, TrajectoryRow } from './list.ts';
import { inspectTrajectory, openTrajectory } from './store.ts';

export const kindNames: Readonly<Record<RowKind, string>> = {
  train: 'Training',
  eval: 'Evaluation',
  imported: 'Imported',
};

export const outcomeNames: Readonly<Record<Outcome, string>> = {
  solved: 'Solved',
  failed: 'Failed',
  cut: 'Truncated by the horizon',
  unknown: 'Unknown',
};

const columns: readonly {
  readonly column: SortColumn;
  readonly title: string;
  /** Numbers sort in descending order first. */
  readonly numeric: boolean;
}[] = [
  { column: 'iteration', title: 'Iteration', numeric: true },
  { column: 'kind', title: 'Kind', numeric: false },
  { column: 'environmentId', title: 'Environment', numeric: false },
  { column: 'taskId', title: 'Task', numeric: false },
  { column: 'turns', title: 'Turns', numeric: true },
  { column: 'score', title: 'Score', numeric: true },
  { column: 'outcome', title: 'Outcome', numeric: false },
];

interface TrajectoryTableProps {
  readonly rows: readonly TrajectoryRow[];
  /** Null for the default order. */
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
}

/** One page of episodes. */
export function TrajectoryTable({ rows, sorting, onSort, empty }: TrajectoryTableProps) {
  const shownKey = usePlayback(({ source, chosen }) =>
    source === 'chosen' ? (chosen?.key ?? null) : null,
  );
  return (
    <div className="table-scroll">
      <table className="data-table trajectories-table" aria-labelledby="trajectories-title">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Replay</span>
            </th>
            {columns.map(({ column, title, numeric }) => (
              <SortHeading
                key={column}
                title={title}
                className={numeric ? 'amount' : ''}
                sorted={sorting?.column === column ? sorting : null}
                onSort={() => onSort(nextSorting(sorting, column, numeric))}
              />
            ))}
            <th scope="col">
              <span className="visually-hidden">Inspect</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.length === 0 ? (
            <tr>
              <td className="trajectories-none" colSpan={columns.length + 2}>
                {empty}
              </td>
            </tr>
          ) : (
            rows.map((row) => <Row key={row.key} row={row} shown={row.key === shownKey} />)
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Clicks on a column sort by it, reverse the order, then restore the default. */
export function nextSorting(
  sorting: Sorting | null,
  column: SortColumn,
  numeric: boolean,
): Sorting | null {
  if (sorting?.column !== column) return { column, descending: numeric };
  return sorting.descending === numeric ? { column, descending: !numeric } : null;
}

function Row({ row, shown }: { readonly row: TrajectoryRow; readonly shown: boolean }) {
  const { kind, iteration, environmentId, taskId, turns, score, outcome } = row;
  const when = iteration === null ? 'from a file' : `of iteration ${iteration}`;
  const reduced = useReducedMotion();
  const open = async () => {
    await openTrajectory(row);
    document
      .querySelector('.stage')
      ?.scrollIntoView({ block: 'nearest', behavior: reduced ? 'instant' : 'smooth' });
  };
  return (
    <tr
      className={shown ? 'shown' : ''}
      {...(shown ? { 'aria-current': 'true' as const } : {})}
      data-kind={kind}
      // The button is the row's control; a click elsewhere in the row is a shortcut for the mouse.
      onClick={() => void open()}
    >
      <td>
        <button type="button" className="replay" aria-label={`Replay ${taskId} ${when}`}>
          <IconPlayerPlay size={15} aria-hidden />
        </button>
      </td>
      <td className="amount">{iteration ?? '–'}</td>
      <td>{kindNames[kind]}</td>
      <td>{environmentId}</td>
      <td>{taskId}</td>
      <td className="amount">{turns}</td>
      <td className="amount">{significant(score)}</td>
      <td className={`outcome-${outcome}`}>{outcomeNames[outcome]}</td>
      <td>
        {kind === 'imported' ? null : (
          <button
            type="button"
            className="replay"
            aria-label={`Inspect ${taskId} ${when}`}
            onClick={(event) => {
              event.stopPropagation();
              void inspectTrajectory(row);
            }}
          >
            <IconZoomScan size={15} aria-hidden />
            Inspect
          </button>
        )}
      </td>
    </tr>
  );
}
