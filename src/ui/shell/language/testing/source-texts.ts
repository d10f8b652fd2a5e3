/** Finds the texts in source files, in the form in which a catalog lists them. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { sentencesOf, slot } from '../translate.ts';

export interface SourceText {
  readonly text: string;
  /** It is the content or a labeling attribute of an element, so the page certainly shows it. */
  readonly rendered: boolean;
}

/** A piece of a text: literal text, or a placeholder for a value or for an element. */
type Piece = string | typeof VALUE | typeof ELEMENT;
const VALUE = Symbol('an inserted text');
const ELEMENT = Symbol('an inserted element');

const attributes =
  /^(?:title|label|alt|placeholder|description|hint|caption|aria-(?:label|description|roledescription|valuetext))$/;
const hasWord = (text: string) => /[A-Za-z]{2,}/.test(text.replace(slot, ''));

/** Source files below a folder, without tests. */
export function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory())
      return /^(?:testing|cases|de)$/.test(name) ? [] : sourceFiles(path);
    return /\.tsx?$/.test(name) && !/\.(?:test|d)\.tsx?$/.test(name) ? [path] : [];
  });
}

/** The sentences, labels and fragments of a file. */
export function textsIn(path: string): readonly SourceText[] {
  const found = new Map<string, boolean>();
  const add = (pieces: readonly Piece[], rendered: boolean) => {
    for (const text of sentencesOf(textOf(pieces))) {
      // An inserted sentence before this one is a separate entry.
      const own = renamed(text.replace(/^\{[a-z]\} (?=[A-Z])/, ''));
      if (hasWord(own)) found.set(own, rendered || found.get(own) === true);
    }
  };
  const source = ts.createSourceFile(
    path,
    readFileSync(path, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const visitInserted = (node: ts.TemplateExpression) => {
    for (const { expression } of node.templateSpans) visit(expression);
  };
  function visit(node: ts.Node): void {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      addChildren(node.children);
      if (ts.isJsxElement(node)) visit(node.openingElement);
      return;
    }
    if (ts.isJsxAttribute(node)) {
      const { initializer } = node;
      const value =
        initializer !== undefined && ts.isJsxExpression(initializer)
          ? initializer.expression
          : initializer;
      if (value === undefined) return;
      const rendered = attributes.test(node.name.getText());
      if (isLiteral(value)) add(piecesOf(value), rendered);
      if (ts.isTemplateExpression(value)) visitInserted(value);
      else if (!isLiteral(value)) visit(value);
      return;
    }
    if (isLiteral(node)) {
      add(piecesOf(node), false);
      if (ts.isTemplateExpression(node)) visitInserted(node);
      return;
    }
    if (isSum(node)) add(piecesOf(node), false);
    ts.forEachChild(node, visit);
  }
  function addChildren(children: ts.NodeArray<ts.JsxChild>): void {
    const pieces = children.flatMap((child): readonly Piece[] => {
      if (ts.isJsxText(child)) return [jsxText(child.text)];
      if (!ts.isJsxExpression(child)) return [ELEMENT];
      if (child.expression === undefined) return [];
      return holdsElement(child.expression) ? [ELEMENT] : piecesOf(child.expression);
    });
    const isText = (piece: Piece) => typeof piece === 'string' && piece.trim() !== '';
    const first = pieces.findIndex(isText);
    const last = pieces.findLastIndex(isText);
    // Elements around a text do not belong to its sentence; inserted values do.
    const from = pieces.lastIndexOf(ELEMENT, Math.max(0, first)) + 1;
    const end = pieces.indexOf(ELEMENT, last);
    const inside = pieces.slice(first < from ? 0 : from, end < 0 ? pieces.length : end);
    if (first >= 0 && inside.some((piece) => typeof piece === 'string' && hasWord(piece))) {
      add(inside, true);
    }
    for (const child of children) {
      if (ts.isJsxText(child)) continue;
      if (ts.isJsxExpression(child) && child.expression !== undefined) {
        if (ts.isTemplateExpression(child.expression)) visitInserted(child.expression);
        else if (!isLiteral(child.expression)) visit(child.expression);
      } else visit(child);
    }
  }
  visit(source);
  return [...found].map(([text, rendered]) => ({ text, rendered }));
}

const isLiteral = (node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

const isSum = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;

function piecesOf(node: ts.Expression): readonly Piece[] {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
    return piecesOf(node.expression);
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (isSum(node)) return [...piecesOf(node.left), ...piecesOf(node.right)];
  if (!ts.isTemplateExpression(node)) return [VALUE];
  return [
    node.head.text,
    ...node.templateSpans.flatMap(({ expression, literal }): readonly Piece[] => [
      ts.isStringLiteralLike(expression) ? expression.text : VALUE,
      literal.text,
    ]),
  ];
}

function holdsElement(node: ts.Node): boolean {
  if (ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node)) {
    return true;
  }
  return ts.forEachChild(node, holdsElement) ?? false;
}

/** Joins the lines of a text as JSX does. */
function jsxText(text: string): string {
  const lines = text.split('\n');
  if (lines.length === 1) return text;
  return lines
    .map((line, i) => {
      const started = i === 0 ? line : line.trimStart();
      return i === lines.length - 1 ? started : started.trimEnd();
    })
    .filter((line) => line !== '')
    .join(' ');
}

/** Names the placeholders of a sentence in order: `{a}`, `{b}`, … and `<0>`, `<1>`, … */
function renamed(text: string): string {
  let values = 0;
  let elements = 0;
  return text.replace(slot, (found) =>
    found.startsWith('{') ? `{${String.fromCharCode(97 + values++)}}` : `<${elements++}>`,
  );
}

function textOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (piece === VALUE ? '{a}' : piece === ELEMENT ? '<0>' : piece))
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}
