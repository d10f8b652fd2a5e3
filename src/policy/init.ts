import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { ParameterLayout } from './layout.ts';

/**
 * Initial parameters as one flat buffer. Every parameter has its own stream, keyed by the seed and
 * its index, so adding a layer does not change the random numbers of earlier layers.
 */
export function initialParameters(layout: ParameterLayout, seed: number): Float32Array {
  const flat = new Float32Array(layout.length);
  let stream = 0;
  for (const { start, length, init } of layout.slots.values()) {
    stream += 1;
    if (init === 'ones') {
      flat.fill(1, start, start + length);
      continue;
    }
    if (init === 'zeros') continue;
    const random = xoroshiro128plus(seed ^ Math.imul(stream, 0x9e3779b1));
    for (let i = 0; i < length; i += 2) {
      // Box–Muller: two normally distributed numbers from two uniform ones.
      const radius = Math.sqrt(-2 * Math.log(1 - uniformFloat64(random))) * init.std;
      const angle = 2 * Math.PI * uniformFloat64(random);
      flat[start + i] = radius * Math.cos(angle);
      if (i + 1 < length) flat[start + i + 1] = radius * Math.sin(angle);
    }
  }
  return flat;
}
