/**
 * Trusted Types policy of a worker: a Content-Security-Policy header that the host sends applies to
 * workers too. Workers start no scripts but compute threads, so only scripts from their own directory
 * are allowed.
 *
 * @param address of the worker's script
 */
export function allowOwnScripts(address: string): void {
  const { trustedTypes } = self as {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL(url: string): string | null }): unknown;
    };
  };
  const directory = new URL('.', address).href;
  trustedTypes?.createPolicy('default', {
    createScriptURL: (url) => (new URL(url, directory).href.startsWith(directory) ? url : null),
  });
}
