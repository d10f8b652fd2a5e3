/** Loaded when the page is first shown in German. */

import { catalog } from './de/catalog.ts';
import { translator } from './translate.ts';

export { translated as render } from './rendered.ts';
export const translate = translator(catalog);
