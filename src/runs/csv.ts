/**
 * Tables as comma-separated values (RFC 4180). A cell of text that a spreadsheet would take for a
 * formula gets an apostrophe in front, as OWASP advises (owasp.org/www-community/attacks/CSV_Injection);
 * numbers stay numbers, negative ones too.
 */

/** Text, a number, or null where nothing was measured. */
export type CsvCell = string | number | null;

/** One line for each row, every line with its break. A number that is not finite is an empty cell. */
export function csvTable(rows: Iterable<readonly CsvCell[]>, lineBreak: '\n' | '\r\n'): string {
  let table = '';
  for (const row of rows) table += row.map(written).join(',') + lineBreak;
  return table;
}

/** What spreadsheets begin a formula with, in full width too, and the spaces they skip before it. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function written(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
