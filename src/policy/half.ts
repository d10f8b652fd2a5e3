/** Conversion of 16-bit floats, for file formats. */
export { fromHalf, toHalf } from '../kernels/frozen-pack.ts';
