/** Icons of items, with shape and color derived from the name. */

/**
 * The color of a part: the item's color, a darker or lighter shade of it, a thin line, a cord, or brown for
 * handles, green for leaves, and orange for flames.
 */
export type Tone = 'base' | 'dark' | 'light' | 'line' | 'cord' | 'handle' | 'leaf' | 'flame';

/** A part of an icon: an SVG path in a square of 24 × 24. */
export type Part = readonly [tone: Tone, path: string];

const HANDLE: Part = ['handle', 'M11 4H13V22H11Z'];

/** The shapes that items can have. */
const SHAPES = {
  log: [
    ['base', 'M7 5H18a3 7 0 0 1 0 14H7Z'],
    ['light', 'M7 5a3 7 0 1 0 0 14a3 7 0 1 0 0-14Z'],
    ['line', 'M7 8.6a1.5 3.4 0 1 0 0 6.8a1.5 3.4 0 1 0 0-6.8ZM13 9H18M12 15H17'],
  ],
  planks: [
    ['base', 'M3 4H21V20H3Z'],
    ['line', 'M3 9.3H21M3 14.7H21M10 4V9.3M15 9.3V14.7M8 14.7V20'],
  ],
  block: [
    ['light', 'M12 3L21 7.5L12 12L3 7.5Z'],
    ['base', 'M3 7.5L12 12V21L3 16.5Z'],
    ['dark', 'M21 7.5L12 12V21L21 16.5Z'],
  ],
  slab: [
    ['light', 'M12 7L21 11.5L12 16L3 11.5Z'],
    ['base', 'M3 11.5L12 16V20.5L3 16Z'],
    ['dark', 'M21 11.5L12 16V20.5L21 16Z'],
  ],
  carpet: [
    ['light', 'M12 8.5L22 13.5L12 18.5L2 13.5Z'],
    ['dark', 'M2 13.5L12 18.5L22 13.5V15L12 20L2 15Z'],
  ],
  stairs: [
    ['base', 'M3 20V14.7H9V9.4H15V4H21V20Z'],
    ['light', 'M3 14.7H9V16.4H3ZM9 9.4H15V11H9ZM15 4H21V5.6H15Z'],
  ],
  wall: [
    ['base', 'M2 11H22V20H2Z'],
    ['dark', 'M8.5 5H15.5V20H8.5Z'],
    ['light', 'M7.5 4H16.5V6.5H7.5Z'],
  ],
  fence: [
    ['dark', 'M2 8H22V10.5H2ZM2 14H22V16.5H2Z'],
    ['base', 'M5 4H8.4V20H5ZM15.6 4H19V20H15.6Z'],
  ],
  gate: [
    ['base', 'M2.5 4H5.5V20H2.5ZM18.5 4H21.5V20H18.5Z'],
    ['dark', 'M5.5 8H18.5V10.2H5.5ZM5.5 14H18.5V16.2H5.5ZM10.9 8H13.1V16.2H10.9Z'],
  ],
  door: [
    ['base', 'M6.5 2H17.5V22H6.5Z'],
    ['dark', 'M8.5 4H15.5V10H8.5ZM8.5 13.5H15.5V20H8.5Z'],
    ['light', 'M14.4 11.2H16V12.8H14.4Z'],
  ],
  trapdoor: [
    ['base', 'M3 5H21V19H3Z'],
    ['dark', 'M5.5 7.5H11V11H5.5ZM13 7.5H18.5V11H13ZM5.5 13H11V16.5H5.5ZM13 13H18.5V16.5H13Z'],
  ],
  plate: [
    ['light', 'M12 11L19 14.5L12 18L5 14.5Z'],
    ['dark', 'M5 14.5L12 18L19 14.5V16.2L12 19.7L5 16.2Z'],
  ],
  button: [
    ['base', 'M7.5 9H16.5V15.5H7.5Z'],
    ['dark', 'M7.5 13.6H16.5V15.5H7.5Z'],
  ],
  sign: [
    ['handle', 'M11 14H13V22H11Z'],
    ['base', 'M3 4H21V14.5H3Z'],
    ['line', 'M6 7.6H18M6 10.8H14'],
  ],
  boat: [
    ['base', 'M2 11H22L18.5 18.5H5.5Z'],
    ['dark', 'M2 11H22L21.2 12.8H2.8Z'],
    ['handle', 'M6.2 5L15.4 15.6L14.2 16.7L5 6Z'],
  ],
  rod: [['base', 'M5 18L17 5L19 7L7 20Z']],
  pickaxe: [HANDLE, ['base', 'M3 11Q12 -1 21 11L19.4 12Q12 5.5 4.6 12Z']],
  axe: [HANDLE, ['base', 'M12.4 4.5Q20.5 4 20 13Q16.5 10.4 12.4 11.4Z']],
  hoe: [HANDLE, ['base', 'M4.5 3.5H13V6.6H7.4L4.5 9.4Z']],
  shovel: [
    ['handle', 'M11 2H13V14H11Z'],
    ['base', 'M8 12.5H16V18Q12 24.5 8 18Z'],
  ],
  sword: [
    ['base', 'M12 1.5L14.2 4.5V15H9.8V4.5Z'],
    ['handle', 'M6.6 15H17.4V17.2H6.6ZM11 17.2H13V22.4H11Z'],
  ],
  helmet: [['base', 'M4 18.5V11.5Q4 4.5 12 4.5Q20 4.5 20 11.5V18.5H16V12.6H8V18.5Z']],
  chestplate: [['base', 'M3 6L8 3Q12 7.4 16 3L21 6V12L18 11V21H6V11L3 12Z']],
  leggings: [['base', 'M6 3H18L18.6 21H13.7L12.6 10H11.4L10.3 21H5.4Z']],
  boots: [['base', 'M4 5H9.6V15L10.6 19H2.6ZM14.4 5H20L21.4 19H13.4L14.4 15Z']],
  ingot: [
    ['light', 'M7.4 8H16.6L19 12.5H5Z'],
    ['base', 'M5 12.5H19L21 18H3Z'],
  ],
  gem: [
    ['light', 'M7.5 4H16.5L21 10H3Z'],
    ['base', 'M3 10H21L12 21.5Z'],
    ['line', 'M8.5 10L12 21.5L15.5 10L13.6 4M8.5 10L10.4 4'],
  ],
  heap: [
    ['base', 'M3 19Q4.4 12.6 8.4 13.4Q11.6 5.4 15.6 12Q20 11.6 21 19Z'],
    ['light', 'M10.4 11.6Q12 8.6 13.8 11Q12.4 12.6 10.4 11.6Z'],
  ],
  flower: [
    ['leaf', 'M11.3 11H12.7V22H11.3ZM12.5 18Q14 13.6 18.4 13.6Q17.4 18 12.5 19Z'],
    [
      'base',
      'M12 1.6Q15.4 2.6 14.2 5.8Q17.8 5.4 18 9Q17 12.6 13.6 11Q12 14.6 10.4 11Q7 12.6 6 9Q6.2 5.4 9.8 5.8Q8.6 2.6 12 1.6Z',
    ],
    ['light', 'M12 6.4a1.9 1.9 0 1 0 0 3.8a1.9 1.9 0 1 0 0-3.8Z'],
  ],
  fruit: [
    ['base', 'M12 5.5a7.8 7.8 0 1 0 0 15.6a7.8 7.8 0 1 0 0-15.6Z'],
    ['leaf', 'M12 6Q11.6 1.8 16.2 2Q16 6 12 6Z'],
    ['light', 'M7.4 11.4Q8.4 8.6 10.8 8.4Q9 10 8.6 12.4Z'],
  ],
  plant: [
    ['leaf', 'M11.2 12H12.8V22H11.2Z'],
    [
      'base',
      'M12 2Q17 8 12 15Q7 8 12 2ZM11 19Q4.6 18 4.4 11.4Q10 12.6 11 19ZM13 19Q19.4 18 19.6 11.4Q14 12.6 13 19Z',
    ],
  ],
  bed: [
    ['handle', 'M2.5 16H5V21H2.5ZM19 16H21.5V21H19Z'],
    ['base', 'M2.5 10.5H21.5V17H2.5Z'],
    ['light', 'M2.5 8.4H9V12.4H2.5Z'],
  ],
  banner: [
    ['handle', 'M4.4 2H6.2V22H4.4Z'],
    ['base', 'M6.2 3H19.6V18L12.9 14.6L6.2 18Z'],
  ],
  glass: [
    ['light', 'M3.5 3.5H20.5V20.5H3.5Z'],
    ['line', 'M3.5 3.5H20.5V20.5H3.5ZM7 12L12 7M7 16.5L16.5 7'],
  ],
  pane: [
    ['light', 'M7.5 3H16.5V21H7.5Z'],
    ['line', 'M7.5 3H16.5V21H7.5ZM10 10.5L14 6.5M10 14.5L14 10.5'],
  ],
  candle: [
    ['base', 'M9 9.5H15V21.5H9Z'],
    ['flame', 'M12 2.5Q14.6 6 12 8.8Q9.4 6 12 2.5Z'],
  ],
  torch: [
    ['handle', 'M11 9H13V22H11Z'],
    ['flame', 'M9.3 9.4Q8.6 5 12 1.8Q15.4 5 14.7 9.4Z'],
  ],
  lantern: [
    ['base', 'M8 7H16V20.5H8Z'],
    ['flame', 'M10 10H14V17.5H10Z'],
    ['line', 'M12 2.5V7M9.6 4.4H14.4'],
  ],
  book: [
    ['base', 'M5 3.5H19V20.5H5Z'],
    ['light', 'M7 16.6H19V19H7Z'],
    ['line', 'M9 8H16M9 11H14'],
  ],
  paper: [
    ['base', 'M6 3H18V21H6Z'],
    ['line', 'M8.8 8H15.2M8.8 12H15.2M8.8 16H13'],
  ],
  thread: [['cord', 'M3.6 18Q8 2.6 12 12Q16 21.4 20.4 6M3.6 14Q8 -1 12 8Q16 17 20.4 3']],
  minecart: [
    ['base', 'M2.5 7H21.5L19.4 17H4.6Z'],
    ['dark', 'M4.6 8.8H19.4L19 11H5ZM7.6 16.4a2.3 2.3 0 1 0 .1 0ZM16.4 16.4a2.3 2.3 0 1 0 .1 0Z'],
  ],
  rail: [
    ['handle', 'M3.6 5H20.4V7.2H3.6ZM3.6 10.9H20.4V13.1H3.6ZM3.6 16.8H20.4V19H3.6Z'],
    ['base', 'M6.6 2.5H8.8V21.5H6.6ZM15.2 2.5H17.4V21.5H15.2Z'],
  ],
  vessel: [
    ['base', 'M4 8H20L17 20H7Z'],
    ['dark', 'M4 8H20L19.3 10.8H4.7Z'],
  ],
  bottle: [
    ['light', 'M10 3H14V9Q19 12 18 18Q17 21.4 12 21.4Q7 21.4 6 18Q5 12 10 9Z'],
    ['line', 'M9.4 3H14.6M10 3V9Q5 12 6 18Q7 21.4 12 21.4Q17 21.4 18 18Q19 12 14 9V3'],
  ],
  bow: [
    ['handle', 'M6.6 2Q19.6 5 19 12Q19.6 19 6.6 22L7.4 19.6Q16.4 17 16 12Q16.4 7 7.4 4.4Z'],
    ['cord', 'M7.2 3.4V20.6'],
  ],
  arrow: [
    ['handle', 'M5 18L16.4 6.6L17.4 7.6L6 19Z'],
    ['base', 'M13.4 4H20V10.6ZM3 17.4L6.4 14.4L8 16L8.4 18.4L6.6 21Z'],
  ],
  machine: [
    ['base', 'M3 3H21V21H3Z'],
    ['dark', 'M7 12H17V18.4H7Z'],
    ['line', 'M3 8H21M8 5.5H11M13 5.5H16'],
  ],
  tool: [
    ['base', 'M12 3.4a8.6 8.6 0 1 0 0 17.2a8.6 8.6 0 1 0 0-17.2Z'],
    ['light', 'M12 6.4a5.6 5.6 0 1 0 0 11.2a5.6 5.6 0 1 0 0-11.2Z'],
    ['line', 'M12 12L15 8M12 12L9.6 13.6'],
  ],
} as const satisfies Record<string, readonly Part[]>;

/** The name of a shape. */
export type Shape = keyof typeof SHAPES;

/** Shapes by the ending of a name; the first match wins. */
const ENDINGS: readonly (readonly [ending: RegExp, shape: Shape])[] = [
  [/logs?$|wood$/, 'log'],
  [/planks$/, 'planks'],
  [/slabs?$/, 'slab'],
  [/stairs$/, 'stairs'],
  [/fence gate$/, 'gate'],
  [/fence$|bars$|ladder$|scaffolding$/, 'fence'],
  [/ wall$/, 'wall'],
  [/trapdoor$/, 'trapdoor'],
  [/door$/, 'door'],
  [/pressure plate$/, 'plate'],
  [/button$/, 'button'],
  [/sign$|frame$|painting$/, 'sign'],
  [/boat$/, 'boat'],
  [/pickaxe$/, 'pickaxe'],
  [/axe$/, 'axe'],
  [/hoe$/, 'hoe'],
  [/shovel$/, 'shovel'],
  [/sword$/, 'sword'],
  [/helmet$/, 'helmet'],
  [/chestplate$|armor stand$|shield$/, 'chestplate'],
  [/leggings$/, 'leggings'],
  [/boots$/, 'boots'],
  [/ingot$|nugget$|brick$/, 'ingot'],
  [/diamond$|quartz$|emerald$|pearl$|ender eye$|lazuli$|flint$|coal$/, 'gem'],
  [/dye$|dust$|powder$|redstone$|sugar$|meal$|sac$|beans$|ball$|mud$|charge$/, 'heap'],
  [/poppy$|dandelion$|cornflower$|orchid$|bluet$|allium$|tulip$|valley$/, 'flower'],
  [/apple$|pumpkin$|lantern o$|egg$|cookie$|bread$|pie$|eye$|beetroot$/, 'fruit'],
  [/wheat$|carrot$|cane$|mushroom$|fungus$|feather$/, 'plant'],
  [/bed$/, 'bed'],
  [/banner$/, 'banner'],
  [/pane$/, 'pane'],
  [/glass$/, 'glass'],
  [/bottle$/, 'bottle'],
  [/candle$/, 'candle'],
  [/torch$|campfire$/, 'torch'],
  [/lantern$|lamp$/, 'lantern'],
  [/book$|leather$/, 'book'],
  [/paper$|map$/, 'paper'],
  [/string$|lead$/, 'thread'],
  [/carpet$/, 'carpet'],
  [/minecart$/, 'minecart'],
  [/rail$/, 'rail'],
  [/bucket$|bowl$|cauldron$|pot$|hopper$|stew$|soup$/, 'vessel'],
  [/arrow$/, 'arrow'],
  [/bow$/, 'bow'],
  [/stick$|rod$|lever$|hook$|chain$|bone$/, 'rod'],
  [/compass$|clock$|shears$|steel$/, 'tool'],
  [
    /table$|furnace$|smoker$|chest$|barrel$|composter$|loom$|beehive$|jukebox$|lectern$|bookshelf$|cutter$|piston$|dropper$|dispenser$|observer$|repeater$|comparator$|detector$|stand$|note block$/,
    'machine',
  ],
];

/** Colors by parts of a name; the first match wins. */
const COLORS: readonly (readonly [part: RegExp, color: string])[] = [
  [/light blue|blue orchid/, '#5fb2dd'],
  [/light gray|azure bluet/, '#a9a9a0'],
  [/dark oak/, '#5d4226'],
  [/acacia/, '#b0603a'],
  [/birch/, '#cdbb85'],
  [/cherry/, '#dba7a2'],
  [/jungle/, '#a9784f'],
  [/mangrove/, '#7d3d39'],
  [/spruce/, '#7a5a36'],
  [/oak|wooden|planks|stick|chest|bowl|ladder/, '#ab8550'],
  [/nether brick/, '#502a30'],
  [/mud/, '#8b6b53'],
  [/sandstone|sand$/, '#dccb92'],
  [/redstone|poppy|beetroot|^red |apple|tnt/, '#bd3a30'],
  [/glowstone|^glow|flame|blaze/, '#dfa13c'],
  [/blackstone|coal|obsidian|^black|ink sac|flint|gunpowder/, '#45424b'],
  [/orange|pumpkin|carrot|jack o/, '#dd812f'],
  [/gold|clock|spectral|yellow|dandelion|honeycomb|bread|wheat|cookie/, '#dfb63a'],
  [/diamond/, '#55c3c0'],
  [/lime|slime/, '#83b93b'],
  [/ender|warped/, '#2f8577'],
  [/cyan/, '#2f8c97'],
  [/green|cane|cactus/, '#5d7d30'],
  [/purple|enchanting/, '#7f4aa8'],
  [/magenta|allium/, '#b957ae'],
  [/pink|granite/, '#cf8f94'],
  [/blue|cornflower/, '#3d54a6'],
  [/leather|brown|cocoa|spider|saddle|mushroom/, '#8a5a38'],
  [/terracotta|brick$|bricks$|^brick|flower pot/, '#aa5f48'],
  [
    /stone brick|repeater|comparator|stand$|andesite|cobble|stone|gray|furnace|smoker|dropper|dispenser|observer/,
    '#85857f',
  ],
  [/iron|bucket|minecart|chain|shears|cauldron|hopper|steel|rail|lantern|compass/, '#b4b6b6'],
  [/glass/, '#a8cfd8'],
  [
    /white|wool|candle|lead$|string|paper|bone|quartz|diorite|sugar|egg|feather|milk|lily|cake|map/,
    '#dedbd0',
  ],
  [/book/, '#7b4a30'],
];

/** The icon of an item. */
interface ItemIcon {
  readonly shape: Shape;
  readonly color: string;
  readonly parts: readonly Part[];
}

/** The icon of an item or a kind of items; a block of plain wood for an unknown name. */
export function iconOf(name: string): ItemIcon {
  const shape = ENDINGS.find(([ending]) => ending.test(name))?.[1] ?? 'block';
  const color = COLORS.find(([part]) => part.test(name))?.[1] ?? '#a98552';
  return { shape, color, parts: SHAPES[shape] };
}
