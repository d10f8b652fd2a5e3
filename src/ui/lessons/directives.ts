/** What lessons may hold beside Markdown: directives, and the elements that they become. */

/** A node of the syntax tree, as far as it is looked at here. */
export interface TextNode {
  readonly type: string;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, string | null | undefined>> | null;
  readonly children?: readonly TextNode[];
  readonly value?: string;
  data?: Record<string, unknown>;
}

interface Directive {
  /** `:name[…]` in a sentence, `::name[…]` on a line, `:::name[…]` around paragraphs. */
  readonly form: 'textDirective' | 'leafDirective' | 'containerDirective';
  readonly needs: readonly string[];
  readonly may?: readonly string[];
}

export const directives = {
  /** A term that opens its card. */
  term: { form: 'textDirective', needs: ['name'] },
  /** A number that kept files have to give. */
  kept: { form: 'textDirective', needs: ['claim'] },
  /** Begins the lesson’s run. */
  start: { form: 'leafDirective', needs: [], may: ['with'] },
  /** Begins two agents that differ in one thing. */
  twins: { form: 'leafDirective', needs: ['compare'] },
  /** Sets the lesson’s run up, so that its curve is drawn by hand before it begins. */
  sketch: { form: 'leafDirective', needs: [] },
  /** A setting of the run that trains. */
  knob: { form: 'leafDirective', needs: ['setting'] },
  /** A chart of the run that trains. */
  chart: { form: 'leafDirective', needs: ['of'] },
  /** Opens the walk through an iteration. */
  walk: { form: 'leafDirective', needs: [] },
  /** Goes to a part of the lab. */
  look: { form: 'leafDirective', needs: ['at'] },
  /** A question whose answers are a list, to be chosen from before the experiment. */
  predict: { form: 'containerDirective', needs: [] },
  /** What was seen on several seeds; it unfolds. */
  outcome: { form: 'containerDirective', needs: [] },
  /** A question, and its answer, which unfolds. */
  question: { form: 'containerDirective', needs: [] },
} as const satisfies Record<string, Directive>;

export type DirectiveName = keyof typeof directives;

/** The element that a directive becomes. */
export const elementOf = (name: DirectiveName | 'option' | 'options' | 'fault') => `lesson-${name}`;

const isKnown = (name: string | undefined): name is DirectiveName =>
  name !== undefined && Object.hasOwn(directives, name);

/** What is wrong with a directive, in a sentence; null where nothing is. */
export function faultOf({ type, name, attributes }: TextNode): string | null {
  if (!isKnown(name)) return `There is no part called “${name}”.`;
  const { form, needs, ...rest }: Directive = directives[name];
  if (form !== type) return `“${name}” begins with ${colons[form]}.`;
  const given = Object.keys(attributes ?? {});
  const missing = needs.filter((key) => !given.includes(key));
  if (missing.length > 0) return `“${name}” needs ${missing.join(', ')}.`;
  const unknown = given.filter((key) => ![...needs, ...(rest.may ?? [])].includes(key));
  return unknown.length > 0 ? `“${name}” does not take ${unknown.join(', ')}.` : null;
}

const colons = {
  textDirective: 'one colon',
  leafDirective: 'two colons',
  containerDirective: 'three colons',
} as const;

/** A plugin of remark: makes directives elements, which `parts` draws. */
export function asElements() {
  return (tree: unknown) => toElements(tree as TextNode);
}

function toElements(node: TextNode): void {
  const { type, name, attributes, children = [] } = node;
  if (type.endsWith('Directive')) {
    const fault = faultOf(node);
    if (fault === null && isKnown(name)) {
      node.data = { hName: elementOf(name), hProperties: { ...attributes } };
      for (const child of children) toPartOf(name, child);
    } else if (type === 'textDirective' && !isKnown(name)) {
      // A colon in a sentence, as in 3:2, is one.
      Object.assign(node, { type: 'text', value: `:${name}`, children: [] });
    } else {
      node.data = { hName: elementOf('fault'), hProperties: { fault } };
    }
  }
  for (const child of node.children ?? []) toElements(child);
}

/** The label of what unfolds, and the answers of a prediction. */
function toPartOf(name: DirectiveName, child: TextNode): void {
  if (name === 'question' && child.data?.directiveLabel === true) {
    child.data = { ...child.data, hName: 'summary' };
  }
  if (name !== 'predict' || child.type !== 'list') return;
  child.data = { ...child.data, hName: elementOf('options') };
  child.children?.forEach((item, place) => {
    item.data = { ...item.data, hName: elementOf('option'), hProperties: { place: String(place) } };
  });
}
