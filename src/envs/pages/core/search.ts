import MiniSearch from 'minisearch';

/** A document to search: texts by field name. */
type Document = Readonly<Record<string, string>>;

/** Maximum number of words looked up per query. */
const MAX_QUERY_TERMS = 16;
/** Scores are compared at this precision, because engines may differ in the last digits of a logarithm. */
const SCORE_STEPS = 1e6;

/** The words that a search uses, in lower case: letters, digits and apostrophes. */
const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

/**
 * Searches documents by BM25+ (Lv and Zhai, CIKM 2011, "Lower-bounding term frequency normalization") with
 * MiniSearch. Returns the numbers of the documents that share a word with the query, best first.
 */
export function searchIndex(
  documents: readonly Document[],
): (query: string, most: number) => readonly number[] {
  const index = new MiniSearch({
    fields: [...new Set(documents.flatMap((document) => Object.keys(document)))],
    idField: 'number',
    tokenize: wordsOf,
    // Already done by `wordsOf`.
    processTerm: (term) => term,
  });
  index.addAll(documents.map((document, number) => ({ ...document, number })));
  return (query, most) => {
    const words = [...new Set(wordsOf(query))].slice(0, MAX_QUERY_TERMS).sort().join(' ');
    return index
      .search(words)
      .map(({ id, score }) => ({ id: Number(id), score: Math.round(score * SCORE_STEPS) }))
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, most)
      .map(({ id }) => id);
  };
}
