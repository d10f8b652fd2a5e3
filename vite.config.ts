import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { stamped } from './scripts/build.mjs';
import { contentPolicy } from './scripts/content-policy.mjs';
import { isolationHeaders } from './scripts/isolation.mjs';
import { licenses } from './scripts/licenses.mjs';
import { offline } from './scripts/offline.mjs';
import { pyodide } from './scripts/pyodide.mjs';
import { vulkanEnvironment } from './scripts/vulkan.mjs';
import { wgslForVite } from './scripts/wgsl.mjs';
import { withoutDescriptions } from './scripts/without-descriptions.mjs';

const testing = process.env.VITEST !== undefined;
if (testing) {
  // The dynamic linker reads LD_LIBRARY_PATH when a process starts, so set it before tests are forked.
  Object.assign(process.env, await vulkanEnvironment({ deterministic: true }));
}

/**
 * Test files that need their own process: they load native libraries, kill processes, measure memory, replace
 * modules or workers, or test one-time initialization. All others share processes, which load modules and environments once.
 */
const apart = [
  'scripts/**/*.test.ts',
  'src/**/memory.test.ts',
  'src/cli/{serve,sweep,work}-command.test.ts',
  'src/cli/log-paths.test.ts',
  'src/device/**/*.test.ts',
  'src/envs/registry.test.ts',
  'src/exchange/{gguf,player}.test.ts',
  'src/exchange/pretrained/real-tokenizers.test.ts',
  'src/kernels/*.test.ts',
  'src/lab/responsive.test.ts',
  'src/policy/{architectures,fused,policy,submissions,threads}.test.ts',
  'src/runs/run-store.test.ts',
  'src/testing/fuzz/fuzz.test.ts',
  'src/training/resume.test.ts',
  'src/ui/app/opening.test.ts',
  'src/ui/inside/network/{opened,store}.test.ts',
  'src/ui/learn/twins/play.test.ts',
  'src/ui/shelf/{episodes,logs,runs}/store.test.ts',
  'src/ui/shell/browser/kept.test.ts',
];

/** Texts appear in the page's language wherever an element is made, also by a library. */
const jsxRuntimes = ['jsx-runtime', 'jsx-dev-runtime'].map((name) => ({
  find: new RegExp(`^react/${name}$`),
  replacement: fileURLToPath(new URL(`src/ui/shell/language/${name}.ts`, import.meta.url)),
}));

const { page: licensesOfPage, worker: licensesOfWorker } = licenses();

/** Cross-origin isolation, required for shared memory between threads. */
const headers = isolationHeaders;

export default defineConfig({
  server: { headers },
  preview: { headers },
  resolve: { alias: jsxRuntimes },
  base: './',
  // Answer 404 for missing files, as a static host does.
  appType: 'mpa',
  plugins: [
    wgslForVite(),
    react(),
    contentPolicy(),
    pyodide(),
    licensesOfPage,
    offline(),
    stamped(),
  ],
  worker: { format: 'es', plugins: () => [wgslForVite(), withoutDescriptions(), licensesOfWorker] },
  build: {
    target: 'es2022',
    // Every browser that can train preloads modules. The polyfill would join both pages in one chunk.
    modulePreload: { polyfill: false },
    // Put the first load into one file: many small ones compress worse.
    rolldownOptions: {
      input: ['index.html', 'bench.html'],
      output: {
        codeSplitting: {
          // The benchmark's page is a separate entry and must not run the lab.
          groups: [
            { name: 'lab', tags: ['$initial'], test: (id) => !/\/bench(\.html|\/page\/)/.test(id) },
          ],
        },
      },
    },
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: apart,
          // Load all environments so that tests can create them synchronously.
          setupFiles: ['src/testing/setup.ts', 'src/envs/testing/load-all.ts'],
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        test: { name: 'apart', include: apart, setupFiles: ['src/testing/setup.ts'] },
      },
    ],
    ...(testing && {
      sequence: { sequencer: (await import('./scripts/longest-first.mjs')).LongestFirst },
    }),
    // The native WebGPU addon does not work in worker threads.
    pool: 'forks',
    // A software driver uses a second core only in part: two workers take two thirds of the time of one.
    maxWorkers: 2,
    // Ends tests that hang; long enough for a busy machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
  },
});
