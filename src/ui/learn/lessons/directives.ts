/** The directives that lessons may use besides Markdown, and the elements they become. */

/** The parts of a syntax tree node that are used here. */
export interface TextNode {
  readonly type: string;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, string | null | undefined>> | null;
  readonly children?: readonly TextNode[];
  readonly value?: string;
  data?: Record<string, unknown>;
}

interface Directive {
  /** `:name[…]` inline, `::name[…]` on its own line, `:::name[…]` around paragraphs. */
  readonly form: 'textDirective' | 'leafDirective' | 'containerDirective';
  readonly needs: readonly string[];
  readonly may?: readonly string[];
}

export const directives = {
  /** A term that opens its definition. */
  term: { form: 'textDirective', needs: ['name'] },
  /** A number that a test recomputes from kept runs. */
  kept: { form: 'textDirective', needs: ['claim'] },
  /** Starts the lesson’s run, or with `paused` prepares it. */
  start: { form: 'leafDirective', needs: [], may: ['with', 'paused'] },
  /** Starts two agents that differ in one setting. */
  twins: { form: 'leafDirective', needs: ['compare'] },
  /** Prepares the lesson’s run, so that the reader draws the curve before it starts. */
  sketch: { form: 'leafDirective', needs: [] },
  /** A setting of the running run. */
  knob: { form: 'leafDirective', needs: ['setting'] },
  /** A chart of the lesson’s run. */
  chart: { form: 'leafDirective', needs: ['of'] },
  /** Opens the step-through of an iteration, of the lesson’s run with the settings of `with`. */
  walk: { form: 'leafDirective', needs: [], may: ['with'] },
  /** Opens the maze editor. */
  draw: { form: 'leafDirective', needs: [] },
  /** Opens the network view. */
  network: { form: 'leafDirective', needs: [] },
  /** Scrolls to a part of the lab. */
  look: { form: 'leafDirective', needs: ['at'] },
  /**
   * A multiple-choice question before the experiment; `answer` is the number of the correct choice,
   * from 1.
   */
  predict: { form: 'containerDirective', needs: ['answer'] },
  /** The result over several seeds; collapsed at first. */
  outcome: { form: 'containerDirective', needs: [] },
  /** A question and its answer; the answer is collapsed at first. */
  question: { form: 'containerDirective', needs: [] },
} as const satisfies Record<string, Directive>;

export type DirectiveName = keyof typeof directives;

/** The element name of a directive. */
export const elementOf = (name: DirectiveName | 'option' | 'options' | 'fault') => `lesson-${name}`;

const isKnown = (name: string | undefined): name is DirectiveName =>
  name !== undefined && Object.hasOwn(directives, name);

/** An error message for a directive, or null. */
export function faultOf({ type, name, attributes }: TextNode): string | null {
  if (!isKnown(name)) return `There is no directive “${name}”.`;
  const { form, needs, ...rest }: Directive = directives[name];
  if (form !== type) return `“${name}” must start with ${colons[form]}.`;
  const given = Object.keys(attributes ?? {});
  const missing = needs.filter((key) => !given.includes(key));
  if (missing.length > 0) return `“${name}” requires ${missing.join(', ')}.`;
  const unknown = given.filter((key) => ![...needs, ...(rest.may ?? [])].includes(key));
  return unknown.length > 0 ? `“${name}” does not accept ${unknown.join(', ')}.` : null;
}

const colons = {
  textDirective: 'one colon',
  leafDirective: 'two colons',
  containerDirective: 'three colons',
} as const;

/** Remark plugin: turns directives into elements, which `parts` renders. */
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
      // A plain colon, as in 3:2.
      Object.assign(node, { type: 'text', value: `:${name}`, children: [] });
    } else {
      node.data = { hName: elementOf('fault'), hProperties: { fault } };
    }
  }
  for (const child of node.children ?? []) toElements(child);
}

/** Marks the summary of a question and the choices of a prediction. */
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
