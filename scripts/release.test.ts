import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isBuilt, STAMP, sourcesHash } from './build.mjs';
import { withContentPolicy } from './content-policy.mjs';
import { isInstalled } from './install.mjs';
import { licenseTexts, packageFolder } from './licenses.mjs';

let folder = '';
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'palestra-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the content policy', () => {
  it('contains the hashes of the scripts in the page', () => {
    const script = "\n  document.title = '1';\n";
    const html = `<head><meta charset="utf-8" /><script>${script}</script><script type="module" src="./a.js"></script>`;
    const hash = createHash('sha256').update(script).digest('base64');
    const built = withContentPolicy(html);
    expect(built).toContain(`script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}';`);
    expect(built.match(/sha256-/g)).toHaveLength(1);
    expect(built.indexOf('Content-Security-Policy')).toBeLessThan(built.indexOf('<script>'));
    expect(withContentPolicy(html.replace('1', '2'))).not.toContain(hash);
  });

  it('fails the build if the page has no <meta charset> element to follow', () => {
    expect(() => withContentPolicy('<head></head>')).toThrow('no <meta charset="utf-8">');
  });
});

describe('the license list', () => {
  const put = (name: string, files: Readonly<Record<string, string>>) => {
    mkdirSync(at(name), { recursive: true });
    writeFileSync(at(`${name}/package.json`), JSON.stringify({ name, version: '1.2.3' }));
    for (const [file, text] of Object.entries(files)) writeFileSync(at(`${name}/${file}`), text);
    return at(name);
  };

  it('lists packages in alphabetical order, with their licenses and notices', () => {
    const text = licenseTexts([
      put('b', { 'license.md': 'B’s words' }),
      put('@scope/a', { LICENSE: 'A’s words', NOTICE: 'A’s notice', 'licensee.js': 'code' }),
    ]);
    const places = ['@scope/a 1.2.3', 'A’s words', 'A’s notice', 'b 1.2.3', 'B’s words'].map(
      (words) => text.indexOf(words),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(text).not.toContain('code');
  });

  it('fails the build if a package has no license', () => {
    const folders = [put('b', {}), put('@scope/a', {}), put('c', { LICENSE: 'C’s' })];
    expect(() => licenseTexts(folders, folder)).toThrow(
      'packages without a license text: b, @scope/a.',
    );
    writeFileSync(at('b.txt'), 'B’s');
    writeFileSync(at('@scope-a.txt'), 'A’s');
    expect(licenseTexts(folders, folder)).toContain('A’s');
  });

  it('finds the license of a nested package', () => {
    expect(packageFolder('/p/node_modules/@a/b/dist/c.js')).toBe('/p/node_modules/@a/b');
    expect(packageFolder('/p/node_modules/a/node_modules/b/c.js?worker')).toBe(
      '/p/node_modules/a/node_modules/b',
    );
    expect(packageFolder('/p/src/ui/main.tsx')).toBeNull();
  });
});

describe('npm start', () => {
  it('builds the page if the build is missing or its sources have changed', () => {
    mkdirSync(at('src'));
    mkdirSync(at('dist'));
    writeFileSync(at('src/a.ts'), 'a');
    expect(isBuilt(at('dist'), folder)).toBe(false);
    const build = () =>
      writeFileSync(at(`dist/${STAMP}`), JSON.stringify({ sources: sourcesHash(folder) }));
    build();
    expect(isBuilt(at('dist'), folder)).toBe(true);
    writeFileSync(at('src/a.ts'), 'b');
    expect(isBuilt(at('dist'), folder)).toBe(false);
    build();
    writeFileSync(at('src/b.ts'), '');
    expect(isBuilt(at('dist'), folder)).toBe(false);
    build();
    rmSync(at('src/a.ts'));
    expect(isBuilt(at('dist'), folder)).toBe(false);
    build();
    // Tests are not part of the page.
    writeFileSync(at('src/a.test.ts'), 'c');
    expect(isBuilt(at('dist'), folder)).toBe(true);
  });
});

describe('isInstalled', () => {
  it('requires the native packages of this system only', () => {
    const here = { os: [process.platform], cpu: [process.arch] };
    const packages: Record<string, object> = {
      'node_modules/tool': { version: '1.0.0' },
      'node_modules/tool-here': { version: '1.0.0', optional: true, ...here },
      'node_modules/tool-there': { version: '1.0.0', optional: true, ...here, os: ['beos'] },
      'node_modules/helper-of-there': { version: '1.0.0', optional: true },
    };
    const record = (file: string, names: readonly string[]) =>
      writeFileSync(
        at(file),
        JSON.stringify({
          packages: Object.fromEntries(names.map((name) => [name, packages[name]])),
        }),
      );
    mkdirSync(at('node_modules'));
    record('package-lock.json', Object.keys(packages));
    record('node_modules/.package-lock.json', ['node_modules/tool', 'node_modules/tool-here']);
    expect(isInstalled(folder)).toBe(true);
    // Copied from another system.
    record('node_modules/.package-lock.json', ['node_modules/tool', 'node_modules/tool-there']);
    expect(isInstalled(folder)).toBe(false);
  });
});
