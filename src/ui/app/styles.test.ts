import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { wgslForEsbuild } from '../../../scripts/wgsl.mjs';

const MAIN = 'src/ui/app/main.tsx';
const MANTINE = 'src/ui/shell/page/mantine.css';

interface Module {
  readonly statically: readonly string[];
  readonly later: readonly string[];
}

let modules: ReadonlyMap<string, Module> = new Map();
beforeAll(async () => {
  const { metafile } = await build({
    ...{ entryPoints: [MAIN], outdir: 'nowhere', write: false, metafile: true, logLevel: 'error' },
    ...{ bundle: true, splitting: true, format: 'esm', packages: 'external' },
    external: ['*.svg', '*.woff2'],
    plugins: [wgslForEsbuild()],
  });
  modules = new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => {
      const own = imports.filter(({ external }) => external !== true);
      const of = (later: boolean) =>
        own.flatMap(({ kind, path }) => ((kind === 'dynamic-import') === later ? [path] : []));
      return [path, { statically: of(false), later: of(true) }];
    }),
  );
});

/** Modules that load together with this one. */
function together(entry: string): ReadonlySet<string> {
  const found = new Set([entry]);
  for (const path of found) for (const next of modules.get(path)?.statically ?? []) found.add(next);
  return found;
}

const isSheet = (path: string) => path.endsWith('.css');

/** Style sheets that are loaded on every path that leads to an entry. */
function sheetsOf(entry: string, above: readonly string[] = []): ReadonlySet<string> {
  const own = [...together(entry)].filter(isSheet);
  if (entry === MAIN || above.includes(entry)) return new Set(own);
  const before = entries()
    .filter((other) =>
      [...together(other)].some((path) => modules.get(path)?.later.includes(entry)),
    )
    .map((other) => sheetsOf(other, [...above, entry]));
  const [first = new Set<string>(), ...rest] = before;
  return new Set([...own, ...[...first].filter((path) => rest.every((set) => set.has(path)))]);
}

/** The entry of the page, and every module that is loaded on demand. */
const entries = (): readonly string[] => [
  MAIN,
  ...new Set(
    [...modules.values()].flatMap(({ later }) =>
      later.filter((path) => path.startsWith('src/ui/')),
    ),
  ),
];

/** Classes in the selectors of a style sheet. */
function classesOf(sheet: string): ReadonlySet<string> {
  const selectors = readFileSync(sheet, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\{[^{}]*\}/g, ' ');
  return new Set([...selectors.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name));
}

/** Words in the class names of a component's source. */
function usedIn(source: string): readonly string[] {
  const given = source.matchAll(/className(?:="([^"]*)"|=\{([^}]*)\}|s=\{\{([^}]*)\}\})/g);
  return [...given].flatMap(([, plain, ...code]) => [
    ...(plain ?? '').split(' '),
    ...code.flatMap((text) =>
      [...(text ?? '').matchAll(/['"`]([^'"`]*)['"`]/g)].flatMap(([, words = '']) =>
        words.split(/[\s${}]+/),
      ),
    ),
  ]);
}

describe('a panel', () => {
  it('loads the style sheets of its components, even if it is opened first', () => {
    const definedIn = new Map<string, string[]>();
    for (const sheet of [...modules.keys()].filter((path) => isSheet(path) && existsSync(path))) {
      for (const name of classesOf(sheet)) {
        definedIn.set(name, [...(definedIn.get(name) ?? []), sheet]);
      }
    }
    expect(definedIn.size).toBeGreaterThan(200);
    let used = 0;
    const missing = entries().flatMap((entry) => {
      const sheets = sheetsOf(entry);
      return [...together(entry)]
        .filter((path) => path.endsWith('.tsx'))
        .flatMap((path) =>
          usedIn(readFileSync(path, 'utf8')).flatMap((name) => {
            const defined = definedIn.get(name);
            if (defined === undefined) return [];
            used++;
            if (defined.some((sheet) => sheets.has(sheet))) return [];
            return [`${entry}: .${name} of ${path} is styled in ${defined.join()} only`];
          }),
        );
    });
    expect(used).toBeGreaterThan(500);
    expect([...new Set(missing)]).toEqual([]);
  });

  it('loads the style sheet of every Mantine component it uses', () => {
    const always = readFileSync(MANTINE, 'utf8');
    const unstyled = [...modules.keys()]
      .filter((path) => path.endsWith('.tsx'))
      .flatMap((path) => {
        const source = readFileSync(path, 'utf8');
        const named = [...source.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)];
        return named
          .flatMap(([, names = '']) => [...names.matchAll(/[A-Z]\w+/g)])
          .map(([name]) => `@mantine/core/styles/${name}.css`)
          .filter((sheet) => existsSync(join('node_modules', sheet)))
          .filter((sheet) => !always.includes(sheet) && !source.includes(`import '${sheet}'`))
          .map((sheet) => `${path}: ${sheet}`);
      });
    expect(unstyled).toEqual([]);
  });
});
