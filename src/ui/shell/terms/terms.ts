/** Terms with a definition. */

import type { Language } from '../language/store.ts';

/** Forms of each term in texts, as regular expressions. */
const forms = {
  token: { en: 'tokens?', de: 'Tokens?' },
  policy: { en: 'policy', de: 'Strategie|Policy' },
  episode: { en: 'episodes?', de: 'Episoden?' },
  reward: { en: 'reward(?:s|ed)?', de: 'Belohnung(?:en)?' },
  horizon: { en: 'horizon', de: 'Horizonts?' },
  evaluation: { en: 'evaluation', de: 'Evaluation' },
  greedy: {
    en: 'greedy play|greed(?:y|ily)|most probable word|favorite word',
    de: 'Greedy-Spiel|greedy|wahrscheinlichste Wort',
  },
  imitation: { en: 'imitation', de: 'Nachahmung' },
  update: { en: 'updates?', de: 'Lernschritt(?:e|s|en)?' },
  gradient: { en: 'gradients?(?: norm)?', de: 'Gradient(?:en)?(?:norm)?' },
  advantage: { en: 'advantages?', de: 'Vorteil(?:e|en|s)?' },
  value: { en: 'value head', de: 'Wertekopf' },
  objective: { en: 'surrogate|objective', de: 'Zielfunktion|Surrogat' },
  ratio: { en: 'ratios?', de: 'Verhältnis(?:se|ses|sen)?' },
  clipping: {
    en: 'clipp(?:ing|ed)|(?:lower|upper) bound',
    de: 'Clipping(?:-Grenzen?)?|(?:untere|obere)n? Grenze',
  },
  entropy: { en: 'entropy', de: 'Entropie' },
  nat: { en: 'nats?', de: 'Nat' },
  kl: { en: 'KL(?: divergence)?', de: 'KL(?:-Divergenz)?' },
} as const;

export type TermName = keyof typeof forms;

export const isTerm = (name: string): name is TermName => name in forms;

/** In teaching order. */
export const termNames = Object.keys(forms).filter(isTerm);

const patternIn = (language: Language) =>
  new RegExp(
    `(?<!\\p{L})(?:${termNames.map((name) => `(?<${name}>${forms[name][language]})`).join('|')})(?!\\p{L})`,
    'giu',
  );
const patterns: Readonly<Record<Language, RegExp>> = { en: patternIn('en'), de: patternIn('de') };

/** A piece of text; with a name it is a term. */
export interface Piece {
  readonly text: string;
  readonly name?: TermName;
}

/** Splits a text at its terms. Only the first occurrence of a term is marked. */
export function cutAtTerms(text: string, language: Language): readonly Piece[] {
  const pieces: Piece[] = [];
  const met = new Set<TermName>();
  let from = 0;
  for (const { 0: word, index, groups = {} } of text.matchAll(patterns[language])) {
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
