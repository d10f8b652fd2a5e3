/** Names one run of this page; unique within the page. */
export type RunId = string;
