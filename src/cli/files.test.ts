import {
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Outputs, OutputTakenError, readGivenFile, readNamedFiles } from './files.ts';
import { emptiedFolder } from './testing/commands.ts';

const folder = emptiedFolder();
const at = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(at(name), 'utf8');

const careful = () => new Outputs({ force: false });
const forced = () => new Outputs({ force: true });
const all = () => true;

describe('Outputs', () => {
  it('overwrites only files that the command wrote, unless --force is given', () => {
    writeFileSync(at('notes'), 'mine');
    expect(() => careful().file('--save', at('notes'))).toThrow(
      `--save ${at('notes')} exists; name another file or add --force`,
    );
    const file = careful().file('--save', at('agent'));
    for (const contents of ['one', 'two', ['th', 'ree']]) file.write(contents);
    expect(text('agent')).toBe('three');
    forced().file('--save', at('notes')).write(Uint8Array.of(0x68, 0x69));
    expect(text('notes')).toBe('hi');
    expect(readdirSync(folder).sort()).toEqual(['agent', 'notes']);
  });

  it('overwrites an existing file that the command recognizes as its own', () => {
    writeFileSync(at('page.md'), '# Mine\nold');
    const mine = (contents: Buffer) => contents.toString().startsWith('# Mine\n');
    careful().file('--out', at('page.md'), mine).write('# Mine\nnew');
    expect(text('page.md')).toBe('# Mine\nnew');
    writeFileSync(at('page.md'), '# Yours\n');
    expect(() => careful().file('--out', at('page.md'), mine)).toThrow('exists');
  });

  it('appends to its own files and, after removing an incomplete last line, to files that it continues', () => {
    const takes = (name: string) => name === 'rows';
    const begun = careful().folder('--log', at('log'), takes);
    begun.append('rows', 'one\n');
    begun.append('rows', 'two\nthr');
    expect(text('log/rows')).toBe('one\ntwo\nthr');
    expect(() => careful().folder('--log', at('log'), takes)).toThrow('rows exists');
    // An incomplete line is removed, so that the next one starts on a new line.
    const on = careful().folder('--log', at('log'), () => false);
    on.append('rows', 'three\n');
    on.append('rows', 'four');
    expect(text('log/rows')).toBe('one\ntwo\nthree\nfour');
    forced().folder('--log', at('log'), takes).append('rows', 'anew');
    expect(text('log/rows')).toBe('anew');
    rmSync(at('log/rows'));
    symlinkSync(at('elsewhere'), at('log/rows'));
    expect(() =>
      careful()
        .folder('--log', at('log'), () => false)
        .append('rows', 'x'),
    ).toThrow(OutputTakenError);
    expect(existsSync(at('elsewhere'))).toBe(false);
  });

  it('rejects one path for two outputs', () => {
    const outputs = careful();
    outputs.file('--save', at('a'));
    mkdirSync(at('sub'));
    symlinkSync(folder, at('sub/round'));
    for (const same of ['a', 'sub/../a', 'sub/round/a']) {
      expect(() => outputs.file('--trajectories', at(same)), same).toThrow(
        /--trajectories and --save are both/,
      );
    }
    expect(() => outputs.folder('--rollout-logs', at('a'), all)).toThrow('are both');
    outputs.folder('--rollout-logs', at('logs'), (name) => name === 'step1');
    mkdirSync(at('logs/step1'), { recursive: true });
    expect(() => outputs.file('--out', at('logs/step1/b'))).toThrow(
      /is inside the output of --rollout-logs/,
    );
    outputs.file('--out', at('logs/beside'));
  });

  it('never follows a link, even with --force', () => {
    writeFileSync(at('far'), 'far');
    symlinkSync(at('far'), at('link'));
    symlinkSync(at('nowhere'), at('dangling'));
    for (const name of ['link', 'dangling']) {
      expect(() => forced().file('--save', at(name)), name).toThrow(/symbolic link/);
    }
    mkdirSync(at('real'));
    symlinkSync(at('real'), at('to-folder'));
    expect(() => forced().folder('--out', at('to-folder'), all)).toThrow(/symbolic link/);
    expect(() => forced().file('--save', '/dev/null')).toThrow(/neither a file nor a folder/);
    // Links inside an output folder, and links created while the command runs, are not followed either.
    const logs = forced().folder('--rollout-logs', at('logs'), all);
    logs.write('step1/0.json', '[]');
    expect(text('logs/step1/0.json')).toBe('[]');
    symlinkSync(at('real'), at('logs/step2'));
    expect(() => logs.write('step2/0.json', '[]')).toThrow(/is not a folder/);
    expect(readdirSync(at('real'))).toEqual([]);
    const late = forced().file('--save', at('late'));
    symlinkSync(at('far'), at('late'));
    expect(() => late.write('x')).toThrow(/was created by another program/);
    expect(text('far')).toBe('far');
    expect(lstatSync(at('late')).isSymbolicLink()).toBe(true);
  });

  it('saves the output under another name if another program takes its path', () => {
    const file = careful().file('--save', at('agent'));
    writeFileSync(at('agent'), 'somebody else’s');
    let message = '';
    try {
      file.write('hours of work');
    } catch (error) {
      message = String(error);
    }
    expect(text('agent')).toBe('somebody else’s');
    const kept = /the output is in (.*)$/.exec(message)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toBe('hours of work');
  });

  it('leaves no partial file behind if writing fails', () => {
    const file = careful().file('--out', at('episodes'));
    const broken = function* () {
      yield 'a';
      throw new Error('no more');
    };
    expect(() => file.write(broken())).toThrow('no more');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('writes into an existing folder that contains no files to overwrite', () => {
    mkdirSync(at('logs/step3'), { recursive: true });
    const later = (after: number) => (name: string) => Number(name.slice(4)) > after;
    expect(() => careful().folder('--rollout-logs', at('logs'), later(2))).toThrow(
      /step3 exists; name another folder or add --force/,
    );
    careful().folder('--rollout-logs', at('logs'), later(3)).write('step4/0.json', '[]');
    forced().folder('--rollout-logs', at('logs'), later(3)).write('step5/0.json', '[]');
    expect(readdirSync(at('logs')).sort()).toEqual(['step3', 'step4', 'step5']);
  });

  it('removes the outputs of an earlier run with --force, and nothing else', () => {
    const isStep = (name: string) => name.startsWith('step');
    const isOwn = (_: string, entry: Dirent) => entry.isDirectory() && isStep(entry.name);
    const first = careful().folder('--rollout-logs', at('logs'), isStep);
    for (const step of [1, 2, 3]) first.write(`step${step}/0.json`, '[]');
    mkdirSync(at('logs/mine'));
    symlinkSync(at('logs/mine'), at('logs/step9'));
    const again = forced().folder('--rollout-logs', at('logs'), isStep, isOwn);
    expect(existsSync(at('logs/step3'))).toBe(true);
    for (const step of [1, 2]) again.write(`step${step}/0.json`, '[]');
    expect(readdirSync(at('logs')).sort()).toEqual(['mine', 'step1', 'step2', 'step9']);

    const takes = (name: string) => name.startsWith('events');
    careful().folder('--log', at('log'), takes).append('events.1', 'first run');
    writeFileSync(at('log/notes'), 'mine');
    const isEvents = (_: string, { name }: Dirent) => takes(name);
    const secondLog = forced().folder('--log', at('log'), takes, isEvents);
    for (const name of ['events.2', 'events.3']) secondLog.append(name, 'second run');
    expect(readdirSync(at('log')).sort()).toEqual(['events.2', 'events.3', 'notes']);
    // A file may be an input of the command that replaces another one.
    mkdirSync(at('model'));
    for (const name of ['config.json', 'weights']) writeFileSync(at(`model/${name}`), 'x');
    forced().folder('--out', at('model'), all).write('config.json', '{}');
    expect(text('model/weights')).toBe('x');
  });
});

describe('reading input files', () => {
  it('rejects a file above the size limit', () => {
    writeFileSync(at('config'), 'x'.repeat(100));
    expect(readGivenFile('the config file', at('config'), 100)).toHaveLength(100);
    expect(() => readGivenFile('the config file', at('config'), 99)).toThrow(
      'is larger than the limit of 99 bytes',
    );
    writeFileSync(at('empty'), '');
    expect(readGivenFile('the config file', at('empty'), 99)).toHaveLength(0);
  });

  it.runIf(existsSync('/dev/zero'))('rejects an endless device file', () => {
    expect(() => readGivenFile('the checkpoint', '/dev/zero', 200_000)).toThrow(
      'is larger than the limit of 200000 bytes',
    );
  });

  it('reads only the named files of a folder, up to a total size', () => {
    writeFileSync(at('a'), 'abc');
    writeFileSync(at('b'), 'de');
    writeFileSync(at('huge'), 'x'.repeat(1000));
    mkdirSync(at('c'));
    const read = readNamedFiles('the file', folder, ['a', 'b', 'c', 'd'], 5);
    expect([...read].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ['a', 'abc'],
      ['b', 'de'],
    ]);
    expect(() => readNamedFiles('the file', folder, ['a', 'b'], 4)).toThrow(
      'larger than the limit of 1 bytes',
    );
  });

  it('follows links only within the folder or the Hugging Face cache', () => {
    mkdirSync(at('agent'));
    writeFileSync(at('secret'), 'secret');
    symlinkSync(at('secret'), at('agent/config.json'));
    expect(() => readNamedFiles('the file', at('agent'), ['config.json'], 99)).toThrow(
      /is a link to a file outside its folder/,
    );
    const model = 'models--someone--small';
    mkdirSync(at(`${model}/snapshots/0a1b`), { recursive: true });
    mkdirSync(at(`${model}/blobs`));
    writeFileSync(at(`${model}/blobs/c0ffee`), 'weights');
    symlinkSync('../../blobs/c0ffee', at(`${model}/snapshots/0a1b/model.safetensors`));
    const read = readNamedFiles(
      ...(['the file', at(`${model}/snapshots/0a1b`), ['model.safetensors'], 99] as const),
    );
    expect(read.get('model.safetensors')?.toString()).toBe('weights');
  });
});
