import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { type FakeHub, startFakeHub } from '../../testing/fake-hub.ts';
import { memoryDisk } from '../../testing/file-system.ts';
import { folderOf, testModel } from '../../testing/pretrained.ts';
import { ModelStore } from '../model-store.ts';
import { answerModelRequest, type ModelAnswer, type ModelRequest } from '../model-work.ts';
import { openModel } from '../open-model.ts';
import { type HubConnection, huggingFace } from './hub-connection.ts';
import { type DownloadProgress, HubDownloads, type OneTab } from './hub-downloads.ts';
import type { HubModel } from './hub-model.ts';

const NAME = 'tiny-org/Tiny-1M.Instruct';
const WEIGHTS = 'model.safetensors';

let hub: FakeHub;
const files = testModel('llama');
const weights = files.get(WEIGHTS) ?? new Uint8Array();
beforeEach(async () => {
  hub = await startFakeHub(NAME, files);
});
afterEach(() => hub.close());

/** A tab's storage and the requests that its page sends. */
function tabOf(
  memory = memoryDisk(),
  oneTab: OneTab = (work) => work(),
  stall = huggingFace.stall,
) {
  const free = async () => memory.disk.capacity - memory.disk.used();
  const waits: number[] = [];
  const connection: HubConnection = {
    ...{ address: hub.address, stall },
    wait: async (milliseconds) => void waits.push(milliseconds),
  };
  const rootOf = (name: string) => memory.root.getDirectoryHandle(name, { create: true });
  const progress: DownloadProgress[] = [];
  const controller = new AbortController();
  let onProgress = (_: DownloadProgress) => {};
  const ask = (request: ModelRequest, signal = controller.signal) =>
    answerModelRequest(request, {
      store: async () => new ModelStore(await rootOf('models'), free, (work) => work()),
      downloads: async () => new HubDownloads(await rootOf('downloads'), free, oneTab, connection),
      onProgress: (answer) => {
        if (answer.kind !== 'downloading') return;
        progress.push(answer.progress);
        onProgress(answer.progress);
      },
      signal,
    });
  const watch = (take: typeof onProgress) => {
    onProgress = take;
  };
  return { ask, progress, waits, watch, memory };
}

const check = (name = NAME, revision = ''): ModelRequest => ({
  ...{ kind: 'check', name, revision, set: [] },
  ...{ config: presetConfig('maze'), rank: 16 },
});

function expectKind<Kind extends ModelAnswer['kind']>(answer: ModelAnswer, kind: Kind) {
  if (answer.kind !== kind) throw new Error(JSON.stringify(answer));
  return answer as Extract<ModelAnswer, { kind: Kind }>;
}

async function checked({ ask }: ReturnType<typeof tabOf>): Promise<HubModel> {
  return expectKind(await ask(check()), 'checked').found.model;
}

/** Requests for the bytes of the weights. */
const ranges = () => hub.received.filter(({ path }) => path === `/lfs/${WEIGHTS}`);

describe('checking a model', () => {
  it('lists the needed files with hashes, total size and memory before downloading weights', async () => {
    hub.serve(new Map([...files, ['pytorch_model.bin', weights], ['README.md', weights]]));
    const { found } = expectKind(
      await tabOf().ask(check(`https://huggingface.co/${NAME}`)),
      'checked',
    );
    expect(found.model).toMatchObject({ name: NAME, commit: hub.commit });
    expect(found.model.files.map(({ name }) => name)).toEqual([
      ...['config.json', 'tokenizer.json', 'tokenizer_config.json', 'generation_config.json'],
      WEIGHTS,
    ]);
    expect(found.model.files.at(-1)).toMatchObject({ hash: 'sha256', bytes: weights.length });
    expect(found.model.files[0]).toMatchObject({ hash: 'git' });
    expect(found).toMatchObject({ modelType: 'llama', stored: 0 });
    expect(found.memory.int4).toBeLessThan(found.memory.f16 ?? 0);
    expect(ranges()).toEqual([]);
  });

  it('lists the files that an index names', async () => {
    const split = new Map(files);
    split.delete(WEIGHTS);
    const index = {
      weight_map: { a: 'model-00001-of-00002.safetensors', b: 'model-00002-of-00002.safetensors' },
    };
    split.set('model.safetensors.index.json', new TextEncoder().encode(JSON.stringify(index)));
    split.set('model-00001-of-00002.safetensors', weights);
    split.set('model-00002-of-00002.safetensors', weights);
    split.set('model-00003-of-00002.safetensors', weights);
    hub.serve(split);
    const { files: listed } = await checked(tabOf());
    expect(listed.map(({ name }) => name).slice(-3)).toEqual([
      ...['model.safetensors.index.json', 'model-00001-of-00002.safetensors'],
      'model-00002-of-00002.safetensors',
    ]);
  });

  const text = (value: string) => new TextEncoder().encode(value);
  it.each([
    ['a name without owner', check('SmolLM2'), () => {}, 'Enter a model as owner/name'],
    ['an unknown model', check('tiny-org/none'), () => {}, 'has no public model tiny-org/none'],
    ['an unknown revision', check(NAME, 'v9'), () => {}, 'has no such revision'],
    [
      'a gated model',
      check(),
      () => {
        hub.faults.gated = true;
      },
      'The license of tiny-org/Tiny-1M.Instruct must be accepted first',
    ],
    [
      'another architecture',
      check(),
      () => hub.serve(new Map([...files, ['config.json', text('{"model_type": "bert"}')]])),
      'cannot be trained: in config.json, model_type',
    ],
    [
      'a model without safetensors',
      check(),
      () => hub.serve(new Map([...files].filter(([name]) => name !== WEIGHTS))),
      'has no model.safetensors',
    ],
    [
      'a busy Hub',
      check(),
      () => hub.faults.statuses.push(503, 503, 503),
      'The request to the Hub failed: the Hub answered with status 503',
    ],
  ])('rejects %s with one sentence', async (_, request, prepare, reason) => {
    prepare();
    const { message } = expectKind(await tabOf().ask(request), 'refused');
    expect(message).toContain(reason);
    expect(ranges()).toEqual([]);
  });

  it('rejects any other response of the Hub with one sentence', async () => {
    const sha = 'a'.repeat(40);
    const large = { oid: 'b'.repeat(64), size: 2 ** 40 };
    const entry = fc.record(
      {
        type: fc.constantFrom('file', 'file', 'directory', 7),
        path: fc.constantFrom('config.json', '../config.json', WEIGHTS, '__proto__', ''),
        size: fc.constantFrom(0, 100, -1, 1.5, 2 ** 60, '7'),
        oid: fc.constantFrom(sha, sha, 'x', null),
        lfs: fc.constantFrom(null, large, { oid: sha, size: 1 }),
      },
      { requiredKeys: ['type', 'path', 'size', 'oid'] },
    );
    const texts = [
      ...[fc.string(), fc.json(), fc.constant('['.repeat(100_000))],
      fc.constant(' '.repeat(5_000_000)),
    ];
    const answers = fc.oneof(
      fc.record({ revision: fc.oneof(...texts) }),
      fc.record({ tree: fc.oneof(...texts) }),
      fc.record({ tree: fc.array(entry, { maxLength: 3 }).map((list) => JSON.stringify(list)) }),
    );
    await fc.assert(
      fc.asyncProperty(answers, async (given) => {
        hub.faults.answers = given;
        const { message } = expectKind(await tabOf().ask(check()), 'refused');
        expect(message).toMatch(/^(The Hub’s response|tiny-org|config\.json)/);
      }),
      { numRuns: 100 },
    );
  });

  it('reports a lost connection if the Hub cannot be reached', async () => {
    await hub.close();
    const { message } = expectKind(await tabOf().ask(check()), 'refused');
    expect(message).toMatch(
      /^The request to the Hub failed: the connection was lost\. Check the network/,
    );
  });
});

describe('downloading a model', () => {
  it.each([
    ['moves', true],
    ['copies', false],
  ])('%s the files to the store without changing their digest', async (_, movable) => {
    const tab = tabOf();
    tab.memory.disk.movable = movable;
    const model = await checked(tab);
    const added = expectKind(await tab.ask({ kind: 'download', model }), 'added');
    const { digest } = await openModel(folderOf(files));
    expect(added.model).toMatchObject({ digest, name: NAME });
    const { models } = expectKind(await tab.ask({ kind: 'list' }), 'models');
    expect(models).toEqual([added.model]);
    const { downloads } = expectKind(await tab.ask({ kind: 'downloads' }), 'downloads');
    expect(downloads).toEqual([]);
    const total = model.files.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(tab.progress.at(-1)).toEqual({ bytes: total, phase: 'storing' });
  });

  it('resumes at any byte where a connection was cut', async () => {
    const { digest } = await openModel(folderOf(files));
    const resumed: number[] = [];
    const cut = fc.nat(weights.length - 1);
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { maxLength: 5 }), async (cuts) => {
        const tab = tabOf();
        const model = await checked(tab);
        const before = ranges().length;
        hub.faults.cuts = [...cuts];
        const added = expectKind(await tab.ask({ kind: 'download', model }), 'added');
        hub.faults.cuts = [];
        expect(added.model.digest).toBe(digest);
        const [start = -1, ...later] = ranges()
          .slice(before)
          .map(({ first }) => first);
        expect(start).toBe(0);
        // A network stack may drop received bytes when a connection ends.
        let [from, most] = [0, 0];
        for (const [i, first] of later.entries()) {
          most = from + (cuts[i] ?? 0);
          expect(first).toBeGreaterThanOrEqual(from);
          expect(first).toBeLessThanOrEqual(most);
          from = first;
        }
        resumed.push(from);
      }),
      { numRuns: 40 },
    );
    expect(Math.max(...resumed)).toBeGreaterThan(0);
  });

  it('opens a new connection if one stalls', async () => {
    const tab = tabOf(memoryDisk(), undefined, 2000);
    const model = await checked(tab);
    hub.faults.holdAfter = 5000;
    tab.watch(({ phase }) => {
      if (phase === 'connecting') hub.faults.holdAfter = null;
    });
    expectKind(await tab.ask({ kind: 'download', model }), 'added');
    expect(ranges().length).toBeGreaterThan(1);
  });

  it('resumes from the stored bytes after a cancellation or a reload', async () => {
    const memory = memoryDisk();
    const first = tabOf(memory);
    const model = await checked(first);
    const cancel = new AbortController();
    const texts = model.files.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
    hub.faults.holdAfter = 5000;
    first.watch(({ bytes }) => {
      if (bytes >= texts + 5000) cancel.abort();
    });
    const stopped = await first.ask({ kind: 'download', model }, cancel.signal);
    expect(stopped).toEqual({ kind: 'cancelled' });

    hub.faults.holdAfter = null;
    const second = tabOf(memory);
    const { downloads } = expectKind(await second.ask({ kind: 'downloads' }), 'downloads');
    expect(downloads).toEqual([{ model, bytes: texts + 5000 }]);
    const again = expectKind(await second.ask(check()), 'checked');
    expect(again.found.stored).toBe(texts + 5000);
    expectKind(await second.ask({ kind: 'download', model }), 'added');
    expect(ranges().map(({ first: at }) => at)).toEqual([0, 5000]);
  });

  it.each([
    ['ignores ranges', 'ignoresRanges'],
    ['sends other ranges', 'shiftsRanges'],
  ] as const)('completes an interrupted file if the server %s', async (_, fault) => {
    const tab = tabOf();
    const model = await checked(tab);
    hub.faults[fault] = true;
    hub.faults.cuts = [7000];
    const added = expectKind(await tab.ask({ kind: 'download', model }), 'added');
    expect(added.model.digest).toBe((await openModel(folderOf(files))).digest);
  });

  it.each([WEIGHTS, 'tokenizer_config.json'])('deletes %s if its hash differs', async (damaged) => {
    const tab = tabOf();
    const model = await checked(tab);
    hub.faults.damaged = damaged;
    const { message } = expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    expect(message).toMatch(new RegExp(`^${damaged} of .* was corrupted`));
    const { downloads } = expectKind(await tab.ask({ kind: 'downloads' }), 'downloads');
    const before = model.files.findIndex(({ name }) => name === damaged);
    const kept = model.files.slice(0, before).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(downloads).toEqual([{ model, bytes: kept }]);
    // The next attempt downloads it again.
    hub.faults.damaged = null;
    expectKind(await tab.ask({ kind: 'download', model }), 'added');
  });

  it('detects bytes that were damaged on disk', async () => {
    const tab = tabOf();
    const model = await checked(tab);
    const top = await tab.memory.root.getDirectoryHandle('downloads', { create: true });
    const name = encodeURIComponent(`${NAME}@${hub.commit}`);
    const folder = await top.getDirectoryHandle(name, { create: true });
    const file = await folder.getFileHandle(WEIGHTS, { create: true });
    const access = await file.createSyncAccessHandle();
    access.write(new Uint8Array(100).fill(7), { at: 0 });
    access.close();
    const { message } = expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    expect(message).toContain('was corrupted');
    expect(ranges().map(({ first }) => first)).toEqual([100]);
    expectKind(await tab.ask({ kind: 'download', model }), 'added');
  });

  it('rejects a model without a chat template before downloading its weights', async () => {
    hub.serve(new Map([...files, ['tokenizer_config.json', new TextEncoder().encode('{}')]]));
    const tab = tabOf();
    const model = await checked(tab);
    const { message } = expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    expect(message).toContain('it has no chat template');
    expect(ranges()).toEqual([]);
  });

  it('waits longer before each attempt and gives up after five', async () => {
    const tab = tabOf();
    const model = await checked(tab);
    hub.faults.statuses.push(...[500, 502, 503, 504, 429, 500]);
    const { message } = expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    expect(message).toContain('status 500. Check the network connection');
    expect(tab.waits).toEqual([1000, 2000, 4000, 8000, 16_000]);
    const pauses = tab.progress.filter(({ phase }) => phase === 'connecting');
    expect(pauses.map(({ seconds }) => seconds)).toEqual([1, 2, 4, 8, 16]);
    expectKind(await tab.ask({ kind: 'download', model }), 'added');
  });

  it.each([
    ['before the download', 1000],
    ['during the download', null],
  ])('reports a full disk %s and resumes once there is space', async (_, capacity) => {
    const tab = tabOf(memoryDisk(capacity ?? Number.POSITIVE_INFINITY));
    const model = await checked(tab);
    if (capacity === null) {
      // Another tab fills the disk.
      tab.watch(() => {
        tab.memory.disk.capacity = 9000;
      });
    }
    const { message } = expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    expect(message).toMatch(/needs .* of storage, and the browser has/);
    tab.watch(() => {});
    tab.memory.disk.capacity = Number.POSITIVE_INFINITY;
    expectKind(await tab.ask({ kind: 'download', model }), 'added');
  });

  it('reports that another tab is downloading', async () => {
    const tab = tabOf(memoryDisk(), async () => null);
    const model = await checked(tab);
    const { message } = expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    expect(message).toContain('Another tab is downloading a model');
    expectKind(await tab.ask({ kind: 'discard', model }), 'refused');
  });

  it('waits for a file that the previous page still has open', async () => {
    const tab = tabOf();
    const model = await checked(tab);
    hub.faults.damaged = WEIGHTS;
    expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    hub.faults.damaged = null;
    const top = await tab.memory.root.getDirectoryHandle('downloads');
    const folder = await top.getDirectoryHandle(encodeURIComponent(`${NAME}@${hub.commit}`));
    const file = await folder.getFileHandle('config.json');
    const access = await file.createSyncAccessHandle();
    setTimeout(() => access.close(), 300);
    expectKind(await tab.ask({ kind: 'download', model }), 'added');
  });

  it('deletes an unfinished download', async () => {
    const tab = tabOf();
    const model = await checked(tab);
    hub.faults.damaged = WEIGHTS;
    expectKind(await tab.ask({ kind: 'download', model }), 'refused');
    const { downloads } = expectKind(await tab.ask({ kind: 'discard', model }), 'downloads');
    expect(downloads).toEqual([]);
    expect(tab.memory.disk.used()).toBe(0);
  });
});
