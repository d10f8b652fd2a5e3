/** The dedicated worker: carries messages between the page and the session. */

import { Gpu } from '../gpu/index.ts';
import type { PageMessage } from './protocol.ts';
import { LabMachine } from './run.ts';
import { LabSession } from './session.ts';

// The types of the page and of a worker both apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;

const machine = new LabMachine(() => Gpu.open(navigator.gpu));

/**
 * Lets messages that wait be delivered. A message channel, unlike a timer, is not slowed down when
 * the page is hidden.
 */
const channel = new MessageChannel();
let resume = () => {};
channel.port1.onmessage = () => resume();
const breathe = () =>
  new Promise<void>((resolve) => {
    resume = resolve;
    channel.port2.postMessage(null);
  });

const session = new LabSession({
  post: (message) => scope.postMessage(message),
  open: (config, onFatal) => machine.open(config, onFatal),
  breathe,
});

scope.onmessage = (event: MessageEvent<PageMessage>) => session.receive(event.data);
