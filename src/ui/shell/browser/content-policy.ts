/**
 * Trusted Types policy required by the page's content security policy (`scripts/content-policy.mjs`).
 * Imported first, for its side effect. In browsers with Trusted Types, HTML and script URLs pass through
 * this policy.
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

// zod probes for eval, which already violates the policy.
config({ jitless: true });

const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
const here = new URL('.', location.href).href;
trustedTypes?.createPolicy('default', {
  // Mantine writes style sheets as inner HTML.
  createHTML: (text) => (text.includes('<') ? null : text),
  // Workers from the page's own directory.
  createScriptURL: (address) =>
    new URL(address, location.href).href.startsWith(here) ? address : null,
});
