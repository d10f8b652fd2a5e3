import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface PagesProps {
  readonly className: string;
  /** From 0. */
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
  /** Description of the current page. */
  readonly children: ReactNode;
}

/** Pagination of a list. */
export function Pages({ className, page, pages, onPage, children }: PagesProps) {
  return (
    <div className={className}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Previous page"
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      {children}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Next page"
        disabled={page >= pages - 1}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </div>
  );
}
