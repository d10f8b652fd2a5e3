/** The words that products are made of. */

/** A phrase, and the nouns in it. */
export interface Phrase {
  readonly text: string;
  readonly nouns: readonly string[];
}

/** Reads a phrase whose nouns are marked: `slim fit*`. */
function phrase(marked: string): Phrase {
  const nouns = marked.split(' ').filter((word) => word.endsWith('*'));
  return {
    text: marked.replaceAll('*', ''),
    nouns: nouns.map((noun) => noun.replace(/('s)?\*$/, '')),
  };
}

/** A part of the shop: its kinds of products, and their sizes. */
export interface Department {
  readonly name: string;
  readonly kinds: readonly Phrase[];
  readonly sizes: readonly string[];
}

const department = (
  name: string,
  kinds: readonly string[],
  sizes: readonly string[],
): Department => ({ name, kinds: kinds.map(phrase), sizes });

const USUAL_SIZES = ['small', 'medium', 'large', 'x-large'];
const SHOE_SIZES = ['7', '8', '9', '10'];
const VOLUMES = ['12 ounce', '16 ounce', '20 ounce', '32 ounce'];

export const DEPARTMENTS: readonly Department[] = [
  department(
    'Clothing',
    ["women's* jumpsuits*", "men's* shirts*", 'winter* jackets*', 'cargo* trousers*'],
    USUAL_SIZES,
  ),
  department(
    'Shoes',
    ['hiking boots*', 'canvas* sneakers*', 'leather* sandals*', 'house* slippers*'],
    SHOE_SIZES,
  ),
  department(
    'Kitchen',
    ['water* bottles*', 'lunch* boxes*', 'coffee* mugs*', 'frying pans*'],
    VOLUMES,
  ),
  department(
    'Household',
    ['table* lamps*', 'throw pillows*', 'shower* curtains*', 'area* rugs*'],
    USUAL_SIZES,
  ),
  department(
    'Electronics',
    ['phone* cases*', 'wireless headphones*', 'desk* speakers*', 'tablet* stands*'],
    USUAL_SIZES,
  ),
  department(
    'Garden',
    ['plant* pots*', 'garden* gloves*', 'watering cans*', 'bird* feeders*'],
    USUAL_SIZES,
  ),
];

/** What a product of any kind may be, said before the kind: `water proof phone cases`. */
export const QUALITIES: readonly Phrase[] = [
  ...['light weight*', 'hand made', 'easy clean'],
  ...['water* proof', 'fade resistant', 'extra strong'],
].map(phrase);

/** What it may come with, said behind the kind: `phone cases with gift box`. */
export const DETAILS: readonly Phrase[] = [
  ...['gift* box*', 'carrying strap*', 'floral pattern*'],
  ...['striped pattern*', 'silver* trim*', 'reflective edge*'],
].map(phrase);

export const BRANDS = [
  ...['Arvel', 'Bremo', 'Caldra', 'Dorrik', 'Elmva', 'Fosby', 'Garrowe', 'Hollis'],
  ...['Istrel', 'Jorva', 'Kestra', 'Lundi', 'Marsto', 'Norwyn', 'Ostra', 'Penro'],
] as const;

/** In alphabetical order: of a colour's words the first that stands here is what is compared. */
export const BASE_COLORS = [
  ...['black', 'blue', 'brown', 'green', 'grey', 'orange'],
  ...['pink', 'purple', 'red', 'white', 'yellow'],
] as const;

export const COLORS = [...BASE_COLORS, 'navy blue', 'sky blue', 'olive green'] as const;

/** Dollars. */
export const PRICES: readonly number[] = Array.from({ length: 19 }, (_, i) => 9 + 5 * i);
/** Prices that a goal may ask to stay below. */
export const BOUNDS: readonly number[] = Array.from({ length: 9 }, (_, i) => 20 + 10 * i);
