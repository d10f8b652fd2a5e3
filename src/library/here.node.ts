/** The library's device in Node. */
import { openNodeDevice } from '../kernels/open-device.node.ts';
import type { openDeviceHere as openInBrowser } from './here.ts';

export const openDeviceHere: typeof openInBrowser = openNodeDevice;
