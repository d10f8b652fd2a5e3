/**
 * What the page's content security policy (`scripts/content-policy.mjs`) asks of its code. Imported for
 * its effect, before anything else.
 *
 * Where a browser knows Trusted Types, no text becomes markup or a script's address but through the
 * policy made here.
 */
import { config } from 'zod';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: {
      createHTML(text: string): string | null;
      createScriptURL(address: string): string | null;
    },
  ): unknown;
}

// No code is made of text: zod would try whether it may, which is a violation already.
config({ jitless: true });

const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
const here = new URL('.', location.href).href;
trustedTypes?.createPolicy('default', {
  // Style sheets, which Mantine writes as inner HTML.
  createHTML: (text) => (text.includes('<') ? null : text),
  // Workers that lie beside the page.
  createScriptURL: (address) =>
    new URL(address, location.href).href.startsWith(here) ? address : null,
});
