/** The schemas: tables, columns, and possible values of columns. */

/** Kinds of columns. */
export type Column =
  /** The primary key: integers from 1. */
  | { readonly kind: 'key'; readonly name: string }
  /** A unique name for each row. */
  | { readonly kind: 'label'; readonly name: string; readonly values: readonly string[] }
  /** One of several words. */
  | { readonly kind: 'word'; readonly name: string; readonly values: readonly string[] }
  | {
      readonly kind: 'number';
      readonly name: string;
      readonly least: number;
      readonly most: number;
    }
  /** A foreign key: the key of a row in another table. */
  | { readonly kind: 'reference'; readonly name: string; readonly to: string };

export interface TableSchema {
  readonly name: string;
  readonly columns: readonly Column[];
}

export interface Schema {
  readonly name: string;
  /** Referenced tables come first. */
  readonly tables: readonly TableSchema[];
}

const ID: Column = { kind: 'key', name: 'id' };

const label = (name: string, values: readonly string[]): Column => ({
  kind: 'label',
  name,
  values,
});
const word = (name: string, values: readonly string[]): Column => ({ kind: 'word', name, values });
const number = (name: string, least: number, most: number): Column => ({
  kind: 'number',
  name,
  least,
  most,
});
const to = (name: string, table: string): Column => ({ kind: 'reference', name, to: table });
const table = (name: string, ...columns: readonly Column[]): TableSchema => ({
  name,
  columns: [ID, ...columns],
});

const DAYS = ['Monday', 'Tuesday', 'Friday', 'Sunday'];
const TOWNS = ['Arvel', 'Calder', 'Fossby', 'Istra', 'Ostby'];
const PEOPLE = [
  ...['Ada', 'Boris', 'Clara', 'Dario', 'Edda', 'Felix', 'Greta', 'Hugo', 'Irma', 'Jonas'],
  ...['Katla', 'Leo', 'Mina', 'Nils', 'Olga', 'Pavel'],
];
const TITLES = [
  ...['Amber', 'Borders', 'Clouds', 'Dunes', 'Embers', 'Feathers', 'Glass', 'Hollow', 'Inlet'],
  ...['Juniper', 'Kites', 'Lantern', 'Mirrors', 'Nettles', 'Orbit', 'Pebbles'],
];

export const schemas: readonly Schema[] = [
  {
    name: 'shop',
    tables: [
      table(
        'items',
        label('name', [
          ...['lamp', 'rope', 'soap', 'tea', 'salt', 'rice', 'candle', 'kettle', 'basket', 'brush'],
          ...['mirror', 'ladder', 'pillow', 'bucket'],
        ]),
        word('colour', ['red', 'blue', 'green', 'white']),
        number('price', 1, 60),
        number('stock', 0, 40),
      ),
      table('orders', to('item_id', 'items'), word('day', DAYS), number('amount', 1, 20)),
    ],
  },
  {
    name: 'school',
    tables: [
      table(
        'pupils',
        label('name', PEOPLE),
        word('class', ['first', 'second', 'third']),
        number('age', 7, 18),
      ),
      table(
        'marks',
        to('pupil_id', 'pupils'),
        word('subject', ['music', 'history', 'art', 'physics']),
        number('points', 0, 60),
      ),
    ],
  },
  {
    name: 'library',
    tables: [
      table(
        'books',
        label('title', TITLES),
        word('genre', ['poems', 'novel', 'travel', 'fables']),
        number('pages', 20, 99),
      ),
      table('loans', to('book_id', 'books'), word('town', TOWNS), number('weeks', 1, 12)),
    ],
  },
  {
    name: 'zoo',
    tables: [
      table(
        'animals',
        label('name', [
          ...['Bella', 'Bruno', 'Coco', 'Daisy', 'Figo', 'Gina', 'Kira', 'Lotta', 'Momo', 'Nino'],
          ...['Pablo', 'Rosa', 'Tilda', 'Zorro'],
        ]),
        word('kind', ['otter', 'lynx', 'heron', 'tapir']),
        number('weight', 2, 99),
        number('age', 1, 30),
      ),
      table(
        'meals',
        to('animal_id', 'animals'),
        word('food', ['fish', 'hay', 'fruit', 'seeds']),
        number('amount', 1, 20),
      ),
    ],
  },
  {
    name: 'league',
    tables: [
      table(
        'teams',
        label('name', [
          ...['Falcons', 'Badgers', 'Comets', 'Dragons', 'Eagles', 'Foxes', 'Giants', 'Hornets'],
          ...['Jaguars', 'Lions', 'Otters', 'Pirates'],
        ]),
        word('town', TOWNS),
        number('wins', 0, 30),
      ),
      table(
        'players',
        label('name', PEOPLE),
        to('team_id', 'teams'),
        word('role', ['keeper', 'back', 'wing', 'striker']),
        number('goals', 0, 25),
      ),
    ],
  },
  {
    name: 'harbour',
    tables: [
      table(
        'ships',
        label('name', [
          ...['Albatross', 'Aurora', 'Beluga', 'Condor', 'Dolphin', 'Estrella', 'Fortuna'],
          ...['Galatea', 'Meridian', 'Neptune', 'Pelican', 'Triton'],
        ]),
        word('flag', ['Danish', 'Greek', 'Irish', 'Maltese']),
        number('length', 20, 99),
      ),
      table('trips', to('ship_id', 'ships'), word('town', TOWNS), number('days', 1, 40)),
    ],
  },
  {
    name: 'cinema',
    tables: [
      table(
        'films',
        label('title', TITLES),
        word('genre', ['comedy', 'western', 'drama', 'crime']),
        number('minutes', 60, 99),
        number('votes', 1, 90),
      ),
      table(
        'shows',
        to('film_id', 'films'),
        word('day', DAYS),
        word('hall', ['small', 'large', 'open-air']),
        number('seats', 20, 99),
      ),
    ],
  },
  {
    name: 'garden',
    tables: [
      table(
        'plants',
        label('name', [
          ...['sage', 'mint', 'rose', 'iris', 'fern', 'lily', 'thyme', 'tulip', 'peony', 'aster'],
          ...['clover', 'poppy', 'violet', 'daphne'],
        ]),
        word('bed', ['north', 'south', 'east', 'west']),
        word('colour', ['red', 'blue', 'yellow', 'white']),
        number('height', 5, 99),
        number('age', 1, 30),
      ),
    ],
  },
  {
    name: 'hotel',
    tables: [
      table(
        'rooms',
        label('name', [
          ...[
            'Attic',
            'Bay',
            'Cabin',
            'Dome',
            'Garden',
            'Loft',
            'Orchid',
            'Pearl',
            'Tower',
            'Vista',
          ],
        ]),
        word('floor', ['first', 'second', 'third']),
        number('price', 20, 99),
      ),
      table(
        'guests',
        label('name', PEOPLE),
        to('room_id', 'rooms'),
        word('town', TOWNS),
        number('nights', 1, 20),
      ),
    ],
  },
  {
    name: 'festival',
    tables: [
      table(
        'bands',
        label('name', [
          ...['Acorns', 'Bellows', 'Cinders', 'Drifters', 'Echoes', 'Gables', 'Hounds', 'Ivories'],
          ...['Jesters', 'Knots', 'Larks', 'Marvels'],
        ]),
        word('style', ['jazz', 'folk', 'rock', 'blues']),
        number('fee', 10, 99),
      ),
      table(
        'stages',
        label('name', ['Barn', 'Bridge', 'Castle', 'Hill', 'Lake', 'Market', 'Mill', 'Square']),
        word('town', TOWNS),
        number('seats', 20, 99),
      ),
      table(
        'concerts',
        to('band_id', 'bands'),
        to('stage_id', 'stages'),
        word('day', DAYS),
        number('minutes', 20, 99),
      ),
    ],
  },
];

export function columnsOf<Kind extends Column['kind']>(
  { columns }: TableSchema,
  kind: Kind,
): readonly Extract<Column, { kind: Kind }>[] {
  return columns.filter(
    (column): column is Extract<Column, { kind: Kind }> => column.kind === kind,
  );
}
