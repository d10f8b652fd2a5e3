/** Terms with a definition. */

/** Forms of each term in texts, as regular expressions. */
const forms = {
  token: 'tokens?',
  policy: 'policy',
  episode: 'episodes?',
  reward: 'reward(?:s|ed)?',
  horizon: 'horizon',
  evaluation: 'evaluation',
  greedy: 'greedy play|greed(?:y|ily)|most probable word|favorite word',
  imitation: 'imitation',
  update: 'updates?',
  gradient: 'gradients?(?: norm)?',
  advantage: 'advantages?',
  value: 'value head',
  objective: 'surrogate|objective',
  ratio: 'ratios?',
  clipping: 'clipp(?:ing|ed)|(?:lower|upper) bound',
  entropy: 'entropy',
  nat: 'nats?',
  kl: 'KL(?: divergence)?',
} as const;

export type TermName = keyof typeof forms;

export const isTerm = (name: string): name is TermName => name in forms;

/** In teaching order. */
export const termNames = Object.keys(forms).filter(isTerm);

const pattern = new RegExp(
  `\\b(?:${termNames.map((name) => `(?<${name}>${forms[name]})`).join('|')})\\b`,
  'gi',
);

/** A piece of text; with a name it is a term. */
export interface Piece {
  readonly text: string;
  readonly name?: TermName;
}

/** Splits a text at its terms. Only the first occurrence of a term is marked. */
export function cutAtTerms(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const met = new Set<TermName>();
  let from = 0;
  for (const { 0: word, index, groups = {} } of text.matchAll(pattern)) {
    const name = termNames.find((one) => groups[one] !== undefined);
    if (name === undefined || met.has(name)) continue;
    met.add(name);
    if (index > from) pieces.push({ text: text.slice(from, index) });
    pieces.push({ text: word, name });
    from = index + word.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
