import { describe, expect, it } from 'vitest';
import { csvTable } from './csv.ts';

describe('csvTable', () => {
  it('escapes cells that a spreadsheet would read as a formula', () => {
    for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
      const cell = `${begin}cmd|' /C calc'!A0`;
      expect(csvTable([[cell]], '\n').replace(/^"/, ''), JSON.stringify(begin)).toMatch(/^'/);
    }
    expect(csvTable([['=HYPERLINK("http://a","b")', 'a=b']], '\r\n')).toBe(
      '"\'=HYPERLINK(""http://a"",""b"")",a=b\r\n',
    );
  });

  it('writes numbers without escaping, and non-finite ones as empty cells', () => {
    expect(csvTable([[-0.5, 1e-7, +3, null, Number.NaN, Number.POSITIVE_INFINITY]], '\n')).toBe(
      '-0.5,1e-7,3,,,\n',
    );
  });

  it('quotes fields as RFC 4180 requires', () => {
    expect(csvTable([['a,b', 'say "hi"', 'two\nlines', '']], '\n')).toBe(
      '"a,b","say ""hi""","two\nlines",\n',
    );
  });
});
