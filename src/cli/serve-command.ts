import { EnvironmentOptionError } from '../envs/registry.ts';
import {
  DEFAULT_IDLE_MINUTES,
  DEFAULT_OPEN,
  MOST_IDLE_MINUTES,
  MOST_OPEN,
} from '../serve/limits.ts';
import { createOpenEnvService } from '../serve/openenv/service.ts';
import { isLocal, type RunningServer, startServer } from '../serve/server.node.ts';
import { createService } from '../serve/service.ts';
import { MANNERS, ServeOptionError, settle } from '../serve/settle.ts';
import { Command, oneOf, optional, repeated, whole, withDefault } from './flags.ts';
import type { Streams } from './streams.ts';
import { exitCode, UsageError } from './usage.ts';

const LOCAL_HOST = '127.0.0.1';

const server = new Command({
  name: 'serve',
  about: 'Serves most built-in environments over the AgentGym and OpenEnv protocols.',
  flags: {
    port: withDefault(8000, optional('N', 'TCP port; 0 selects a free one', whole(0, 65_535))),
    host: withDefault(
      LOCAL_HOST,
      optional('NAME', 'the address to listen on; 0.0.0.0 accepts connections from other machines'),
    ),
    token: optional(
      'TEXT',
      'require this token, 8 to 200 letters, digits and - . _ ~ from clients, as http://any:TEXT@HOST:PORT/maze or Authorization: Bearer TEXT; it is sent unencrypted',
      tokenText,
    ),
    'allow-origin': repeated(
      'ORIGIN',
      'accept requests from web pages of this origin, such as https://example.org; * accepts every origin',
    ),
    texts: withDefault(
      'original',
      optional(
        'NAME',
        'original: texts and rules of the AgentGym servers, where the environments have them; own: the texts and rules that agents are trained with here',
        oneOf(MANNERS),
      ),
    ),
    env: repeated(
      'PATH=ID',
      'serve another environment under a path, such as maze=maze/generated-v2',
    ),
    set: repeated(
      'PATH.OPTION=VALUE',
      'set an option of the environment of a path, such as textcraft.depth=2',
    ),
    most: withDefault(
      DEFAULT_OPEN,
      optional('N', 'maximum number of open environments', whole(1, MOST_OPEN)),
    ),
    idle: withDefault(
      DEFAULT_IDLE_MINUTES,
      optional('MINUTES', 'close environments unused for this long', whole(1, MOST_IDLE_MINUTES)),
    ),
  },
  notes: () =>
    'Ctrl-C finishes open requests and exits. docs/SERVING.md documents every request and how it differs from AgentGym and OpenEnv.',
});

interface ServeMachine extends Streams {
  /** Aborted to stop the server. */
  readonly stopped: AbortSignal;
}

/** Serves until stopped. Resolves with the exit code. */
export function serveCommand(args: readonly string[], machine: ServeMachine): Promise<number> {
  return exitCode(machine, [ServeOptionError, EnvironmentOptionError], async () => {
    const parsed = server.parse(args);
    if (parsed === null) machine.out(server.help());
    else await serve(parsed.values, machine);
    return 0;
  });
}

async function serve(
  values: NonNullable<ReturnType<typeof server.parse>>['values'],
  { out, log, stopped }: ServeMachine,
): Promise<void> {
  const { host, port, token = null, most, idle } = values;
  const served = settle({ manner: values.texts, environments: values.env, options: values.set });
  const limits = { most, idle: idle * 60_000 };
  const now = () => performance.now();
  // Only AgentGym has original texts, so OpenEnv clients get the texts that agents are trained with here.
  const own = settle({ manner: 'own', environments: values.env, options: values.set });
  const openEnv = createOpenEnvService({ served: own, limits, now, log });
  const service = createService({ served, limits, now, log, openEnv });
  const allowedOrigins = values['allow-origin'].map(originIn);
  const settings = { host, port, token, openEnv, allowedOrigins };
  const running = await listen(() => startServer(service, settings), host, port);
  for (const { dialect, ids } of served) {
    const [first, ...others] = ids;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    out(`${running.address}/${dialect.path}  ${first}${more}`);
  }
  out(`${running.address}/openenv/PATH  the same environments over the OpenEnv protocol`);
  if (!isLocal(host) && token === null) {
    log(`Every machine that reaches ${host} can use this server; restrict access with --token.`);
  }
  await aborted(stopped);
  await running.stop();
}

/** `*`, or the origin of an address: browsers send no path, and the host in lower case. */
function originIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url.origin;
  // Sandboxed frames send `null`; extensions and apps send an origin with another scheme.
  if (text === '*' || text === 'null') return text;
  if (url !== null && /^[a-z][\w+.-]*:\/\/[^/?#\s]+$/.test(text)) return text;
  throw new UsageError(
    `--allow-origin must be an address such as https://example.org, or *, got ${JSON.stringify(text)}`,
  );
}

/** Only characters that need no escaping in a URL. */
function tokenText(text: string): string {
  if (/^[\w.~-]{8,200}$/.test(text)) return text;
  throw new UsageError('--token must be 8 to 200 letters, digits and - . _ ~');
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });

/** Why a server cannot listen, by Node's code. */
const reasons: Readonly<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (_host, port) =>
    `port ${port} is in use; choose another one with --port, or 0 for a free one`,
  EACCES: (_host, port) => `port ${port} needs more privileges; choose 1024 or above`,
  EADDRNOTAVAIL: (host) =>
    `this machine does not have the address ${host}; choose another one with --host`,
  ENOTFOUND: (host) => `there is no host ${host}; choose another one with --host`,
  EAI_AGAIN: (host) => `the host ${host} cannot be looked up; choose another one with --host`,
};

/** @throws {UsageError} if the port or address cannot be used */
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
