/** Sentences with places, such as `What {column} do the {table} have?` */

const PLACE = /\{(\w+)\}/;

/** What stands in the places, as it is written there. */
export type Fillings = Readonly<Record<string, string | number>>;

/** Throws a RangeError for a place without a filling. */
export function fill(pattern: string, fillings: Fillings): string {
  return pattern
    .split(PLACE)
    .map((piece, i) => {
      const filling = i % 2 === 0 ? piece : fillings[piece];
      if (filling === undefined) throw new RangeError(`nothing stands for {${piece}}`);
      return String(filling);
    })
    .join('');
}
