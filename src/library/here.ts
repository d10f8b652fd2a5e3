/** What computes where the library runs: in a browser. `here.node.ts` stands in its place in Node. */
export { openBrowserDevice as openDeviceHere } from '../kernels/open-device.ts';
