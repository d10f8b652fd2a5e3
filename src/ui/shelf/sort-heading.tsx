import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';

interface SortHeadingProps {
  readonly title: string;
  readonly className?: string;
  /** Null if the table is not sorted by this column. */
  readonly sorted: { readonly descending: boolean } | null;
  readonly onSort: () => void;
}

/** The heading of a column that a table can be sorted by. */
export function SortHeading({ title, className, sorted, onSort }: SortHeadingProps) {
  const order = sorted === null ? 'none' : sorted.descending ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={order} className={className}>
      <button type="button" onClick={onSort}>
        {title}
        {order === 'descending' ? <IconArrowDown size={13} aria-hidden /> : null}
        {order === 'ascending' ? <IconArrowUp size={13} aria-hidden /> : null}
      </button>
    </th>
  );
}
