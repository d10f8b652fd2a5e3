// A cell of a notebook that shows what a generator yields, as Observable's do:
//   import { successCurve } from './notebook.js';
//   successCurve({ ...presetConfig('maze'), stopping: { iterations: 60 } })
// The curve grows with every iteration; where the cell is run again, the run before it ends.
import { train } from './node_modules/palestra/lib/browser/index.js';

const [width, height] = [320, 120];

export async function* successCurve(config) {
  const stopped = new AbortController();
  const points = [];
  let grown = Promise.withResolvers();
  const onIteration = ({ iteration, metrics }) => {
    points.push([iteration, metrics['rollout/success_rate']]);
    grown.resolve(true);
    grown = Promise.withResolvers();
  };
  const ended = train({ config, onIteration, signal: stopped.signal }).then(() => false);
  try {
    while (await Promise.race([grown.promise, ended])) yield drawn(points);
    yield drawn(points);
  } finally {
    stopped.abort();
  }
}

/** @param points (N) iteration and success of each */
function drawn(points) {
  const last = points.at(-1)?.[0] ?? 1;
  const path = points.map(([x, y]) => `${(width * x) / last},${height * (1 - y)}`).join(' L');
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', `Success over ${points.length} iterations`);
  svg.innerHTML = `<path d="M${path}" fill="none" stroke="currentColor" stroke-width="2" />`;
  return svg;
}
