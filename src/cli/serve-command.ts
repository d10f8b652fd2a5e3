import { EnvironmentOptionError } from '../envs/registry.ts';
import {
  DEFAULT_IDLE_MINUTES,
  DEFAULT_OPEN,
  MOST_IDLE_MINUTES,
  MOST_OPEN,
} from '../serve/limits.ts';
import { isLocal, type RunningServer, startServer } from '../serve/server.node.ts';
import { createService } from '../serve/service.ts';
import { MANNERS, ServeWishError, settle } from '../serve/settle.ts';
import type { Streams } from './streams.ts';
import { calledBy, EXIT_USAGE, parseFlags, readWhole, UsageError } from './usage.ts';

const DEFAULT_PORT = 8000;
const LOCAL_HOST = '127.0.0.1';

const flags = {
  port: { type: 'string' },
  host: { type: 'string' },
  token: { type: 'string' },
  texts: { type: 'string' },
  env: { type: 'string', multiple: true },
  set: { type: 'string', multiple: true },
  most: { type: 'string' },
  idle: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const help = `Serves every environment in the protocol of AgentGym, so that its Python clients can play them.

  ${calledBy('serve')} [--port N] [--host NAME] [--token TEXT] [--texts original|own]
                            [--env PATH=ID]… [--set PATH.OPTION=VALUE]… [--most N] [--idle MINUTES]

  --port N       ${DEFAULT_PORT} if not given; 0 takes any that is free
  --host NAME    where to listen. ${LOCAL_HOST} if not given, which only this machine can reach;
                 0.0.0.0 is every address of the machine, for whoever can reach it
  --token TEXT   answers only requests with this token, 8 to 200 letters, digits and - . _ ~
                 Clients give it in their address, http://any:TEXT@HOST:PORT/maze, or as
                 Authorization: Bearer TEXT. It goes over the network as it is
  --texts NAME   original: the texts and rules of AgentGym's servers, as far as the environments have
                 them; own: those that agents are trained with here. original if not given
  --env PATH=ID  another environment under a path, such as maze=maze/generated-v2
  --set PATH.OPTION=VALUE
                 an option of a path's environment, such as textcraft.depth=2
  --most N       environments that may be open at once; ${DEFAULT_OPEN} if not given
  --idle MINUTES closes an environment that nobody used for so long; ${DEFAULT_IDLE_MINUTES} if not given
  --help         print this and end

Ctrl-C ends it once all requests have been answered. docs/SERVING.md tells request by request what is
served, and how it differs from the originals.
`;

export interface ServeMachine extends Streams {
  /** Ends the server. */
  readonly stopped: AbortSignal;
}

/** Serves until it is stopped. Resolves with the exit code. */
export async function serveCommand(
  args: readonly string[],
  { out, log, stopped }: ServeMachine,
): Promise<number> {
  try {
    const values = parseFlags(args, flags);
    if (values.help === true) {
      out(help.trimEnd());
      return 0;
    }
    const host = values.host ?? LOCAL_HOST;
    const token = readToken(values.token);
    const port = readWhole('--port', values.port, 0, 65_535) ?? DEFAULT_PORT;
    const limits = {
      most: readWhole('--most', values.most, 1, MOST_OPEN) ?? DEFAULT_OPEN,
      idle: minutes(readWhole('--idle', values.idle, 1, MOST_IDLE_MINUTES)),
    };
    const served = settle({
      manner: readManner(values.texts),
      environments: values.env ?? [],
      options: values.set ?? [],
    });
    const service = createService({ served, limits, now: () => performance.now(), log });
    const server = await listen(() => startServer(service, { host, port, token }), host, port);
    for (const { dialect, ids } of served) {
      const [first, ...others] = ids;
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      out(`${server.address}/${dialect.path}  ${first}${more}`);
    }
    if (!isLocal(host) && token === null) {
      log(`Whoever can reach ${host} can use this server; --token keeps others out.`);
    }
    await aborted(stopped);
    await server.stop();
    return 0;
  } catch (error) {
    if (!isOfUser(error)) throw error;
    log(error.message);
    return EXIT_USAGE;
  }
}

const isOfUser = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof ServeWishError ||
  error instanceof EnvironmentOptionError;

const minutes = (count = DEFAULT_IDLE_MINUTES) => count * 60_000;

function readManner(text = 'original') {
  const manner = MANNERS.find((name) => name === text);
  if (manner !== undefined) return manner;
  throw new UsageError(`--texts is one of ${MANNERS.join(', ')}, got ${JSON.stringify(text)}`);
}

/** Only what an address can hold as it is. */
function readToken(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^[\w.~-]{8,200}$/.test(text)) return text;
  throw new UsageError('--token takes 8 to 200 letters, digits and - . _ ~');
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });

/** Why a server cannot listen, by Node's code. */
const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) =>
    `port ${port} is taken; choose another one with --port, or 0 for any that is free`,
  EACCES: (_host, port) => `port ${port} is not for this user; choose one from 1024 on`,
  EADDRNOTAVAIL: (host) => `this machine has no address ${host}; --host says where to listen`,
  ENOTFOUND: (host) => `there is no host ${host}; --host says where to listen`,
  EAI_AGAIN: (host) => `the host ${host} cannot be looked up; --host says where to listen`,
};

/** @throws {UsageError} where the machine does not let it */
async function listen(
  start: () => Promise<RunningServer>,
  host: string,
  port: number,
): Promise<RunningServer> {
  try {
    return await start();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const reason = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
    if (reason === undefined) throw error;
    throw new UsageError(reason(host, port));
  }
}
