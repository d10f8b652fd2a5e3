/** The worker in which the benchmark's page uses the processor. */
import { computeThread } from '../../src/device/processor/compute-thread.ts';
import type { StartThread } from '../../src/device/processor/threads.ts';
import { type Answer, type Call, processorBench } from './processor.ts';
import type { ProcessorBench } from './processor-bench.ts';

const scope = self as unknown as DedicatedWorkerGlobalScope;

/** The benchmark's page has no content security policy, so a thread can start from a blob URL. */
const startThread: StartThread = (args) => {
  const text = `onmessage = ({ data }) => (${computeThread.toString()})(...data);`;
  const worker = new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })));
  worker.postMessage(args);
  return {
    onFailure: (listener) => {
      worker.onerror = ({ message }) => listener(new Error(message));
    },
    terminate: () => worker.terminate(),
  };
};

let bench: ProcessorBench | undefined;
/** Trainers and decoders in creation order. */
const made: { run(): Promise<unknown>; close(): Promise<void> | void }[] = [];

async function answer(call: Call): Promise<unknown> {
  if (call.method === 'open') {
    bench = processorBench(call.threads, startThread, navigator.userAgent);
    return bench.name;
  }
  if (!bench) throw new Error('the processor is not open');
  switch (call.method) {
    case 'measure':
      return bench.measure(call.options);
    case 'trainer': {
      const { step, close } = await bench.trainer(call.training);
      return made.push({ run: step, close }) - 1;
    }
    case 'decoder':
      return made.push(await bench.decoder(call.shape, call.episodes)) - 1;
    case 'run':
      return made[call.made]?.run();
    case 'close':
      return made[call.made]?.close();
    default:
      return call satisfies never;
  }
}

scope.onmessage = async ({ data }: MessageEvent<{ readonly id: number; readonly call: Call }>) => {
  const { id, call } = data;
  let message: Answer;
  try {
    message = { id, result: await answer(call) };
  } catch (error) {
    message = { id, error: error instanceof Error ? error.message : String(error) };
  }
  scope.postMessage(message);
};
