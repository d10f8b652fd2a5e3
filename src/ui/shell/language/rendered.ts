/** Translates the texts among the properties of a rendered element. */

import { Fragment } from 'react';
import { current, shown } from './current.ts';
import { cutAtElements, elementAt, elementMark, isElementMark } from './translate.ts';

type Properties = Readonly<Record<string, unknown>>;

const attributes = [
  'title',
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'alt',
  'placeholder',
  'label',
] as const;

const isText = (child: unknown): child is string | number =>
  typeof child === 'string' || typeof child === 'number';
const isNothing = (child: unknown) =>
  child === null || child === undefined || typeof child === 'boolean';

/**
 * Translates the texts in the properties of an HTML or SVG element or a fragment. A component's properties
 * stay unchanged, because their texts end up in elements. `translate="no"`, for text of an environment or
 * an agent, leaves an element's own texts unchanged.
 */
export function translated<P>(type: unknown, properties: P): P {
  if (typeof type !== 'string' && type !== Fragment) return properties;
  const before = properties as Properties;
  if (before.translate === 'no' || type === 'style' || type === 'script') return properties;
  const changes: Record<string, unknown> = {};
  for (const name of attributes) {
    const text = before[name];
    if (typeof text === 'string') changes[name] = shown(text);
  }
  // The chosen option of a select is the value of a text field.
  if (type === 'input' && before.readOnly === true && typeof before.value === 'string') {
    changes.value = shown(before.value);
  }
  const { children } = before;
  if (isText(children)) changes.children = shown(String(children));
  else if (Array.isArray(children) && children.some(isText)) {
    changes.children = translatedChildren(children);
  }
  return Object.keys(changes).length === 0 ? properties : ({ ...before, ...changes } as P);
}

/**
 * Translates a sentence that may contain elements; the translation may reorder words and elements.
 */
function translatedChildren(children: readonly unknown[]): readonly unknown[] {
  const elements = children.filter((child) => !isText(child) && !isNothing(child));
  let seen = 0;
  const text = children
    .map((child) => (isText(child) ? child : isNothing(child) ? '' : elementMark(seen++)))
    .join('');
  const pieces = cutAtElements(current.translate?.(text) ?? '');
  const order = pieces.filter(isElementMark).map(elementAt);
  if (elements.length === 0 || order.length !== elements.length) return byRuns(children);
  return pieces.map((piece) => {
    if (!isElementMark(piece)) return piece;
    return elements[elementAt(piece)];
  });
}

/** Translates the text between two elements. Every child keeps its position, and so its state. */
function byRuns(children: readonly unknown[]): readonly unknown[] {
  const result = [...children];
  let run: number[] = [];
  const end = () => {
    const [first] = run;
    if (first === undefined) return;
    const text = run.map((at) => String(children[at])).join('');
    for (const at of run) result[at] = null;
    result[first] = shown(text);
    run = [];
  };
  children.forEach((child, at) => {
    if (isText(child)) run.push(at);
    else if (!isNothing(child)) end();
  });
  end();
  return result;
}
