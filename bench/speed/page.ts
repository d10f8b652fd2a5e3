/** The benchmark's page: what `browser.ts` calls in a headless Chromium. */
import { Gpu } from '../../src/gpu/index.ts';
import type { PartName } from './report.ts';
import { adapterName, Suite, type SuiteOptions } from './suite.ts';

const gpu = await Gpu.open(navigator.gpu);
let suite: Suite | undefined;

const bench = {
  adapter: { name: adapterName(gpu), software: gpu.description.software },
  run: (part: PartName, options: SuiteOptions) => {
    suite ??= new Suite({ gpu, peers: async () => [] }, options);
    return suite.run(part);
  },
};

declare global {
  interface Window {
    bench?: typeof bench;
  }
}

window.bench = bench;
