/**
 * Palestra's own recipe book: families of recipes in the file format of Minecraft's data packs. Recipes
 * follow the game where it has them; there are few tags, each with a group of products.
 */

/** An ingredient in a recipe file. */
type IngredientFile = { readonly item: string } | { readonly tag: string };

/** A recipe in a recipe file. */
type RecipeFile = {
  readonly group?: string;
  readonly result: { readonly item: string; readonly count: number };
} & (
  | {
      readonly type: 'minecraft:crafting_shaped';
      readonly pattern: readonly string[];
      readonly key: Readonly<Record<string, IngredientFile>>;
    }
  | {
      readonly type: 'minecraft:crafting_shapeless';
      readonly ingredients: readonly IngredientFile[];
    }
);

const id = (name: string) => `minecraft:${name}`;

/** `#planks` is any item of the group `planks`. */
const ingredient = (name: string): IngredientFile =>
  name.startsWith('#') ? { tag: id(name.slice(1)) } : { item: id(name) };

/** A recipe with a pattern: rows separated by `/`, one letter per ingredient. */
function shaped(
  result: string,
  count: number,
  pattern: string,
  key: Readonly<Record<string, string>>,
  group?: string,
): RecipeFile {
  return {
    type: 'minecraft:crafting_shaped',
    ...(group === undefined ? {} : { group }),
    pattern: pattern.split('/'),
    key: Object.fromEntries(
      Object.entries(key).map(([letter, name]) => [letter, ingredient(name)]),
    ),
    result: { item: id(result), count },
  };
}

/** A recipe without a pattern. */
function shapeless(
  result: string,
  count: number,
  ingredients: readonly string[],
  group?: string,
): RecipeFile {
  return {
    type: 'minecraft:crafting_shapeless',
    ...(group === undefined ? {} : { group }),
    ingredients: ingredients.map(ingredient),
    result: { item: id(result), count },
  };
}

const WOODS = ['acacia', 'birch', 'cherry', 'dark_oak', 'jungle', 'mangrove', 'oak', 'spruce'];

function woodRecipes(wood: string): RecipeFile[] {
  const P = `${wood}_planks`;
  return [
    shapeless(P, 4, [`${wood}_logs`], 'planks'),
    shaped(`${wood}_slab`, 6, 'PPP', { P }, 'wooden_slabs'),
    shaped(`${wood}_stairs`, 4, 'P  /PP /PPP', { P }),
    shaped(`${wood}_fence`, 3, 'PSP/PSP', { P, S: 'stick' }),
    shaped(`${wood}_fence_gate`, 1, 'SPS/SPS', { S: 'stick', P }),
    shaped(`${wood}_door`, 3, 'PP/PP/PP', { P }),
    shaped(`${wood}_trapdoor`, 2, 'PPP/PPP', { P }),
    shaped(`${wood}_pressure_plate`, 1, 'PP', { P }),
    shapeless(`${wood}_button`, 1, [P]),
    shaped(`${wood}_sign`, 3, 'PPP/PPP/ S ', { P, S: 'stick' }),
    shaped(`${wood}_boat`, 1, 'P P/PPP', { P }),
    shapeless(`${wood}_chest_boat`, 1, ['chest', `${wood}_boat`]),
  ];
}

/** Products made mostly of wood. */
function joineryRecipes(): RecipeFile[] {
  const P = '#planks';
  const S = 'stick';
  return [
    shaped('stick', 4, 'P/P', { P }),
    shaped('crafting_table', 1, 'PP/PP', { P }),
    shaped('chest', 1, 'PPP/P P/PPP', { P }),
    shaped('barrel', 1, 'PLP/P P/PLP', { P, L: '#wooden_slabs' }),
    shaped('composter', 1, 'L L/L L/LLL', { L: '#wooden_slabs' }),
    shaped('bowl', 4, 'P P/ P ', { P }),
    shaped('ladder', 3, 'S S/SSS/S S', { S }),
    shaped('item_frame', 1, 'SSS/SLS/SSS', { S, L: 'leather' }),
    shapeless('glow_item_frame', 1, ['item_frame', 'glow_ink_sac']),
    shaped('painting', 1, 'SSS/SWS/SSS', { S, W: '#wool' }),
    shaped('armor_stand', 1, 'SSS/ S /SLS', { S, L: 'smooth_stone_slab' }),
    shaped('campfire', 1, ' S /SCS/LLL', { S, C: 'coal', L: 'oak_logs' }),
    shaped('bow', 1, ' SR/S R/ SR', { S, R: 'string' }),
    shaped('crossbow', 1, 'SIS/RHR/ S ', { S, R: 'string', I: 'iron_ingot', H: 'tripwire_hook' }),
    shaped('tripwire_hook', 2, 'I/S/P', { I: 'iron_ingot', S, P }),
    shaped('arrow', 4, 'F/S/E', { F: 'flint', S, E: 'feather' }),
    shaped('spectral_arrow', 2, ' G /GAG/ G ', { G: 'glowstone_dust', A: 'arrow' }),
    shaped('fishing_rod', 1, '  S/ SR/S R', { S, R: 'string' }),
    shapeless('carrot_on_a_stick', 1, ['fishing_rod', 'carrot']),
    shapeless('warped_fungus_on_a_stick', 1, ['fishing_rod', 'warped_fungus']),
    shaped('torch', 4, 'C/S', { C: 'coal', S }),
    shaped('soul_torch', 4, 'C/S/O', { C: 'coal', S, O: 'soul_sand' }),
    shaped('shield', 1, 'PIP/PPP/ P ', { P, I: 'iron_ingot' }),
    shaped('loom', 1, 'RR/PP', { R: 'string', P }),
    shaped('fletching_table', 1, 'FF/PP/PP', { F: 'flint', P }),
    shaped('smithing_table', 1, 'II/PP/PP', { I: 'iron_ingot', P }),
    shaped('cartography_table', 1, 'AA/PP/PP', { A: 'paper', P }),
    shaped('beehive', 1, 'PPP/HHH/PPP', { P, H: 'honeycomb' }),
    shaped('note_block', 1, 'PPP/PRP/PPP', { P, R: 'redstone' }),
    shaped('jukebox', 1, 'PPP/PDP/PPP', { P, D: 'diamond' }),
    shaped('paper', 3, 'CCC', { C: 'sugar_cane' }),
    shapeless('book', 1, ['paper', 'paper', 'paper', 'leather']),
    shaped('bookshelf', 1, 'PPP/BBB/PPP', { P, B: 'book' }),
    shaped('lectern', 1, 'LLL/ B / L ', { L: '#wooden_slabs', B: 'bookshelf' }),
    shaped('white_wool', 1, 'RR/RR', { R: 'string' }, 'wool'),
  ];
}

/** Ingredients of each dye. Green dye is smelted, so it counts as a raw material. */
const DYES: Readonly<Record<string, readonly string[]>> = {
  black: ['ink_sac'],
  blue: ['cornflower'],
  brown: ['cocoa_beans'],
  cyan: ['blue_dye', 'green_dye'],
  gray: ['black_dye', 'white_dye'],
  green: [],
  light_blue: ['blue_orchid'],
  light_gray: ['azure_bluet'],
  lime: ['green_dye', 'white_dye'],
  magenta: ['allium'],
  orange: ['red_dye', 'yellow_dye'],
  pink: ['pink_tulip'],
  purple: ['blue_dye', 'red_dye'],
  red: ['poppy'],
  white: ['lily_of_the_valley'],
  yellow: ['dandelion'],
};

function dyeRecipes(color: string, from: readonly string[]): RecipeFile[] {
  const D = `${color}_dye`;
  const W = `${color}_wool`;
  return [
    ...(from.length === 0 ? [] : [shapeless(D, from.length, from)]),
    ...(color === 'white' ? [] : [shapeless(W, 1, [D, 'white_wool'], 'wool')]),
    shaped(`${color}_carpet`, 3, 'WW', { W }),
    shaped(`${color}_bed`, 1, 'WWW/PPP', { W, P: '#planks' }),
    shaped(`${color}_banner`, 1, 'WWW/WWW/ S ', { W, S: 'stick' }),
    shaped(`${color}_stained_glass`, 8, 'GGG/GDG/GGG', { G: 'glass', D }),
    shaped(`${color}_stained_glass_pane`, 16, 'GGG/GGG', { G: `${color}_stained_glass` }),
    shaped(`${color}_terracotta`, 8, 'TTT/TDT/TTT', { T: 'terracotta', D }),
    shapeless(`${color}_candle`, 1, ['candle', D]),
  ];
}

/** Tools made of a material, e.g. `iron_pickaxe` from `iron_ingot`. */
function toolRecipes(prefix: string, M: string): RecipeFile[] {
  const key = { M, S: 'stick' };
  return [
    shaped(`${prefix}_axe`, 1, 'MM/MS/ S', key),
    shaped(`${prefix}_hoe`, 1, 'MM/ S/ S', key),
    shaped(`${prefix}_pickaxe`, 1, 'MMM/ S / S ', key),
    shaped(`${prefix}_shovel`, 1, 'M/S/S', key),
    shaped(`${prefix}_sword`, 1, 'M/M/S', key),
  ];
}

function armourRecipes(prefix: string, M: string): RecipeFile[] {
  return [
    shaped(`${prefix}_boots`, 1, 'M M/M M', { M }),
    shaped(`${prefix}_chestplate`, 1, 'M M/MMM/MMM', { M }),
    shaped(`${prefix}_helmet`, 1, 'MMM/M M', { M }),
    shaped(`${prefix}_leggings`, 1, 'MMM/M M/M M', { M }),
  ];
}

/** Stones for slabs, stairs and walls: the prefix of the products, and the stone. */
const STONES: readonly (readonly [prefix: string, stone: string])[] = [
  ['andesite', 'andesite'],
  ['blackstone', 'blackstone'],
  ['brick', 'bricks'],
  ['cobblestone', 'cobblestone'],
  ['diorite', 'diorite'],
  ['granite', 'granite'],
  ['mud_brick', 'mud_bricks'],
  ['nether_brick', 'nether_bricks'],
  ['sandstone', 'sandstone'],
  ['stone_brick', 'stone_bricks'],
];

function stoneRecipes(prefix: string, B: string): RecipeFile[] {
  return [
    shaped(`${prefix}_slab`, 6, 'BBB', { B }),
    shaped(`${prefix}_stairs`, 4, 'B  /BB /BBB', { B }),
    shaped(`${prefix}_wall`, 6, 'BBB/BBB', { B }),
  ];
}

/** Products of stone, brick and glass. */
function masonryRecipes(): RecipeFile[] {
  return [
    shaped('bricks', 1, 'BB/BB', { B: 'brick' }),
    shaped('nether_bricks', 1, 'BB/BB', { B: 'nether_brick' }),
    shaped('stone_bricks', 4, 'SS/SS', { S: 'stone' }),
    shaped('mud_bricks', 4, 'MM/MM', { M: 'packed_mud' }),
    shapeless('packed_mud', 1, ['mud', 'wheat']),
    shaped('sandstone', 1, 'SS/SS', { S: 'sand' }),
    shaped('diorite', 2, 'CQ/QC', { C: 'cobblestone', Q: 'quartz' }),
    shapeless('granite', 1, ['diorite', 'quartz']),
    shapeless('andesite', 2, ['diorite', 'cobblestone']),
    shaped('smooth_stone_slab', 6, 'SSS', { S: 'smooth_stone' }),
    shaped('furnace', 1, 'CCC/C C/CCC', { C: 'cobblestone' }),
    shaped('blast_furnace', 1, 'III/IFI/SSS', {
      I: 'iron_ingot',
      F: 'furnace',
      S: 'smooth_stone',
    }),
    shaped('smoker', 1, ' L /LFL/ L ', { L: 'oak_logs', F: 'furnace' }),
    shaped('stonecutter', 1, ' I /SSS', { I: 'iron_ingot', S: 'stone' }),
    shaped('flower_pot', 1, 'B B/ B ', { B: 'brick' }),
    shaped('glass_bottle', 3, 'G G/ G ', { G: 'glass' }),
    shaped('glass_pane', 16, 'GGG/GGG', { G: 'glass' }),
    shaped('candle', 1, 'R/H', { R: 'string', H: 'honeycomb' }),
    shaped('tnt', 1, 'GSG/SGS/GSG', { G: 'gunpowder', S: 'sand' }),
  ];
}

/** Products of metal, and machines. */
function metalRecipes(): RecipeFile[] {
  const I = 'iron_ingot';
  const R = 'redstone';
  const P = '#planks';
  const C = 'cobblestone';
  return [
    shaped('bucket', 1, 'I I/ I ', { I }),
    shapeless('flint_and_steel', 1, [I, 'flint']),
    shaped('shears', 1, ' I/I ', { I }),
    shaped('cauldron', 1, 'I I/I I/III', { I }),
    shaped('iron_bars', 16, 'III/III', { I }),
    shaped('iron_door', 3, 'II/II/II', { I }),
    shaped('iron_trapdoor', 1, 'II/II', { I }),
    shaped('chain', 1, 'N/I/N', { N: 'iron_nugget', I }),
    shaped('lantern', 1, 'NNN/NTN/NNN', { N: 'iron_nugget', T: 'torch' }),
    shaped('soul_lantern', 1, 'NNN/NTN/NNN', { N: 'iron_nugget', T: 'soul_torch' }),
    shaped('compass', 1, ' I /IRI/ I ', { I, R }),
    shaped('clock', 1, ' G /GRG/ G ', { G: 'gold_ingot', R }),
    shaped('map', 1, 'AAA/ACA/AAA', { A: 'paper', C: 'compass' }),
    shaped('minecart', 1, 'I I/III', { I }),
    shapeless('chest_minecart', 1, ['chest', 'minecart']),
    shapeless('furnace_minecart', 1, ['furnace', 'minecart']),
    shapeless('hopper_minecart', 1, ['hopper', 'minecart']),
    shapeless('tnt_minecart', 1, ['tnt', 'minecart']),
    shaped('rail', 16, 'I I/ISI/I I', { I, S: 'stick' }),
    shaped('powered_rail', 6, 'G G/GSG/GRG', { G: 'gold_ingot', S: 'stick', R }),
    shaped('detector_rail', 6, 'I I/IPI/IRI', { I, P: 'stone_pressure_plate', R }),
    shaped('activator_rail', 6, 'ISI/ITI/ISI', { I, S: 'stick', T: 'redstone_torch' }),
    shaped('stone_pressure_plate', 1, 'SS', { S: 'stone' }),
    shapeless('stone_button', 1, ['stone']),
    shaped('hopper', 1, 'I I/ICI/ I ', { I, C: 'chest' }),
    shaped('piston', 1, 'PPP/CIC/CRC', { P, C, I, R }),
    shaped('sticky_piston', 1, 'L/P', { L: 'slime_ball', P: 'piston' }),
    shaped('dropper', 1, 'CCC/C C/CRC', { C, R }),
    shaped('dispenser', 1, 'CCC/CBC/CRC', { C, B: 'bow', R }),
    shaped('observer', 1, 'CCC/RRQ/CCC', { C, R, Q: 'quartz' }),
    shaped('lever', 1, 'S/C', { S: 'stick', C }),
    shaped('redstone_torch', 1, 'R/S', { R, S: 'stick' }),
    shaped('repeater', 1, 'TRT/SSS', { T: 'redstone_torch', R, S: 'stone' }),
    shaped('comparator', 1, ' T /TQT/SSS', { T: 'redstone_torch', Q: 'quartz', S: 'stone' }),
    shaped('daylight_detector', 1, 'GGG/QQQ/LLL', {
      G: 'glass',
      Q: 'quartz',
      L: '#wooden_slabs',
    }),
    shaped('redstone_lamp', 1, ' R /RGR/ R ', { R, G: 'glowstone' }),
    shaped('glowstone', 1, 'GG/GG', { G: 'glowstone_dust' }),
    shaped('enchanting_table', 1, ' B /DOD/OOO', { B: 'book', D: 'diamond', O: 'obsidian' }),
    shapeless('blaze_powder', 2, ['blaze_rod']),
    shapeless('ender_eye', 1, ['ender_pearl', 'blaze_powder']),
    shaped('ender_chest', 1, 'OOO/OEO/OOO', { O: 'obsidian', E: 'ender_eye' }),
    shaped('brewing_stand', 1, ' B /CCC', { B: 'blaze_rod', C }),
    shapeless('fire_charge', 3, ['gunpowder', 'blaze_powder', 'coal']),
  ];
}

/** Food and crops. */
function kitchenRecipes(): RecipeFile[] {
  return [
    shaped('bread', 1, 'WWW', { W: 'wheat' }),
    shaped('cookie', 8, 'WCW', { W: 'wheat', C: 'cocoa_beans' }),
    shapeless('sugar', 1, ['sugar_cane']),
    shapeless('pumpkin_pie', 1, ['pumpkin', 'sugar', 'egg']),
    shaped('cake', 1, 'MMM/SES/WWW', { M: 'milk_bucket', S: 'sugar', E: 'egg', W: 'wheat' }),
    shapeless('mushroom_stew', 1, ['brown_mushroom', 'red_mushroom', 'bowl']),
    shaped('beetroot_soup', 1, 'BBB/BBB/ O ', { B: 'beetroot', O: 'bowl' }),
    shaped('golden_carrot', 1, 'NNN/NCN/NNN', { N: 'gold_nugget', C: 'carrot' }),
    shaped('golden_apple', 1, 'GGG/GAG/GGG', { G: 'gold_ingot', A: 'apple' }),
    shapeless('fermented_spider_eye', 1, ['spider_eye', 'brown_mushroom', 'sugar']),
    shaped('jack_o_lantern', 1, 'P/T', { P: 'carved_pumpkin', T: 'torch' }),
    shapeless('bone_meal', 3, ['bone']),
    shapeless('white_dye', 1, ['bone_meal']),
    shaped('lead', 2, 'RR /RS /  R', { R: 'string', S: 'slime_ball' }),
  ];
}

/** Recipes of the eight wood types and their products. */
export function woodBook(): RecipeFile[] {
  return [...WOODS.flatMap(woodRecipes), ...joineryRecipes(), ...toolRecipes('wooden', '#planks')];
}

/** The whole book. */
export function wholeBook(): RecipeFile[] {
  return [
    ...woodBook(),
    ...Object.entries(DYES).flatMap(([color, from]) => dyeRecipes(color, from)),
    ...toolRecipes('stone', 'cobblestone'),
    ...toolRecipes('iron', 'iron_ingot'),
    ...toolRecipes('golden', 'gold_ingot'),
    ...toolRecipes('diamond', 'diamond'),
    ...armourRecipes('leather', 'leather'),
    ...armourRecipes('iron', 'iron_ingot'),
    ...armourRecipes('golden', 'gold_ingot'),
    ...armourRecipes('diamond', 'diamond'),
    ...STONES.flatMap(([prefix, stone]) => stoneRecipes(prefix, stone)),
    ...masonryRecipes(),
    ...metalRecipes(),
    ...kitchenRecipes(),
  ];
}
