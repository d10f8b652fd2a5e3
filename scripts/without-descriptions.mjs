/** Descriptions of settings, which the page shows and the worker does not read. */

/** A string that ends its line, with the comma after it. */
const DESCRIPTION = /\bdescription:\s*(?:'(?:[^'\\\n]|\\.)*'|`[^`]*`),\n/g;

/**
 * Removes the descriptions from the schema. They are a tenth of the worker’s code.
 *
 * @returns {import('vite').Plugin}
 */
export function withoutDescriptions() {
  return {
    name: 'without-descriptions',
    enforce: 'pre',
    transform(code, id) {
      return /src\/config\/schema\.ts$/.test(id)
        ? { code: code.replaceAll(DESCRIPTION, '\n'), map: null }
        : null;
    },
  };
}
