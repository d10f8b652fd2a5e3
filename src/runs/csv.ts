/**
 * Comma-separated values (RFC 4180). A text cell that a spreadsheet would read as a formula is
 * prefixed with an apostrophe, as OWASP recommends (owasp.org/www-community/attacks/CSV_Injection).
 * Numbers are not changed, including negative ones.
 */

/** Text, a number, or null for a missing value. */
export type CsvCell = string | number | null;

/**
 * Formats one line per row, each ending with a line break. Non-finite numbers become empty cells.
 */
export function csvTable(rows: Iterable<readonly CsvCell[]>, lineBreak: '\n' | '\r\n'): string {
  let table = '';
  for (const row of rows) table += row.map(written).join(',') + lineBreak;
  return table;
}

/**
 * Characters that start a formula in spreadsheets, full-width forms included, and the white space
 * they skip before it.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function written(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
