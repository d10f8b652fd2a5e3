/** Loaded with the page's first German text. */

import { catalog } from './de/catalog.ts';
import { translator } from './translate.ts';

export { translated as render } from './rendered.ts';
export const translate = translator(catalog);
