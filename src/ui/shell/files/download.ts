/** A file to download. */
export interface SavedFile {
  readonly name: string;
  readonly parts: readonly BlobPart[];
  /** Media type, such as `application/json`. */
  readonly type: string;
}

/** Downloads a file. */
export function download({ name, parts, type }: SavedFile): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the URL asynchronously.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
