/** The library's device in a browser. In Node, `here.node.ts` replaces this module. */
export { openBrowserDevice as openDeviceHere } from '../kernels/open-device.ts';
