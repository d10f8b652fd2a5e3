/** A web page as data: what stands on it, and where a click on each part leads. */

/** What a part of a page is, by the names that browsers give to assistive software. */
export type Role =
  | 'heading'
  | 'link'
  | 'button'
  | 'textbox'
  | 'checkbox'
  | 'img'
  | 'StaticText'
  | 'ListMarker';

/** One part of a page. `Place` is all that a site knows: its records, and what is being looked at. */
export interface PageNode<Place> {
  readonly role: Role;
  readonly name: string;
  /** What is said of it beside its name, such as `required: False`. */
  readonly note?: string;
  /** How deep it stands in the page; 0 by default. */
  readonly depth?: number;
  /** Where a click on it leads; absent where a click does nothing. */
  readonly leads?: () => Place;
}

export interface Page<Place> {
  readonly title: string;
  readonly nodes: readonly PageNode<Place>[];
}

export const say = (name: string): PageNode<never> => ({ role: 'StaticText', name });
