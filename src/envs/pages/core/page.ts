/** A web page as data: its parts, and where a click on each leads. */

/** Role of a part, named as in accessibility trees. */
export type Role =
  | 'heading'
  | 'link'
  | 'button'
  | 'textbox'
  | 'checkbox'
  | 'img'
  | 'StaticText'
  | 'ListMarker';

/** One part of a page. `Place` is the whole state of a site: its records, and the current page. */
export interface PageNode<Place> {
  readonly role: Role;
  readonly name: string;
  /** An attribute after the name, such as `required: False`. */
  readonly note?: string;
  /** Nesting depth in the page; 0 by default. */
  readonly depth?: number;
  /** The place after a click; absent if a click has no effect. */
  readonly leads?: () => Place;
}

export interface Page<Place> {
  readonly title: string;
  readonly nodes: readonly PageNode<Place>[];
}

export const say = (name: string): PageNode<never> => ({ role: 'StaticText', name });
