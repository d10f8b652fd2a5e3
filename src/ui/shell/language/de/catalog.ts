import type { Catalog } from '../translate.ts';

/** One file per area of the source; see `docs/DEVELOPING.md`. */
const files = import.meta.glob<Catalog>('./*.json', { eager: true, import: 'default' });

export const catalog: Catalog = Object.assign({}, ...Object.values(files));
