import type { EnvironmentOption, FamilyCard } from '../types.ts';

const MOST_URL = 500;
const MOST_WORDS = 50_000;

export const openEnvOptions = {
  url: {
    type: 'text',
    description:
      'Address of an OpenEnv environment: wss://HOST/PATH, or ws:// on this machine. `/ws` is added if missing.',
    default: '',
    most: MOST_URL,
    fault: urlFault,
  },
  sessions: {
    type: 'number',
    description: 'Number of connections, one episode each. The server must allow this many.',
    default: 64,
    min: 1,
    max: 512,
    step: 1,
  },
  patience: {
    type: 'number',
    description: 'Seconds to keep trying a server that cannot be reached.',
    default: 120,
    min: 1,
    max: 3600,
    step: 1,
  },
  words: {
    type: 'text',
    description:
      'Vocabulary including actions, one word or phrase per line. Palestra’s servers send theirs.',
    default: '',
    most: MOST_WORDS,
    fault: () => null,
  },
  tasks: {
    type: 'number',
    description:
      'Number of training seeds if the server lists no tasks. Evaluation uses a quarter as many other seeds.',
    default: 64,
    min: 4,
    max: 4096,
    step: 4,
  },
  turns: {
    type: 'number',
    description: 'Turn limit if the server does not send one.',
    default: 20,
    min: 1,
    max: 1000,
    step: 1,
  },
} as const satisfies Record<string, EnvironmentOption>;

export const openEnvCard = {
  id: 'remote/openenv-v1',
  title: 'OpenEnv server',
  explanation:
    'An environment on a server, in the protocol of OpenEnv. Every turn waits for the server; episodes whose connection fails are played again.',
  options: openEnvOptions,
} as const satisfies FamilyCard;

function urlFault(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'is not an address such as wss://example.org/openenv/maze';
  }
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:') return 'must begin with ws:// or wss://';
  return url.username === '' && url.password === '' ? null : 'must not contain credentials';
}
