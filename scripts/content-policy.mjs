/**
 * The content security policy of the built page. It is part of the page, so it applies on any host.
 */
import { createHash } from 'node:crypto';

/** Inline scripts only: captures the text between the tags. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc\s*=)[^>]*>([\s\S]*?)<\/script>/g;

/**
 * Inserts the policy into the built page. Inline scripts are allowed by the hashes of their final
 * text, so that a hash is never out of date.
 *
 * @returns {import('vite').Plugin}
 */
export function contentPolicy() {
  return {
    name: 'content-policy',
    apply: 'build',
    transformIndexHtml: { order: 'post', handler: (html) => withContentPolicy(html) },
  };
}

/**
 * @param {string} html a page that names its character set
 * @returns {string} the page with the policy inserted before everything that the policy applies to
 */
export function withContentPolicy(html) {
  const charset = /<meta charset="utf-8"\s*\/?>/;
  if (!charset.test(html))
    throw new Error(
      'The page has no <meta charset="utf-8">. Add one: the content security policy is inserted after it.',
    );
  return html.replace(
    charset,
    (found) =>
      `${found}\n    <meta http-equiv="Content-Security-Policy" content="${policyOf(html)}" />`,
  );
}

/** The Hugging Face Hub and the hosts that serve its large files. */
const hubHosts = ['https://huggingface.co', 'https://*.huggingface.co', 'https://*.hf.co'];

/**
 * SECURITY.md explains each directive.
 *
 * @param {string} html
 */
function policyOf(html) {
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'self'",
    ["script-src 'self'", "'wasm-unsafe-eval'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    ["connect-src 'self'", ...hubHosts].join(' '),
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}
