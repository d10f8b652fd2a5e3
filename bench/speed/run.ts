/** Runs the benchmark's parts, one after the other, in a browser or in this process. */
import { openNodeGpu } from '../../src/gpu/node.ts';
import { type BenchPage, openBenchPage } from './browser.ts';
import type { PartName, PartReports, SpeedReport } from './report.ts';
import { adapterName, Suite, type SuiteOptions } from './suite.ts';

export interface SpeedRun {
  readonly quick: boolean;
  /** In this process, on Dawn. */
  readonly node: boolean;
  readonly parts: readonly PartName[];
  readonly about: Pick<SpeedReport, 'command' | 'processor' | 'cores' | 'commit'>;
  progress(text: string): void;
}

export async function measureSpeed(run: SpeedRun): Promise<SpeedReport> {
  const { quick, parts, about, progress } = run;
  const bench = await (run.node ? openNodeBench() : openBenchPage());
  try {
    const found: Partial<Record<PartName, PartReports[PartName]>> = {};
    for (const part of parts) {
      const started = performance.now();
      found[part] = await bench.run(part, { quick });
      progress(`${part}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
    }
    return {
      date: new Date().toISOString(),
      adapter: bench.adapter.name,
      software: bench.adapter.software,
      host: bench.host,
      quick,
      ...about,
      // Each part was kept under its own name.
      ...(found as Partial<PartReports>),
    };
  } finally {
    await bench.close();
  }
}

async function openNodeBench(): Promise<BenchPage> {
  const gpu = await openNodeGpu();
  let suite: Suite | undefined;
  return {
    adapter: { name: adapterName(gpu), software: gpu.description.software },
    host: `Node ${process.versions.node}`,
    run: (part, options: SuiteOptions) => {
      suite ??= new Suite({ gpu, peers: async () => [] }, options);
      return suite.run(part);
    },
    close: async () => gpu.close(),
  };
}
