/** Names of the sites and of the parts of their pages. */

export const HOME = 'home';
export const SITES = ['shop', 'admin', 'forum', 'wiki', 'map'] as const;
export type Site = (typeof SITES)[number];
export const SITE_TITLES: Readonly<Record<Site, string>> = {
  shop: 'Shop',
  admin: 'Back Office',
  forum: 'Forum',
  wiki: 'Wiki',
  map: 'Map',
};

/** The labels of pages; each is one lexeme in quotes. */
export const LABELS = {
  home: 'Home',
  search: 'Search',
  results: 'Results',
  nothing: 'Nothing was found',
  notFound: 'There is no such page',
  cart: 'Cart',
  orders: 'Orders',
  products: 'Products',
  price: 'Price',
  stock: 'Stock',
  status: 'Status',
  product: 'Product',
  customer: 'Customer',
  addToCart: 'Add to Cart',
  cancel: 'Cancel Order',
  ship: 'Ship Order',
  save: 'Save',
  author: 'Author',
  votes: 'Votes',
  upvote: 'Upvote',
  comment: 'Comment',
  comments: 'Comments',
  send: 'Send',
  mayor: 'Mayor',
  river: 'River',
  founded: 'Founded',
  population: 'Population',
  craft: 'Known for',
  distance: 'Distance',
  to: 'Distance to',
} as const;

export const dollars = (price: number): string => `$${price.toFixed(2)}`;
export const kilometres = (distance: number): string => `${distance} km`;
export const orderName = (number: number): string => `Order ${number}`;
