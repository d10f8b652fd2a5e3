/** Parts of the lab to embed in a frame on another page: `?embed=stage,success`. */
import { addressPart, withParameter } from './address.ts';

const NAME = 'embed';

/** The embedded parts named by the page's address; null for the whole page. */
export function embeddedParts(): readonly string[] | null {
  const text = new URLSearchParams(addressPart(location)).get(NAME);
  return text === null ? null : [...new Set(text.split(',').map((part) => part.trim()))];
}

/** Copies the embedded parts from the page's own address to another address. */
export function withEmbedded(address: string): string {
  const parts = embeddedParts();
  return parts === null
    ? address
    : withParameter(address, NAME, parts.map(encodeURIComponent).join());
}
