/** Sentences with placeholders, such as `What {column} do the {table} have?` */

const PLACE = /\{(\w+)\}/;

/** Values of the placeholders by name. */
export type Fillings = Readonly<Record<string, string | number>>;

/** Throws a RangeError for a placeholder without a value. */
export function fill(pattern: string, fillings: Fillings): string {
  return pattern
    .split(PLACE)
    .map((piece, i) => {
      const filling = i % 2 === 0 ? piece : fillings[piece];
      if (filling === undefined) throw new RangeError(`no value for {${piece}}`);
      return String(filling);
    })
    .join('');
}
