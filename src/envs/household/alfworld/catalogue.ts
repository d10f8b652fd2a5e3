/** Furniture of ALFWorld's rooms, and where things may be. */

export const ROOMS = ['kitchen', 'living room', 'bedroom', 'bathroom'] as const;
export type Room = (typeof ROOMS)[number];

/** A kind of receptacle: furniture or an appliance that holds things. */
interface Receptacle {
  readonly rooms: readonly Room[];
  /** Whether it has a door or a lid, which is closed at the start. */
  readonly opens?: true;
  /** Whether a room can have several of them. */
  readonly several?: true;
}

const receptacle = (
  rooms: readonly Room[],
  traits: Omit<Receptacle, 'rooms'> = {},
): Receptacle => ({ rooms, ...traits });

const [kitchen, living, bedroom, bathroom] = ROOMS;
const opens = { opens: true } as const;
const several = { several: true } as const;

const RECEPTACLES = {
  armchair: receptacle([living, bedroom], several),
  bathtubbasin: receptacle([bathroom]),
  bed: receptacle([bedroom]),
  box: receptacle([living], opens),
  cabinet: receptacle([kitchen, living, bathroom], { ...opens, ...several }),
  coffeemachine: receptacle([kitchen]),
  coffeetable: receptacle([living]),
  countertop: receptacle([kitchen, bathroom], several),
  desk: receptacle([living, bedroom]),
  diningtable: receptacle([kitchen, living]),
  drawer: receptacle([kitchen, living, bedroom, bathroom], { ...opens, ...several }),
  dresser: receptacle([living, bedroom]),
  fridge: receptacle([kitchen], opens),
  garbagecan: receptacle([kitchen, living, bedroom, bathroom]),
  handtowelholder: receptacle([bathroom], several),
  laundryhamper: receptacle([bedroom]),
  microwave: receptacle([kitchen], opens),
  safe: receptacle([living, bedroom], opens),
  shelf: receptacle([kitchen, living, bedroom, bathroom], several),
  sidetable: receptacle([kitchen, living, bedroom, bathroom], several),
  sinkbasin: receptacle([kitchen, bathroom]),
  sofa: receptacle([living]),
  stoveburner: receptacle([kitchen], several),
  toilet: receptacle([bathroom]),
  toiletpaperhanger: receptacle([bathroom]),
  towelholder: receptacle([bathroom]),
  tvstand: receptacle([living]),
} as const satisfies Record<string, Receptacle>;

export type ReceptacleKind = keyof typeof RECEPTACLES;
export const receptacleKinds = Object.keys(RECEPTACLES) as readonly ReceptacleKind[];

export const receptacleOf = (kind: ReceptacleKind): Receptacle => RECEPTACLES[kind];

/** A kind of thing that can be carried, or a lamp, which cannot. */
export interface Good {
  readonly rooms: readonly Room[];
  /** The kinds of receptacles it may be in or on. */
  readonly places: readonly ReceptacleKind[];
  readonly heats?: true;
  readonly cools?: true;
  readonly cleans?: true;
  readonly slices?: true;
  /** Whether it slices things. */
  readonly cuts?: true;
  /** Whether it is a lamp, which cannot be moved. */
  readonly shines?: true;
  /** Whether a goal can ask the agent to look at it under a lamp. */
  readonly looked?: true;
}

type Traits = Omit<Good, 'rooms' | 'places'>;
type Places = readonly ReceptacleKind[];

const good = (rooms: readonly Room[], places: Places, traits: Traits = {}): Good => ({
  rooms,
  places,
  ...traits,
});

const heats = { heats: true } as const;
const cools = { cools: true } as const;
const cleans = { cleans: true } as const;
const slices = { slices: true } as const;
const looked = { looked: true } as const;

const worktop = ['countertop', 'diningtable', 'sidetable'] as const;
const cold = [...worktop, 'fridge', 'garbagecan', 'sinkbasin'] as const;
const warm = [...cold, 'microwave'] as const;
const cutlery = [...worktop, 'drawer', 'sinkbasin'] as const;
const dishes = [...worktop, 'cabinet', 'shelf', 'sinkbasin', 'fridge'] as const;
const tables = ['coffeetable', 'desk', 'diningtable', 'dresser', 'sidetable'] as const;
const small = [...tables, 'drawer', 'shelf', 'tvstand'] as const;
const soft = ['armchair', 'bed', 'sofa'] as const;
const washing = ['bathtubbasin', 'cabinet', 'countertop', 'garbagecan', 'sinkbasin'] as const;
const rooms = [living, bedroom];

const GOODS = {
  alarmclock: good([bedroom], ['desk', 'dresser', 'shelf', 'sidetable'], looked),
  apple: good([kitchen], warm, { ...heats, ...cools, ...cleans, ...slices }),
  baseballbat: good([bedroom], ['bed', 'desk', 'dresser', 'sidetable'], looked),
  basketball: good([bedroom], ['armchair', 'bed', 'dresser', 'laundryhamper'], looked),
  book: good(rooms, [...small, ...soft], looked),
  bowl: good([kitchen], dishes, { ...heats, ...cools, ...cleans }),
  bread: good([kitchen], ['countertop', 'diningtable', 'fridge', 'microwave', 'garbagecan'], {
    ...heats,
    ...cools,
    ...slices,
  }),
  butterknife: good([kitchen], cutlery, { ...cleans, cuts: true }),
  candle: good(
    [bathroom, living],
    [
      'bathtubbasin',
      'cabinet',
      'coffeetable',
      'countertop',
      'drawer',
      'shelf',
      'sidetable',
      'toilet',
    ],
  ),
  cd: good(
    [bedroom],
    ['desk', 'drawer', 'dresser', 'garbagecan', 'safe', 'shelf', 'sidetable'],
    looked,
  ),
  cellphone: good(rooms, [...small, 'armchair', 'bed', 'safe', 'sofa'], looked),
  cloth: good([bathroom], [...washing, 'drawer'], cleans),
  creditcard: good(rooms, [...small, 'armchair', 'safe', 'sofa'], looked),
  cup: good([kitchen], [...dishes, 'microwave'], { ...heats, ...cools, ...cleans }),
  desklamp: good(rooms, ['coffeetable', 'desk', 'dresser', 'shelf', 'sidetable', 'tvstand'], {
    shines: true,
  }),
  dishsponge: good(
    [kitchen, bathroom],
    [...worktop, 'bathtubbasin', 'cabinet', 'drawer', 'shelf', 'sinkbasin'],
    cleans,
  ),
  egg: good([kitchen], warm, { ...heats, ...cools, ...cleans }),
  fork: good([kitchen], cutlery, cleans),
  glassbottle: good(
    [kitchen],
    [...worktop, 'cabinet', 'fridge', 'garbagecan', 'shelf', 'sinkbasin'],
    cools,
  ),
  handtowel: good([bathroom], ['cabinet', 'countertop', 'handtowelholder', 'sinkbasin']),
  kettle: good([kitchen], [...worktop, 'cabinet', 'shelf', 'stoveburner', 'sinkbasin'], cleans),
  keychain: good(rooms, [...small, 'armchair', 'bed', 'safe', 'sofa'], looked),
  knife: good([kitchen], cutlery, { ...cleans, cuts: true }),
  ladle: good([kitchen], cutlery, cleans),
  laptop: good(rooms, [...tables, 'armchair', 'bed', 'sofa'], looked),
  lettuce: good([kitchen], cold, { ...cools, ...cleans, ...slices }),
  mug: good([kitchen], [...dishes, 'coffeemachine', 'microwave'], {
    ...heats,
    ...cools,
    ...cleans,
  }),
  newspaper: good(
    [living],
    [...soft, 'coffeetable', 'diningtable', 'drawer', 'garbagecan', 'sidetable', 'tvstand'],
    looked,
  ),
  pan: good([kitchen], [...worktop, 'cabinet', 'fridge', 'sinkbasin', 'stoveburner'], {
    ...cools,
    ...cleans,
  }),
  pen: good(rooms, [...small, 'garbagecan'], looked),
  pencil: good(rooms, [...small, 'garbagecan'], looked),
  peppershaker: good([kitchen], [...worktop, 'cabinet', 'drawer', 'shelf']),
  pillow: good(rooms, soft, looked),
  plate: good([kitchen], [...dishes, 'microwave'], { ...heats, ...cools, ...cleans }),
  pot: good([kitchen], [...worktop, 'cabinet', 'fridge', 'sinkbasin', 'stoveburner'], {
    ...cools,
    ...cleans,
  }),
  potato: good([kitchen], warm, { ...heats, ...cools, ...cleans, ...slices }),
  remotecontrol: good([living], [...tables, ...soft, 'drawer', 'shelf', 'tvstand'], looked),
  saltshaker: good([kitchen], [...worktop, 'cabinet', 'drawer', 'shelf']),
  soapbar: good([bathroom], [...washing, 'drawer', 'shelf', 'toilet'], cleans),
  soapbottle: good(
    [kitchen, bathroom],
    [...worktop, 'bathtubbasin', 'cabinet', 'drawer', 'garbagecan', 'shelf', 'sinkbasin', 'toilet'],
  ),
  spatula: good([kitchen], cutlery, cleans),
  spoon: good([kitchen], cutlery, cleans),
  spraybottle: good([bathroom], [...washing, 'drawer', 'shelf', 'sidetable', 'toilet']),
  statue: good([living], [...tables, 'safe', 'shelf', 'tvstand'], looked),
  teddybear: good([bedroom], [...soft, 'dresser', 'laundryhamper', 'sidetable']),
  tissuebox: good(
    [bathroom, living],
    [...tables, 'cabinet', 'countertop', 'drawer', 'garbagecan', 'shelf', 'toilet', 'tvstand'],
    looked,
  ),
  toiletpaper: good(
    [bathroom],
    ['cabinet', 'countertop', 'drawer', 'garbagecan', 'shelf', 'toilet', 'toiletpaperhanger'],
  ),
  tomato: good([kitchen], warm, { ...heats, ...cools, ...cleans, ...slices }),
  towel: good([bathroom], ['bathtubbasin', 'towelholder']),
  vase: good(
    [living, kitchen],
    [...tables, 'cabinet', 'countertop', 'safe', 'shelf', 'tvstand'],
    looked,
  ),
  watch: good(rooms, [...small, 'armchair', 'safe', 'sofa'], looked),
  winebottle: good([kitchen], [...worktop, 'cabinet', 'fridge', 'garbagecan'], cools),
} as const satisfies Record<string, Good>;

export type GoodKind = keyof typeof GOODS;
export const goodKinds = Object.keys(GOODS) as readonly GoodKind[];

export const goodOf = (kind: GoodKind): Good => GOODS[kind];
