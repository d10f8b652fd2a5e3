/** Rows of one page. */
export const PAGE_ROWS = 10;

/** Clamps a page number to the pages that exist; without rows there is one empty page. */
export function pageOf<Row>(
  rows: readonly Row[],
  wished: number,
): { readonly page: number; readonly pages: number; readonly rows: readonly Row[] } {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
  const page = Math.min(pages - 1, Math.max(0, wished));
  return { page, pages, rows: rows.slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS) };
}
