/**
 * `npm run prose`: checks the English of strings, documents, comments, test names and commit
 * subjects. See `--help`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { bannedPhrases, bareVerbs, notVerbs, quotedTexts, weakStarts } from './prose-rules.mjs';

/**
 * @typedef {'string' | 'doc' | 'comment' | 'test name' | 'commit'} Kind
 * @typedef {{ kind: Kind, line: number, text: string }} Passage
 * @typedef {{ file: string, line: number, kind: Kind, problem: string, excerpt: string }} Finding
 */

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const LONGEST_SENTENCE = 35;
const LONGEST_SUBJECT = 72;
/** Commits up to this one predate the rule for subjects. */
const FIRST_CHECKED_AFTER = '11529946834333ccabaec19cf53d65a954776231';

const help = `npm run prose [-- PATH… options]: checks the English of the repository

  PATH        files or folders to check; all tracked files if none is given
  --list      print every finding as FILE:LINE; without it and without PATH only counts by folder
  --strict    exit with code 1 if anything is found
  --help      print this and exit

With PATH every finding is printed, and any finding gives exit code 1:

  npm run prose -- src/envs docs/LAB.md

What is checked:
  - phrases listed in scripts/prose-rules.mjs, in strings, documents, comments and test names
  - sentences of more than ${LONGEST_SENTENCE} words in strings and documents
  - test names: 'it' and 'test' names state behavior and start with a verb in the third person, such
    as 'rejects a header longer than the file', or with a subject and a verb
  - subjects of commits since ${FIRST_CHECKED_AFTER.slice(0, 7)}: 'area: imperative summary', at most
    ${LONGEST_SUBJECT} characters
`;

const { values, positionals } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
});
if (values.help) {
  console.log(help);
  process.exit(0);
}

const narrowed = positionals.length > 0;
const findings = filesToCheck().flatMap((file) => checkFile(file));
if (!narrowed) findings.push(...checkCommits());

if (values.list || narrowed) {
  for (const { file, line, kind, problem, excerpt } of findings) {
    console.log(`${file}:${line}: ${kind}: ${problem}: ${excerpt}`);
  }
} else {
  printCounts();
}
console.log(`${findings.length} findings`);
process.exitCode = (values.strict || narrowed) && findings.length > 0 ? 1 : 0;

/** Tracked and new files under the given paths, relative to the root. */
function filesToCheck() {
  const paths = positionals.map((path) => relative(root, resolve(path)) || '.');
  const listed = git('ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths);
  return listed.split('\n').filter((file) => {
    if (/^(docs|bench)\/results\/|\/licenses\/|\/de\/|package-lock|prose-rules/.test(file))
      return false;
    return (
      /\.(ts|tsx|mjs|cjs|md|wgsl|css|py|html|ya?ml)$/.test(file) && existsSync(join(root, file))
    );
  });
}

/** @param {...string} args */
function git(...args) {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** @param {string} file @returns {Finding[]} */
function checkFile(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return passagesOf(file, text).flatMap(({ kind, line, text: raw }) =>
    problemsOf(kind, raw).map(({ problem, excerpt }) => ({
      file,
      line,
      kind,
      problem,
      excerpt,
    })),
  );
}

/** @param {string} file @param {string} text @returns {Passage[]} */
function passagesOf(file, text) {
  if (/\.(ts|tsx|mjs|cjs)$/.test(file)) return passagesOfScript(file, text);
  if (file.endsWith('.md')) return passagesOfMarkdown(text);
  const comment = /\.(py|ya?ml)$/.test(file)
    ? /(?:^|\s)(?:#[^\n]*\n?\s*)+|"""[\s\S]*?"""/g
    : file.endsWith('.html')
      ? /<!--[\s\S]*?-->/g
      : file.endsWith('.css')
        ? /\/\*[\s\S]*?\*\//g
        : /\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*\n?\s*)+/g;
  return [...text.matchAll(comment)].map((match) => ({
    kind: 'comment',
    line: lineAt(text, match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0)),
    text: withoutMarks(match[0]),
  }));
}

/** @param {string} text @param {number} offset */
function lineAt(text, offset) {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** A comment's text without its delimiters. @param {string} comment */
function withoutMarks(comment) {
  return comment
    .replaceAll(/^\s*(?:\/\*+|\*+\/|\*|\/{2,}|#+|"""|<!--)/gm, '')
    .replaceAll(/\*+\/\s*$|-->\s*$|"""\s*$/gm, '')
    .trim();
}

/** @param {string} file @param {string} text @returns {Passage[]} */
function passagesOfScript(file, text) {
  const source = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const isTest = /\.(test|spec|cases)\.tsx?$|^e2e\/|(^|\/)testing\//.test(file);
  /** @type {Passage[]} */
  const passages = [];
  /** @type {Map<number, ts.CommentRange>} */
  const comments = new Map();
  const line = (/** @type {number} */ offset) =>
    source.getLineAndCharacterOfPosition(offset).line + 1;

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      for (const range of [
        ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
        ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
      ]) {
        comments.set(range.pos, range);
      }
    }
    if (ts.isCallExpression(node)) {
      const name = testName(node);
      if (name !== null)
        passages.push({ kind: 'test name', line: line(node.getStart()), text: name });
    }
    const words = isTest || quotedTexts.test(file) ? null : wordsOf(node);
    if (words !== null && isProse(words)) {
      passages.push({ kind: 'string', line: line(node.getStart()), text: words });
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);

  for (const { text: comment, pos } of joinLineComments(text, [...comments.values()])) {
    if (!comment.includes('biome-ignore'))
      passages.push({ kind: 'comment', line: line(pos), text: comment });
  }
  return passages;
}

/**
 * The name of a test, marked `describe:` for a group; null for other calls.
 * @param {ts.CallExpression} call
 */
function testName({ expression, arguments: [first] }) {
  const called =
    /^(it|test|describe)(\.(only|skip|each|for|runIf|skipIf|describe))*(\(.*\))?$/s.exec(
      expression.getText(),
    );
  if (called === null || first === undefined) return null;
  const text = wordsOf(first);
  if (text === null) return null;
  return `${called[1] === 'describe' || called[3] === 'describe' ? 'describe: ' : ''}${text}`;
}

/** The text of a string, template or JSX text; null for other nodes. @param {ts.Node} node */
function wordsOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isJsxText(node)) return node.text.replaceAll(/\s+/g, ' ').trim();
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map((span) => `§${span.literal.text}`).join('');
}

/**
 * Whether a string is read by people: several words, and not code or a class list.
 * @param {string} text
 */
function isProse(text) {
  const code = /[;{}]\s*\n|=>|^\s*(SELECT|INSERT|import|export|const)\b|^#!/m;
  return /\p{L}{2,}[,:]? \p{L}+[,:]? \p{L}/u.test(text) && !code.test(text) && !/[ßäöü]/.test(text);
}

/**
 * Joins line comments on consecutive lines into one text.
 * @param {string} text
 * @param {ts.CommentRange[]} ranges
 */
function joinLineComments(text, ranges) {
  /** @type {{ pos: number, end: number, text: string, line: boolean }[]} */
  const joined = [];
  for (const { pos, end, kind } of ranges.sort((a, b) => a.pos - b.pos)) {
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const words = withoutMarks(text.slice(pos, end));
    const last = joined.at(-1);
    if (
      last?.line &&
      isLine &&
      /^\s*$/.test(text.slice(last.end, pos)) &&
      text.slice(last.end, pos).split('\n').length === 2
    ) {
      last.text += ` ${words}`;
      last.end = end;
    } else {
      joined.push({ pos, end, text: words, line: isLine });
    }
  }
  return joined;
}

/**
 * Paragraphs, list items, headings and table cells, without code.
 * @param {string} text
 * @returns {Passage[]}
 */
function passagesOfMarkdown(text) {
  const blank = (/** @type {string} */ match) => match.replaceAll(/[^\n]/g, '');
  const bare = text
    .replaceAll(/^(\s*)(```|~~~)[\s\S]*?^\s*\2\s*$/gm, blank)
    .replaceAll(/<!--[\s\S]*?-->/g, blank)
    // Indented code: lines behind four spaces after an empty line, outside lists.
    .replaceAll(/(?<=\n[^\s*+\d-][^\n]*\n\n)(?: {4}[^\n]*\n|\n(?= {4}))+/g, blank);
  /** @type {Passage[]} */
  const passages = [];
  let open = false;
  bare.split('\n').forEach((lineText, index) => {
    if (lineText.trim().startsWith('|')) {
      for (const cell of lineText.split('|'))
        passages.push({ kind: 'doc', line: index + 1, text: cell.trim() });
      open = false;
    } else if (lineText.trim() === '') {
      open = false;
    } else {
      const starts = /^\s*([-*+]|\d+\.|#+|>)\s/.test(lineText);
      const last = passages.at(-1);
      if (open && !starts && last !== undefined) last.text += ` ${lineText.trim()}`;
      else
        passages.push({
          kind: 'doc',
          line: index + 1,
          text: lineText.replace(/^\s*([-*+]|\d+\.|#+|>)\s/, '').trim(),
        });
      open = !lineText.startsWith('#');
    }
  });
  return passages;
}

/**
 * @param {Kind} kind @param {string} raw
 * @returns {{ problem: string, excerpt: string }[]}
 */
function problemsOf(kind, raw) {
  const group = kind === 'test name' && raw.startsWith('describe: ');
  const text = raw
    .replace(/^describe: /, '')
    // Code and addresses become one placeholder word.
    .replaceAll(/`[^`]*`|https?:\/\/\S+/g, '§')
    .replaceAll(/\]\([^)]*\)/g, ']')
    // Drop the attributes of lesson directives.
    .replaceAll(/\]\{[^}]*\}/g, ']');
  const flat = text.replaceAll(/\s+/g, ' ');
  /** @type {{ problem: string, excerpt: string }[]} */
  const problems = [];
  for (const { pattern, instead } of bannedPhrases) {
    for (const match of flat.matchAll(pattern)) {
      const from = Math.max(0, match.index - 30);
      const excerpt = flat.slice(from, match.index + match[0].length + 30);
      problems.push({ problem: `'${match[0].trim()}' (${instead})`, excerpt: `…${excerpt}…` });
    }
  }
  if (kind === 'string' || kind === 'doc') {
    for (const sentence of sentencesOf(text)) {
      const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}§]/u.test(word)).length;
      if (words > LONGEST_SENTENCE) {
        problems.push({
          problem: `sentence of ${words} words`,
          excerpt: `${sentence.slice(0, 60)}…`,
        });
      }
    }
  }
  if (kind === 'test name') {
    const problem = group ? groupProblem(flat) : nameProblem(flat);
    if (problem !== null) problems.push({ problem, excerpt: flat.slice(0, 80) });
  }
  return problems;
}

/** @param {string} text */
function sentencesOf(text) {
  return text
    .split(/\n\s*\n|\n\s{2,}|\n(?=[-*•]\s)/)
    .flatMap((paragraph) =>
      paragraph.split(/(?<=[.!?:;][)"'”’]?)\s+(?=[\p{Lu}\p{N}§"'“(]|\S+: )|;\s/u),
    );
}

/** @param {string} name */
function nameProblem(name) {
  const [first = '', ...rest] = name.split(/\s+/);
  const start = first.toLowerCase().replaceAll(/[^\p{L}’']/gu, '');
  if (weakStarts.some((pattern) => pattern.test(name)))
    return 'test name is not a statement about the code';
  if (bareVerbs.has(start))
    return `test name starts with '${first}'; use the third person singular`;
  if (isVerb(start)) return null;
  if (rest.some((word) => isVerb(word.toLowerCase()) || isPluralVerb(word.toLowerCase())))
    return null;
  return 'test name has no verb';
}

/** @param {string} name */
function groupProblem(name) {
  return /^(what|how|where|who|whoever|which|that|whether)\b/i.test(name)
    ? 'group name is a clause; name the thing that is tested'
    : null;
}

/** @param {string} word */
function isVerb(word) {
  if (/^(can|cannot|must|may|never|only|always|still|also|no)$/.test(word)) return true;
  return /^\p{L}+s$/u.test(word) && !/(ss|us)$/.test(word) && !notVerbs.has(word);
}

/** @param {string} word */
function isPluralVerb(word) {
  return bareVerbs.has(word);
}

/** The commits to check; in a shallow clone, which lacks the first one, all that it has. */
function checkedRange() {
  try {
    git('cat-file', '-e', `${FIRST_CHECKED_AFTER}^{commit}`);
    return [`${FIRST_CHECKED_AFTER}..HEAD`];
  } catch {
    return ['HEAD'];
  }
}

/** @returns {Finding[]} */
function checkCommits() {
  let subjects = '';
  try {
    subjects = git('log', '--no-merges', '--format=%h %s', ...checkedRange());
  } catch {
    // An archive has no history to check.
    return [];
  }
  return subjects
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [hash = '', ...words] = line.split(' ');
      const problem = subjectProblem(words.join(' '));
      return problem === null
        ? []
        : [
            {
              file: 'commits',
              line: 0,
              kind: /** @type {const} */ ('commit'),
              problem,
              excerpt: `${hash} ${words.join(' ')}`,
            },
          ];
    });
}

/** @param {string} subject */
function subjectProblem(subject) {
  if (subject.length > LONGEST_SUBJECT) return `subject of ${subject.length} characters`;
  const form = /^[a-z][\w./, -]*: (\S+)/.exec(subject);
  if (form === null) return "subject is not 'area: summary'";
  const verb = form[1] ?? '';
  // A name such as OpenEnv or GPU keeps its capitals.
  if (/^[A-Z][^A-Z]*$/.test(verb)) return 'summary starts with a capital letter';
  return /(ed|ing)$/.test(verb) && !/^(embed|feed|need|shed|speed|bring|string)$/.test(verb)
    ? `'${verb}' is not imperative`
    : null;
}

function printCounts() {
  /** @type {Map<string, Map<string, number>>} */
  const folders = new Map();
  for (const { file, kind, problem } of findings) {
    const parts = file.split('/');
    const depth = parts[0] === 'src' && parts[1] === 'ui' ? 3 : parts[0] === 'src' ? 2 : 1;
    const folder = parts.slice(0, Math.min(depth, Math.max(1, parts.length - 1))).join('/');
    const column = problem.startsWith('sentence') ? 'long' : kind;
    const counts = folders.get(folder) ?? new Map();
    counts.set(column, (counts.get(column) ?? 0) + 1);
    folders.set(folder, counts);
  }
  const columns = ['string', 'doc', 'long', 'comment', 'test name', 'commit'];
  console.log(`${'folder'.padEnd(24)}${columns.map((name) => name.padStart(11)).join('')}`);
  for (const [folder, counts] of [...folders].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(
      `${folder.padEnd(24)}${columns.map((name) => String(counts.get(name) ?? 0).padStart(11)).join('')}`,
    );
  }
}
