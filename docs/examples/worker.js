// A worker that trains, so that the page that started it stays free:
//   const worker = new Worker('worker.js', { type: 'module' });
//   worker.onmessage = ({ data }) => …;
//   worker.postMessage({ stopping: { iterations: 3 } });
// Workers know no import maps: the library is named by its address, or a bundler finds it by its name.
import { train } from './node_modules/palestra/lib/browser/index.js';

self.onmessage = async ({ data: config }) => {
  const { checkpoint, evaluation } = await train({
    config,
    onIteration: ({ metrics }) => self.postMessage({ row: metrics }),
  });
  self.postMessage({ evaluation: evaluation.metrics, checkpoint }, [checkpoint.buffer]);
};
