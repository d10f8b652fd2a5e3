import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface PagesProps {
  readonly className: string;
  /** From 0. */
  readonly page: number;
  readonly pages: number;
  readonly onPage: (page: number) => void;
  /** Which page is shown, in words. */
  readonly children: ReactNode;
}

/** Which page of a list is shown, and the way to those beside it. */
export function Pages({ className, page, pages, onPage, children }: PagesProps) {
  return (
    <div className={className}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Page before"
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      >
        <IconChevronLeft size={16} />
      </ActionIcon>
      {children}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="Page after"
        disabled={page >= pages - 1}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
    </div>
  );
}
