type Row = readonly (string | number)[];

/** Rows of cells as a Markdown table. */
export function markdownTable([head = [], ...rows]: readonly Row[]): string {
  const line = (row: Row) => `| ${row.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
