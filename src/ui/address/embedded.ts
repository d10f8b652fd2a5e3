/** Parts of the lab for a frame of another page, as the address names them: `?embed=stage,success`. */
import { addressPart, withParameter } from './address.ts';

const NAME = 'embed';

/** The parts that the page's address asks for; null for the page as a whole. */
export function embeddedParts(): readonly string[] | null {
  const text = new URLSearchParams(addressPart(location)).get(NAME);
  return text === null ? null : [...new Set(text.split(',').map((part) => part.trim()))];
}

/** An address as `writeAddress` gives it, with the parts that the page's own address names. */
export function withEmbedded(address: string): string {
  const parts = embeddedParts();
  return parts === null
    ? address
    : withParameter(address, NAME, parts.map(encodeURIComponent).join());
}
