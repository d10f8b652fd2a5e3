/**
 * Claims in Markdown. A number in a document is enclosed in two comments: `<!-- claim: NAME
 * ARGUMENT… -->44k<!-- /claim -->`. For a table, each comment is alone on its line.
 * `claims.ts` defines each NAME and its result.
 */

/** A claim: text in a document between two marks. */
interface MarkedClaim {
  readonly name: string;
  readonly args: readonly string[];
  /** The current text. */
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  /** Offsets in the document. */
  readonly from: number;
  readonly to: number;
  /** Whether each comment is alone on its line. */
  readonly block: boolean;
}

/** A problem in a document. */
export interface Problem {
  readonly line: number;
  readonly what: string;
}

const claim = /<!--\s*claim:([^>]*?)-->([\s\S]*?)<!--\s*\/claim\s*-->/g;
const anyMark = /<!--\s*\/?claim\b[^>]*-->/g;

/** The claims of a document in order, and malformed marks. */
export function findClaims(markdown: string): { claims: MarkedClaim[]; problems: Problem[] } {
  const plain = withoutCode(markdown);
  const claims: MarkedClaim[] = [];
  const problems: Problem[] = [];
  for (const match of plain.matchAll(claim)) {
    const [whole, call = '', inner = ''] = match;
    const from = match.index + whole.indexOf('-->') + 3;
    const to = from + inner.length;
    const line = lineAt(markdown, match.index);
    const block = inner.includes('\n');
    const [name = '', ...args] = words(call);
    claims.push({ name, args, text: markdown.slice(from, to).trim(), line, from, to, block });
    const before = plain.slice(plain.lastIndexOf('\n', match.index) + 1, match.index);
    if (!block && /^\s*([-*+]|\d+\.)?\s*$/.test(before)) {
      problems.push({
        line,
        what: 'a claim at the beginning of a line makes the whole line HTML; put a word before it',
      });
    }
    if (anyMark.test(inner)) problems.push({ line, what: 'a claim is nested in another' });
    anyMark.lastIndex = 0;
  }
  const rest = plain.replaceAll(claim, blank);
  for (const match of rest.matchAll(anyMark)) {
    problems.push({ line: lineAt(markdown, match.index), what: `${match[0]} is unmatched` });
  }
  return { claims, problems };
}

/** The document with its claims replaced by other texts; null keeps a claim's text. */
export function fillClaims(
  markdown: string,
  claims: readonly MarkedClaim[],
  texts: readonly (string | null)[],
): string {
  let filled = '';
  let done = 0;
  for (const [i, { from, to, block }] of claims.entries()) {
    const text = texts[i] ?? null;
    filled += markdown.slice(done, from);
    if (text === null) filled += markdown.slice(from, to);
    else filled += block ? `\n\n${text}\n\n` : text;
    done = to;
  }
  return filled + markdown.slice(done);
}

const include = /(<!--\s*include:([^>]*?)-->\n)([\s\S]*?)(<!--\s*\/include\s*-->)/g;

/** Paths of the documents that a document includes, as written there. */
export function includedPaths(markdown: string): string[] {
  return [...markdown.matchAll(include)].map(([, , path = '']) => path.trim());
}

/**
 * Fills every `<!-- include: PATH -->` … `<!-- /include -->` block with the text of that document,
 * without its title and comments. This keeps a README readable as raw Markdown, because only the
 * included document contains the comments of claims.
 *
 * @param read the text of an included document; null if it does not exist, which leaves the block
 * unchanged
 */
export function fillIncludes(markdown: string, read: (path: string) => string | null): string {
  return markdown.replaceAll(include, (whole, open: string, path: string, _old, close: string) => {
    const source = read(path.trim());
    if (source === null) return whole;
    const body = source.replace(/^# .*\n/, '').replaceAll(/<!--[\s\S]*?-->/g, '');
    return `${open}\n${body.trim()}\n\n${close}`;
  });
}

/**
 * Matches a relative link such as `](docs/LAB.md#keys)`. Groups: the text before the target, the target, and
 * the anchor.
 */
const link = /(\]\()(?![a-z]+:|[#/])([^)#\s]+)(#[^)\s]*)?(?=[)\s])/g;

/** The document with the targets of its relative links replaced. */
export function relinked(markdown: string, move: (target: string) => string): string {
  return markdown.replaceAll(
    link,
    (_, before: string, target: string, anchor = '') => `${before}${move(target)}${anchor}`,
  );
}

/** The relative links of a document outside of code, without anchors. */
export function links(
  markdown: string,
): readonly { readonly target: string; readonly line: number }[] {
  // Replace code by spaces of equal length, so that line numbers stay correct.
  const prose = markdown.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, (code) =>
    code.replaceAll(/[^\n]/g, ' '),
  );
  return [...prose.matchAll(link)].map(({ 2: target = '', index }) => ({
    target: decodeURIComponent(target),
    line: prose.slice(0, index).split('\n').length,
  }));
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );

/** A whole number up to twenty as a word. */
function inWords(value: number): string | null {
  return ones[value] ?? null;
}

/**
 * Formats a computed value like the text it replaces: a small number is spelled out, and
 * capitalized, if the text is.
 */
export function inItsStyle(text: string, expected: string): string {
  if (!/^[A-Za-z]+$/.test(text) || !/^\d+$/.test(expected)) return expected;
  const word = inWords(Number(expected));
  if (word === null || !ones.includes(text.toLowerCase())) return expected;
  return /^[A-Z]/.test(text) ? word[0]?.toUpperCase() + word.slice(1) : word;
}

/** Excludes “one” and “two”, which are often not counts. */
const spelled = new RegExp(
  `(?<![\\p{L}-])(?:${[...ones.slice(3), 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety', 'hundred', 'thousand', 'million'].join('|')})(?![\\p{L}])`,
  'giu',
);
const digits = /(?<![\p{L}\p{N}_.])\d[\d.,]*(?:e-?\d+)?/gu;

/** Numbers that need no claim: list markers, seeds, and numbers in names and links. */
const harmless = [
  claim,
  include,
  /<!--[\s\S]*?-->/g,
  /\]\([^)]*\)/g,
  /https?:\/\/[^\s)>]+/g,
  /arXiv:\d{4}\.\d{4,5}/g,
  /\b95% confidence intervals?\b/g,
  /\bseeds? \d+(?:(?:, | and | to |, and )\d+)*/gi,
  /^\s*\d+\. /gm,
  // Quoted dialogue.
  /^> .*$/gm,
  /\b(?:three|four|five|six)-dimensional\b/gi,
];

const NOT_KEPT = '**Not kept.**';

/**
 * Numbers outside of claims, code, links and names, and outside of sections that start with "**Not
 * kept.**", which describe runs whose files were not kept.
 */
export function unmarkedNumbers(markdown: string): Problem[] {
  let plain = withoutNotKept(withoutCode(markdown));
  for (const kind of harmless) plain = plain.replaceAll(kind, blank);
  const lines = new Map<number, string[]>();
  const found = [...plain.matchAll(digits), ...plain.matchAll(spelled)];
  for (const { 0: number, index } of found.sort((one, other) => one.index - other.index)) {
    const line = lineAt(markdown, index);
    lines.set(line, [...(lines.get(line) ?? []), number.replace(/[.,]$/, '')]);
  }
  return [...lines].map(([line, numbers]) => ({
    line,
    what: `not in a claim: ${numbers.join(', ')}; mark each with the claim that computes it, or begin its section with ${NOT_KEPT}`,
  }));
}

const time = /\d[\d.,]*\s?(?:ms|µs|[A-Z]*FLOP\/s|GB\/s|[a-z]+\/s)(?![\p{L}\d])/gu;
/** Requirements, not measurements. */
const limit =
  /\b(?:more than|less than|under|at most|at least|within|every|up to) \d[\d.,]*\s?(?:ms|µs)/g;

/**
 * Measured times and rates outside of claims, code, limits and sections marked as not kept. For
 * documents whose other numbers are settings, sizes and formats.
 */
export function unmarkedTimes(markdown: string): Problem[] {
  let plain = withoutNotKept(withoutCode(markdown));
  for (const kind of [claim, limit]) plain = plain.replaceAll(kind, blank);
  return [...plain.matchAll(time)].map(({ 0: measured, index }) => ({
    line: lineAt(markdown, index),
    what: `not in a claim: ${measured}; mark it with the claim that computes it, or begin its section with ${NOT_KEPT}`,
  }));
}

/**
 * Blanks out sections that begin with "**Not kept.**", up to the next heading of the same or a
 * higher level.
 */
function withoutNotKept(markdown: string): string {
  const headings = [...markdown.matchAll(/^(#{1,6}) .*$/gm)];
  let plain = markdown;
  for (const [i, heading] of headings.entries()) {
    const start = heading.index + heading[0].length;
    if (!markdown.slice(start).trimStart().startsWith(NOT_KEPT)) continue;
    const rank = heading[1]?.length ?? 0;
    const next = headings.slice(i + 1).find((later) => (later[1]?.length ?? 0) <= rank);
    const end = next?.index ?? markdown.length;
    // Claims in such a section are still checked.
    plain = plain.slice(0, start) + blank(markdown.slice(start, end)) + plain.slice(end);
  }
  return plain;
}

/** The document with code blanked out; offsets are unchanged. */
function withoutCode(markdown: string): string {
  return blankIndented(
    markdown.replaceAll(/^(```+)[^\n]*\n[\s\S]*?^\1[^\n]*$/gm, blank),
  ).replaceAll(/(?<!`)(`+)(?!`)(?:(?!\n\n)[\s\S])*?(?<!`)\1(?!`)/g, blank);
}

/** Blanks out code indented by four spaces. In a list, such lines belong to the item. */
function blankIndented(markdown: string): string {
  let inList = false;
  let code = true;
  return markdown
    .split('\n')
    .map((line) => {
      const empty = line.trim() === '';
      if (/^\S/.test(line)) inList = /^([-*+]|\d+\.) /.test(line);
      code = (empty && code) || empty || (code && !inList && line.startsWith('    '));
      return code && !empty ? ' '.repeat(line.length) : line;
    })
    .join('\n');
}

/** Spaces in place of the text; line breaks are kept. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}

function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length;
}

/** The name and arguments of a claim; text in double quotes is one argument. */
function words(call: string): string[] {
  return [...call.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
}
