/** The words of products. */

/** A phrase and its nouns. */
export interface Phrase {
  readonly text: string;
  readonly nouns: readonly string[];
}

/** Parses a phrase with marked nouns: `slim fit*`. */
function phrase(marked: string): Phrase {
  const nouns = marked.split(' ').filter((word) => word.endsWith('*'));
  return {
    text: marked.replaceAll('*', ''),
    nouns: nouns.map((noun) => noun.replace(/('s)?\*$/, '')),
  };
}

/** A department: its kinds of products and their sizes. */
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

/** Properties of any product, before the kind: `water proof phone cases`. */
export const QUALITIES: readonly Phrase[] = [
  ...['light weight*', 'hand made', 'easy clean'],
  ...['water* proof', 'fade resistant', 'extra strong'],
].map(phrase);

/** Extras, after the kind: `phone cases with gift box`. */
export const DETAILS: readonly Phrase[] = [
  ...['gift* box*', 'carrying strap*', 'floral pattern*'],
  ...['striped pattern*', 'silver* trim*', 'reflective edge*'],
].map(phrase);

export const BRANDS = [
  ...['Arvel', 'Bremo', 'Caldra', 'Dorrik', 'Elmva', 'Fosby', 'Garrowe', 'Hollis'],
  ...['Istrel', 'Jorva', 'Kestra', 'Lundi', 'Marsto', 'Norwyn', 'Ostra', 'Penro'],
] as const;

/** In alphabetical order: a color is compared by the first of these words in it. */
export const BASE_COLORS = [
  ...['black', 'blue', 'brown', 'green', 'grey', 'orange'],
  ...['pink', 'purple', 'red', 'white', 'yellow'],
] as const;

export const COLORS = [...BASE_COLORS, 'navy blue', 'sky blue', 'olive green'] as const;

/** Dollars. */
export const PRICES: readonly number[] = Array.from({ length: 19 }, (_, i) => 9 + 5 * i);
/** Price limits in goals. */
export const BOUNDS: readonly number[] = Array.from({ length: 9 }, (_, i) => 20 + 10 * i);
