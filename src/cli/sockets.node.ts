/** Lets remote environments connect. */

import { WebSocket } from 'ws';
import { sockets } from '../envs/remote/sockets.ts';

sockets.open = (url) => new WebSocket(url);
