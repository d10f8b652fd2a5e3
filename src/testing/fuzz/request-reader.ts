/** The environment server as a reader of requests: a target and a body alternate, one per line. */

import type { Served } from '../../serve/dialect.ts';
import { Refusal } from '../../serve/protocol.ts';
import { createService } from '../../serve/service.ts';
import { settle } from '../../serve/settle.ts';
import { either, lines, text } from './formats.ts';
import { json } from './json.ts';
import type { Reader } from './reader.ts';

const words = [
  ...['id', 'env_idx', 'action', 'data_idx', 'game', 'seed', 'session_id', 'item_id', 'idx'],
  ...['/create', '/reset', '/step', '/close', '/observation?id=0', '/detail?env_idx=0', '/tasks'],
  ...['/maze', '/babyai', '/searchqa', '/weather', '/bird', '/webarena', '/sciworld', '/webshop'],
  ...['Action: ', '<search>', '</answer>', '```', 'with Action Input: {', 'click[', 'SELECT '],
];

const paths = [
  ['maze', 'game', 'id', 'move up'],
  ['babyai', 'data_idx', 'id', 'pickup red ball 1'],
  ['textcraft', 'data_idx', 'id', 'get 1 acacia logs'],
  ['searchqa', 'id', 'env_idx', '<think>so</think><search>Skelda</search>'],
  ['sciworld', 'data_idx', 'id', 'Action: look around'],
  ['webshop', 'session_id', 'env_idx', 'Action: click[Buy Now]'],
  ['webarena', 'idx', 'env_idx', '```click [1]```'],
  ['todo', 'id', 'env_idx', 'Action: get_projects with Action Input: {}'],
  ['bird', 'item_id', 'env_idx', 'Action: ```sql\nSELECT 1 FROM bands;\n```'],
] as const;

const encoder = new TextEncoder();

/** A client's session from creation to end. */
function session([path, taskKey, idKey, action]: (typeof paths)[number]): Uint8Array {
  const requests = [
    ['create', {}],
    ['reset', { [taskKey]: 3, [idKey]: 0 }],
    ['step', { [idKey]: 0, action }],
    [`observation?${idKey}=0`, null],
    ['close', { [idKey]: 0 }],
  ] as const;
  const written = requests.map(
    ([verb, body]) => `/${path}/${verb}\n${body === null ? '' : JSON.stringify(body)}`,
  );
  return encoder.encode(written.join('\n'));
}

const MOST_REQUESTS = 40;

let settled: readonly Served[] | undefined;
/** The served environments are pure, so all cases share the service. */
function served(): readonly Served[] {
  settled ??= settle({ manner: 'original', environments: [], options: [] });
  return settled;
}

/**
 * Throws a `Refusal` if the last request was rejected, and an error if the service itself failed.
 */
function serve(bytes: Uint8Array): unknown {
  const service = createService({
    served: served(),
    limits: { most: 8, idle: 1000 },
    now: () => 0,
    log: (line) => {
      throw new Error(line);
    },
  });
  const read = new TextDecoder()
    .decode(bytes)
    .split('\n')
    .slice(0, 2 * MOST_REQUESTS);
  const answers = [];
  for (let i = 0; i < read.length; i += 2) {
    const [target = '', body = ''] = read.slice(i, i + 2);
    const method = body === '' ? 'GET' : 'POST';
    answers.push(service.answer({ method, target, body: encoder.encode(body) }));
  }
  const last = answers.at(-1);
  if (last !== undefined && last.status !== 200) throw new Refusal(last.status, last.body);
  return answers;
}

export const requestReader: Reader = {
  name: 'requests',
  refusals: [Refusal],
  seeds: () => paths.map(session),
  mutate: lines(either(json(words), text(words))),
  read: serve,
};
