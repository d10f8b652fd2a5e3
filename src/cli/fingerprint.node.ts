import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin, transform } from 'esbuild';
import { wgslForEsbuild } from '../../scripts/wgsl.mjs';
import type { Config } from '../config/schema.ts';
import type { MetricRow } from '../runs/metrics.ts';
import { pretrainingSources } from './pretraining.ts';

/** A module that affects a run's numbers. */
interface Module {
  /** Relative to the repository's root. */
  readonly path: string;
  /** Its source without comments, types and white space. */
  readonly text: string;
  /** External packages it imports, as `pure-rand@8.4.2`. */
  readonly packages: readonly string[];
  /** Paths of its imports. */
  readonly imports: readonly string[];
}

/** Entry points of every run: the trainer, its network and every device. */
const entry = `
export { Trainer } from './src/training/trainer.ts';
export { createPolicy } from './src/policy/policy.ts';
export { openNodeGpu } from './src/device/webgpu/node.ts';
export { openNodeProcessor } from './src/device/processor/node.ts';
export { processorKernels } from './src/kernels/processor/index.ts';
`;

/** Further entry points of runs that measure more, have a separate sampler or a vocabulary of phrases, or start from a pretrained model. */
const further = {
  nothing: '',
  samples: `
export { drawCurves } from './src/training/test-time/curves.ts';
export { hearDomains } from './src/training/test-time/domains.ts';
`,
  forks: `
export { performAutopsy } from './src/autopsy/perform.ts';
export { judge } from './src/autopsy/judge.ts';
export { planAutopsy } from './src/autopsy/plan.ts';
export { diagnose } from './src/diagnosis/diagnose.ts';
`,
  trials: `
export { entropyOfUpdate, tryEntropySteps } from './src/training/look/entropy-steps.ts';
`,
  adapted: `
export { createRun } from './src/training/create-run.ts';
`,
  model: `
export { pretrainModel, pretrainedStart } from './src/cli/pretraining.ts';
export { evaluateAgents } from './src/training/evaluation.ts';
`,
} as const;
export type Measured = keyof typeof further;

/** Packages that validate or read data and do not affect a run's numbers. */
const readers: ReadonlySet<string> = new Set(['zod', '@huggingface/tokenizers']);

/**
 * The code that a run's numbers depend on: everything the trainer loads except descriptions of runs
 * (`src/config`, `src/runs`, `src/experiments`: names, texts and bounds; a kept run stores its
 * whole config, which is compared separately), and, for runs on the processor, except shaders and the
 * WebGPU device. Tooltips and comments may change without making a result stale.
 */
export class Code {
  readonly #modules: Readonly<Record<Measured, readonly Module[]>>;
  /** Cached by environments and measurement, because hundreds of kept runs are looked up. */
  readonly #fingerprints = new Map<string, string>();

  private constructor(modules: Readonly<Record<Measured, readonly Module[]>>) {
    this.#modules = modules;
  }

  /** @param root of the repository */
  static async read(root: string): Promise<Code> {
    const { metafile } = await build({
      entryPoints: Object.keys(further).map((measured) => `${RUN}${measured}`),
      absWorkingDir: root,
      outdir: 'nowhere',
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      plugins: [runsAsEntries(root), wgslForEsbuild()],
      logLevel: 'error',
    });
    const of = (measured: Measured) => modulesOf(root, metafile, `${RUN}${measured}`);
    return new Code({
      nothing: await of('nothing'),
      samples: await of('samples'),
      forks: await of('forks'),
      trials: await of('trials'),
      adapted: await of('adapted'),
      model: await of('model'),
    });
  }

  /**
   * Modules that affect the numbers of a run of this config.
   *
   * @param measured what else the numbers depend on
   */
  paths(config: Config, adapter: string, measured: Measured = 'nothing'): readonly string[] {
    return this.#for(config, adapter, measured).map(({ path }) => path);
  }

  /**
   * 16 hexadecimal digits, equal for two versions of the code only if both compute the same
   * results.
   *
   * @param adapter the description of the device, as a kept run stores it
   * @param measured what else the numbers depend on
   */
  fingerprint(config: Config, adapter: string, measured: Measured = 'nothing'): string {
    const key = [measured, isProcessor(adapter), ...worldsOf(config, measured)].join();
    const known = this.#fingerprints.get(key) ?? this.#hash(config, adapter, measured);
    this.#fingerprints.set(key, known);
    return known;
  }

  #hash(config: Config, adapter: string, measured: Measured): string {
    const hash = createHash('sha256');
    const modules = this.#for(config, adapter, measured);
    for (const { path, text } of modules) hash.update(`${path}\n${text}\n`);
    const packages = new Set(modules.flatMap((module) => module.packages));
    hash.update([...packages].sort().join('\n'));
    return hash.digest('hex').slice(0, 16);
  }

  /**
   * An environment's code is the folder named at the start of its id and everything that this folder imports.
   * Code used only by other families does not count.
   */
  #for(config: Config, adapter: string, measured: Measured): readonly Module[] {
    const families = new Set(worldsOf(config, measured));
    const all = this.#modules[measured];
    const byPath = new Map(all.map((module) => [module.path, module]));
    const counted = new Set<Module>();
    const count = (module: Module | undefined, inWorld: boolean): void => {
      if (module === undefined || counted.has(module)) return;
      const family = familyOf(module.path);
      // Only environments import other environments' folders.
      if (family !== undefined && !families.has(family) && !inWorld) return;
      counted.add(module);
      for (const path of module.imports) count(byPath.get(path), family !== undefined);
    };
    const shared = (path: string) => /^src\/envs\/[^/]+$/.test(path);
    // Files shared by environments count only if something imports them; all other files always count.
    for (const module of all) if (!shared(module.path)) count(module, false);
    const onlyGpu = isProcessor(adapter) ? /^(shaders|src\/device\/webgpu)\// : null;
    return all.filter(
      (module) =>
        counted.has(module) &&
        // The registry changes with every new family.
        module.path !== REGISTRY &&
        onlyGpu?.test(module.path) !== true,
    );
  }
}

/** Whether a run on this adapter executed no shader. */
const isProcessor = (adapter: string): boolean => adapter.startsWith('processor,');

const REGISTRY = 'src/envs/registry.ts';

/** Environments whose folder is not named by their id, with their folders. */
const elsewhere: Readonly<Record<string, string>> = {
  'maze/drawn-v1': 'drawn',
  'reasoning/strict-chain-v1': 'strict-reasoning',
};

/** The folders of a run's environments, and of those that its model was pretrained on. */
function worldsOf({ env }: Config, measured: Measured): readonly string[] {
  const ids = env.mixture.length === 0 ? [env.id] : env.mixture.map(({ id }) => id);
  const read = measured === 'model' ? pretrainingSources.map(({ id }) => id) : [];
  return [
    ...new Set([...ids, ...read].map((id) => elsewhere[id] ?? id.split('/')[0] ?? '')),
  ].sort();
}

/** The folder of an environment, or undefined for other files. */
function familyOf(path: string): string | undefined {
  return /^src\/envs\/([^/]+)\//.exec(path)?.[1];
}

/** Prefix of the virtual entry points. */
const RUN = 'run:';

/** Provides the virtual entry points. One build covers all of them, because they share most modules. */
function runsAsEntries(root: string): Plugin {
  return {
    name: 'runs-as-entries',
    setup({ onResolve, onLoad }) {
      const filter = new RegExp(`^${RUN}`);
      onResolve({ filter }, ({ path }) => ({ path: path.slice(RUN.length), namespace: 'run' }));
      onLoad({ filter: /./, namespace: 'run' }, ({ path }) => ({
        contents: entry + further[path as Measured],
        resolveDir: root,
        loader: 'ts',
      }));
    },
  };
}

/** The modules of an entry point, without those that only describe runs. */
async function modulesOf(
  root: string,
  { inputs, outputs }: Metafile,
  program: string,
): Promise<readonly Module[]> {
  const output = Object.values(outputs).find(({ entryPoint }) => entryPoint === program);
  if (output === undefined) throw new Error(`${program} was not built`);
  const paths = Object.entries(output.inputs)
    .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && /^(src|shaders)\//.test(path))
    .map(([path]) => path)
    .filter((path) => !/^src\/(config|runs|experiments)\//.test(path))
    .sort();
  return Promise.all(
    paths.map(async (path) => ({
      path,
      text: await bare(path, readFileSync(join(root, path), 'utf8')),
      packages: (inputs[path]?.imports ?? []).flatMap(({ path: imported, external }) =>
        external === true ? packageAt(root, imported) : [],
      ),
      imports: (inputs[path]?.imports ?? [])
        .filter(({ external }) => external !== true)
        .map(({ path: imported }) => imported),
    })),
  );
}

/** Cached by source, since modules are requested repeatedly. */
const bareTexts = new Map<string, Promise<string>>();

/** A module's source without comments, types and white space. */
function bare(path: string, source: string): Promise<string> {
  if (path.endsWith('.wgsl')) return Promise.resolve(withoutWgslComments(source));
  const known = bareTexts.get(source) ?? bareScript(source);
  bareTexts.set(source, known);
  return known;
}

async function bareScript(source: string): Promise<string> {
  const { code } = await transform(source, {
    loader: 'ts',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
  });
  return code;
}

/** WGSL without comments, which may nest, and with single spaces. */
export function withoutWgslComments(source: string): string {
  let text = '';
  let depth = 0;
  for (let i = 0; i < source.length; i++) {
    const two = source.slice(i, i + 2);
    if (two === '/*') {
      depth++;
      i++;
    } else if (depth > 0) {
      if (two === '*/') {
        depth--;
        i++;
        text += ' ';
      }
    } else if (two === '//') {
      const end = source.indexOf('\n', i);
      i = end < 0 ? source.length : end - 1;
    } else {
      text += source[i];
    }
  }
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** `NAME@VERSION` of an imported package that affects numbers; empty for Node's own modules. */
function packageAt(root: string, imported: string): string[] {
  const name = imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/');
  const file = join(root, 'node_modules', name, 'package.json');
  if (readers.has(name) || imported.startsWith('node:') || !existsSync(file)) return [];
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return [`${name}@${version}`];
}

/** Number of initial iterations whose metrics identify a run. */
export const OPENING_ITERATIONS = 5;

/** Names of the metrics in the first iterations, without times. */
export function openingMetrics(rows: readonly MetricRow[]): readonly string[] {
  const keys = rows.slice(0, OPENING_ITERATIONS).flatMap((row) => Object.keys(row));
  return [...new Set(keys)].filter((key) => !key.startsWith('time/')).sort();
}

/**
 * SHA-256 of the metrics of a run's first iterations, bit for bit.
 *
 * @param metrics the metrics to include, so that metrics added by later versions do not change the
 * digest
 */
export function openingDigest(rows: readonly MetricRow[], metrics: readonly string[]): string {
  const plain = rows.slice(0, OPENING_ITERATIONS).map((row) => {
    const known = new Map(Object.entries(row));
    // As text, because JSON cannot represent infinity.
    return metrics.map((key) => String(known.get(key)));
  });
  return createHash('sha256').update(JSON.stringify(plain)).digest('hex').slice(0, 32);
}
