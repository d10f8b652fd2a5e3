import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Imports a `.wgsl` file as its text. */
function wgsl(): Plugin {
  return {
    name: 'wgsl',
    transform(code, id) {
      if (id.endsWith('.wgsl'))
        return { code: `export default ${JSON.stringify(code)};`, map: null };
      return null;
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [wgsl(), react()],
  worker: { format: 'es', plugins: () => [wgsl()] },
  build: { target: 'es2022' },
  test: {
    include: ['src/**/*.test.ts', 'src/**/*.test.tsx'],
    // One process per test file: the native WebGPU addon does not live in worker threads.
    pool: 'forks',
  },
});
