/** Sets the WebSocket implementation that remote environments use in Node. */

import { WebSocket } from 'ws';
import { sockets } from '../envs/remote/sockets.ts';

sockets.open = (url) => new WebSocket(url);
