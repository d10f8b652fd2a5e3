import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  drawVariant,
  failedStories,
  type Story,
  soundStories,
} from '../diagnosis/testing/variants.ts';
import { diagnoseLog } from '../exchange/logs/diagnose-log.ts';
import { readGroup, recognizeAll } from '../exchange/logs/read-logs.ts';
import { textFile } from '../exchange/logs/source.ts';
import { diagnoseCommand } from './diagnose-command.ts';
import { follow } from './follow.ts';
import { testFolder } from './testing/commands.ts';

const folder = testFolder();

/** The console output of a verl run, one line per step. */
function linesOf(story: Story, rows = 60): readonly string[] {
  const variant = {
    dialect: 'verl',
    scale: 'share',
    rows,
    noise: 0.03,
    windowed: false,
    seed: 3,
  } as const;
  const series = drawVariant(story, variant);
  return Array.from({ length: rows }, (_, i) => {
    const values = series.map(({ key, y }) => `${key}:${(y[i] ?? 0).toFixed(4)}`);
    return `(TaskRunner pid=1) step:${i + 1} - ${values.join(' - ')}\n`.replaceAll('NaN', 'nan');
  });
}

const story = (name: string, from: Readonly<Record<string, Story>>): Story => {
  const found = from[name];
  if (found === undefined) throw new Error(`no story ${name}`);
  return found;
};
const nan = linesOf(story('becomes NaN', failedStories));
const sound = linesOf(story('rises throughout', soundStories));

interface Alert {
  readonly event: string;
  readonly file: string;
  readonly step: number;
  readonly state: string | null;
  readonly finding?: { readonly mode: string };
}

/**
 * Follows a log. `turn` receives the number of each poll before it happens and returns false to
 * stop.
 */
async function followed(
  path: string,
  turn: (look: number) => boolean | Promise<boolean>,
  more: readonly string[] = [],
) {
  const events: Alert[] = [];
  const log: string[] = [];
  const posted: { url: string; body: Alert & { readonly text: string } }[] = [];
  let look = 0;
  const code = await diagnoseCommand([path, '--follow', '--json', ...more], {
    out: (line) => events.push(JSON.parse(line)),
    log: (line) => log.push(line),
    open: () => Promise.reject(new Error('no device is needed')),
    wait: async () => turn(++look),
    post: async (url, body) => void posted.push({ url, body: JSON.parse(body) }),
  });
  const findings = events.filter(({ event }) => event === 'finding');
  return { code, events, findings, log: log.join('\n'), posted, looks: look };
}

describe('diagnose --follow', () => {
  it('raises one alert, at the row that shows the finding, and exits with code 3', async () => {
    const path = join(folder, 'grows.log');
    writeFileSync(path, nan.slice(0, 20).join(''));
    const { code, findings, posted } = await followed(
      path,
      (look) => {
        const line = nan[19 + look];
        if (line === undefined) return false;
        appendFileSync(path, line);
        return true;
      },
      ['--webhook', 'http://127.0.0.1:9/hook'],
    );
    expect(code).toBe(3);
    expect(findings.map(({ finding }) => finding?.mode)).toEqual(['not_finite']);
    // The gradient is NaN from row 30 on; a finding needs three such rows in succession.
    expect(findings[0]?.step).toBe(32);
    expect(posted.map(({ url, body }) => [url, body.finding?.mode])).toEqual([
      ['http://127.0.0.1:9/hook', 'not_finite'],
    ]);
    expect(posted[0]?.body.text).toMatch(/ALERT Numbers are not finite/);
  });

  it('alerts on a failed run whose causes are all too uncertain', async () => {
    const { groups } = await recognizeAll([textFile('train.log', nan.join(''))]);
    const [log] = (await Promise.all(groups.map((group) => readGroup(group, () => {})))).flat();
    if (log === undefined) throw new Error('there is no run');
    const { findings, ...diagnosis } = diagnoseLog(log, new Map());
    const weak = findings.map((finding) => ({ ...finding, confidence: 0.3 }));
    expect(weak.length).toBeGreaterThan(0);
    const run = {
      ...{ place: 'train.log', files: ['train.log'], rows: 60, end: 60, unit: 'step' },
      diagnosis: { ...diagnosis, findings: weak },
    };
    const posted: string[] = [];
    const code = await follow(
      {
        ...{ name: 'train.log', files: () => [], restarted: () => [] },
        poll: async () => 'grown',
      },
      async () => [run],
      { every: 1, untilFinding: true, json: true, webhook: 'http://127.0.0.1:9/hook' },
      {
        ...{ out: () => {}, log: () => {}, wait: async () => false },
        post: async (_, body) => void posted.push(JSON.parse(body).state),
      },
    );
    expect([code, posted]).toEqual([3, [expect.any(String)]]);
  });

  it('reports skipped parts once', async () => {
    const path = join(folder, 'tail.jsonl');
    const write = (rows: number) => {
      const lines = Array.from(
        { length: rows },
        (_, i) => `${JSON.stringify({ iteration: i + 1, 'policy/entropy': 1 })}\n`,
      );
      writeFileSync(path, `${lines.join('')}{"iter`);
    };
    write(2);
    const { log } = await followed(path, (look) => {
      write(2 + look);
      return look < 3;
    });
    expect(log.match(/is incomplete and was left out/g)).toHaveLength(1);
  });

  it('exits at the first finding with --until-finding', async () => {
    const path = join(folder, 'until.log');
    writeFileSync(path, nan.slice(0, 28).join(''));
    const { code, looks } = await followed(
      path,
      (look) => {
        appendFileSync(path, nan[27 + look] ?? '');
        return true;
      },
      ['--until-finding'],
    );
    expect([code, looks]).toEqual([3, 4]);
  });

  it('raises no alert for a run that learns, and exits with code 0 when the log is idle', async () => {
    const path = join(folder, 'sound.log');
    writeFileSync(path, sound.slice(0, 5).join(''));
    const { code, findings, events } = await followed(
      path,
      (look) => {
        appendFileSync(path, sound.slice(5 * look, 5 * look + 5).join(''));
        return true;
      },
      ['--every', '1', '--idle', '3'],
    );
    expect(code).toBe(0);
    expect(findings).toEqual([]);
    expect(events.at(-1)?.state).toBe('learning');
  });

  it('skips a partial line until it is complete', async () => {
    const path = join(folder, 'half.log');
    const [last = ''] = sound.slice(30, 31);
    writeFileSync(path, sound.slice(0, 30).join('') + last.slice(0, 60));
    const { events, log } = await followed(path, (look) => {
      if (look === 1) appendFileSync(path, last.slice(60));
      return look < 3;
    });
    expect(events.length).toBeGreaterThan(0);
    expect(log).not.toMatch(/replaced/);
  });

  it.each([
    ['truncated', (path: string) => writeFileSync(path, nan.slice(0, 3).join(''))],
    [
      'rotated',
      (path: string) => {
        renameSync(path, `${path}.1`);
        writeFileSync(path, nan.slice(0, 30).join(''));
      },
    ],
    ['replaced by as many bytes', (path: string) => writeFileSync(path, sound.join(''))],
  ])('rereads a file from the start after it was %s', async (_how, restart) => {
    const path = join(folder, `restart-${_how.replaceAll(' ', '-')}.log`);
    writeFileSync(path, sound.join(''));
    const { log, findings, code } = await followed(path, async (look) => {
      // File timestamps may have a coarse resolution.
      if (look === 1) await new Promise((resolve) => setTimeout(resolve, 20));
      if (look === 1) restart(path);
      if (look === 2) writeFileSync(path, nan.join(''));
      return look < 4;
    });
    expect(log).toMatch(/was truncated or replaced/);
    expect(findings.map(({ finding }) => finding?.mode)).toEqual(['not_finite']);
    expect(code).toBe(3);
  });

  it('ignores files of a folder that are not logs', async () => {
    const place = join(folder, 'with-checkpoints');
    mkdirSync(place);
    writeFileSync(join(place, 'train.log'), nan.join(''));
    const save = (bytes: number) => {
      const checkpoint = join(place, 'model.pt');
      rmSync(checkpoint, { force: true });
      writeFileSync(checkpoint, new Uint8Array(bytes));
    };
    save(2000);
    const { log, findings, events, posted } = await followed(
      place,
      (look) => {
        save(look === 1 ? 1000 : 3000);
        return look < 4;
      },
      ['--webhook', 'http://127.0.0.1:9/hook'],
    );
    expect(log).not.toMatch(/replaced/);
    expect([findings.length, posted.length]).toEqual([1, 1]);
    expect(events.filter(({ event }) => event === 'state')).toHaveLength(1);
  });

  it('repeats the alerts only of a run whose own file restarted', async () => {
    const place = join(folder, 'two-runs');
    mkdirSync(place);
    for (const name of ['a.log', 'b.log']) writeFileSync(join(place, name), nan.join(''));
    const { log, findings } = await followed(place, (look) => {
      if (look === 1) writeFileSync(join(place, 'b.log'), nan.slice(0, 50).join(''));
      return look < 3;
    });
    expect(log).toMatch(/was truncated or replaced/);
    expect(findings.map(({ file }) => basename(file))).toEqual(['a.log', 'b.log', 'b.log']);
  });

  it('waits for a file that does not exist yet', async () => {
    const path = join(folder, 'later.log');
    const { log, events } = await followed(path, (look) => {
      if (look === 2) writeFileSync(path, sound.join(''));
      return look < 4;
    });
    expect(log).toMatch(/later\.log does not exist; waiting for it/);
    expect(events.at(-1)?.state).toBe('learning');
  });

  it.each([
    [['--webhook', 'ftp://host'], /--webhook must be an address/],
    [['--every', '0'], /--every must be a number of seconds/],
    [['other.log'], /--follow takes one PATH/],
  ])('rejects %j with a one-line message', async (more, problem) => {
    const { code, log } = await followed(join(folder, 'sound.log'), () => false, more);
    expect(code).toBe(2);
    expect(log).toMatch(problem);
  });
});

describe('diagnose --follow with an address', () => {
  /** Serves a text, with or without ranges, and counts the bytes that it sent. */
  async function served(ranges: boolean) {
    const state = { text: '', sent: 0, missing: false };
    const server: Server = createServer((request, response) => {
      const bytes = Buffer.from(state.text);
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? Number.NaN);
      const part = ranges && Number.isFinite(from) ? bytes.subarray(from) : bytes;
      state.sent += part.length;
      if (state.missing) response.writeHead(404);
      else if (!ranges || !Number.isFinite(from)) response.writeHead(200);
      else if (from >= bytes.length) response.writeHead(416);
      else
        response.writeHead(206, {
          'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
        });
      response.end(state.missing || response.statusCode === 416 ? '' : part);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = () => new Promise((resolve) => server.close(resolve));
    return { state, url: `http://127.0.0.1:${port}/train.log`, close };
  }

  it.each([true, false])('follows the appended bytes (range requests: %s)', async (ranges) => {
    const { state, url, close } = await served(ranges);
    state.text = nan.slice(0, 20).join('');
    const { code, findings } = await followed(url, (look) => {
      state.text = nan.slice(0, 20 + look).join('');
      return look < 40;
    });
    await close();
    expect([code, findings[0]?.step]).toEqual([3, 32]);
    const whole = nan.join('').length;
    if (ranges) expect(state.sent).toBeLessThan(whole + 45 * 300);
    else expect(state.sent).toBeGreaterThan(20 * whole);
  });

  it('reports an address that does not exist', async () => {
    const { state, url, close } = await served(true);
    state.missing = true;
    const log: string[] = [];
    const code = await diagnoseCommand([url], {
      ...{ out: () => {}, log: (line) => log.push(line) },
      open: () => Promise.reject(new Error('no device is needed')),
    });
    await close();
    expect([code, log]).toEqual([2, [`${url} was not found`]]);
  });

  it('detects a file that was replaced by a longer one, and waits for a temporarily missing one', async () => {
    const { state, url, close } = await served(true);
    state.text = sound.slice(0, 20).join('');
    const { log, findings } = await followed(url, (look) => {
      state.missing = look === 1;
      if (look === 2) state.text = nan.join('');
      return look < 4;
    });
    await close();
    expect(log).toMatch(/does not exist/);
    expect(log).toMatch(/was truncated or replaced/);
    expect(findings.map(({ finding }) => finding?.mode)).toEqual(['not_finite']);
  });
});
