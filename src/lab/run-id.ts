/** Identifies a run within a page. */
export type RunId = string;
