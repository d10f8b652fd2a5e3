/** Runs the benchmark's parts, one after the other, in a browser or in this process. */
import { availableParallelism } from 'node:os';
import { startNodeThread } from '../../src/device/processor/node.ts';
import { openNodeGpu } from '../../src/device/webgpu/node.ts';
import { type BenchPage, type OutsideTrainers, openBenchPage } from './browser.ts';
import { pytorchTrainers } from './peers/pytorch.ts';
import { processorBench } from './processor.ts';
import type { SuiteOptions } from './processor-bench.ts';
import { type PartName, partNames, type SpeedReport } from './report.ts';
import { Suite } from './suite.ts';

export interface SpeedRun {
  readonly quick: boolean;
  /** In this process, on Dawn. */
  readonly node: boolean;
  readonly parts: readonly PartName[];
  readonly about: Pick<SpeedReport, 'processor' | 'cores' | 'card'>;
  /** The measured commit, if git knows it. */
  readonly commit: string | null;
  /** A report whose other parts are kept, if they belong to the same adapter and host. */
  readonly kept: SpeedReport | null;
  /** The Python interpreter; without PyTorch, that peer is omitted. */
  readonly python: string;
  progress(text: string): void;
  /** Receives the report after each part, so that a later failure loses nothing. */
  onPart(report: SpeedReport): void;
}

export async function measureSpeed(run: SpeedRun): Promise<SpeedReport> {
  const { quick, progress } = run;
  // Kernels are compared with limits of the same run, so the report must have them.
  const parts = partNames.filter(
    (name) => run.parts.includes(name) || (name === 'limits' && run.parts.includes('kernels')),
  );
  const outside: OutsideTrainers = (training) => pytorchTrainers(run.python, training, progress);
  const bench = await (run.node ? openNodeBench(outside) : openBenchPage(outside));
  try {
    const { kept } = run;
    const { card, ...about } = run.about;
    const same = kept?.adapter === bench.adapter.name && kept.host === bench.host;
    let report: SpeedReport = {
      measured: {},
      ...(same ? kept : {}),
      adapter: bench.adapter.name,
      software: bench.adapter.software,
      host: bench.host,
      quick,
      ...about,
      // The benchmark may use a software adapter although the machine has a graphics card.
      ...(card === undefined || bench.adapter.software ? {} : { card }),
    };
    for (const part of parts) {
      // These would take hours on a software adapter.
      if (part === 'stepL' && bench.adapter.software && !quick) continue;
      const started = performance.now();
      const found = part === 'startup' ? await bench.startup() : await bench.run(part, { quick });
      const measured = {
        ...report.measured,
        [part]: { date: new Date().toISOString(), commit: run.commit },
      };
      report = { ...report, measured, [part]: found };
      progress(`${part}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
      run.onPart(report);
    }
    return report;
  } finally {
    await bench.close();
  }
}

async function openNodeBench(outside: OutsideTrainers): Promise<BenchPage> {
  const gpu = await openNodeGpu();
  // The processor with all its threads, and with one.
  const processors = [...new Set([availableParallelism(), 1])].map((threads) =>
    processorBench(threads, startNodeThread, `Node ${process.versions.node}`),
  );
  let suite: Suite | undefined;
  return {
    adapter: { name: gpu.description.detail, software: gpu.description.software },
    host: `Node ${process.versions.node}`,
    run: (part, options: SuiteOptions) => {
      suite ??= new Suite(
        {
          device: gpu,
          processors,
          peers: outside,
          decoders: async () => new Map(),
        },
        options,
      );
      return suite.run(part);
    },
    startup: async () => null,
    close: async () => {
      for (const one of processors) one.close();
      gpu.close();
    },
  };
}
