/** Adds something other than the run to an address, such as the open lesson. */

type AddressPart = (address: string) => string;

let parts: readonly AddressPart[] = [];

export function setAddressParts(all: readonly AddressPart[]): void {
  parts = all;
}

/** Adds every part to an address from `writeAddress`. */
export const withAddressParts: AddressPart = (address) =>
  parts.reduce((whole, add) => add(whole), address);
