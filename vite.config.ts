import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { stamped } from './scripts/build.mjs';
import { contentPolicy } from './scripts/content-policy.mjs';
import { isolationHeaders } from './scripts/isolation.mjs';
import { licences } from './scripts/licences.mjs';
import { offline } from './scripts/offline.mjs';
import { vulkanEnvironment } from './scripts/vulkan.mjs';
import { wgslForVite } from './scripts/wgsl.mjs';

const testing = process.env.VITEST !== undefined;
if (testing) {
  // Test processes are forked from this one. The dynamic linker reads LD_LIBRARY_PATH when a
  // process starts, so it is too late to set it inside a test.
  Object.assign(process.env, await vulkanEnvironment({ deterministic: true }));
}

/**
 * Test files with a process of their own: they load native libraries, such as WebGPU's, stop and kill processes,
 * measure a process's memory, or test what it does once. All others share processes, which load modules and worlds once.
 */
const apart = [
  'scripts/**/*.test.ts',
  'src/**/memory.test.ts',
  'src/cli/{serve,sweep,work}-command.test.ts',
  'src/device/**/*.test.ts',
  'src/envs/registry.test.ts',
  'src/exchange/player.test.ts',
  'src/kernels/*.test.ts',
  'src/lab/responsive.test.ts',
  'src/policy/{policy,submissions,threads}.test.ts',
  'src/runs/run-store.test.ts',
  'src/testing/fuzz/fuzz.test.ts',
  'src/training/resume.test.ts',
];

const { page: licencesOfPage, worker: licencesOfWorker } = licences();

/** With them a browser lets the page share memory between threads; scripts/isolation.mjs says more. */
const headers = isolationHeaders;

export default defineConfig({
  server: { headers },
  preview: { headers },
  base: './',
  // What is not there is not found, as on a static host; it is not the page instead.
  appType: 'mpa',
  plugins: [wgslForVite(), react(), contentPolicy(), licencesOfPage, offline(), stamped()],
  worker: { format: 'es', plugins: () => [wgslForVite(), licencesOfWorker] },
  build: {
    target: 'es2022',
    // What the page begins with is one file, whatever later parts share of it: many small ones compress worse.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'lab', tags: ['$initial'] }] } },
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
          // Tests make environments without waiting for their worlds.
          setupFiles: ['src/testing/equal-bytes.ts', 'src/envs/testing/load-all.ts'],
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        test: { name: 'apart', include: apart, setupFiles: ['src/testing/equal-bytes.ts'] },
      },
    ],
    ...(testing && {
      sequence: { sequencer: (await import('./scripts/longest-first.mjs')).LongestFirst },
    }),
    // Processes, for the native WebGPU addon does not live in worker threads.
    pool: 'forks',
    // A software driver keeps a second core busy only in part: two at a time take two thirds of the time.
    maxWorkers: 2,
    // What hangs ends; what a busy machine takes its time for does not fail.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
