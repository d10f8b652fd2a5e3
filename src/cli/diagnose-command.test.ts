import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configOf, findProvocation } from '../diagnosis/testing/provocations.ts';
import { readRecorded, rowsOf } from '../diagnosis/testing/recorded.ts';
import { diagnoseCommand } from './diagnose-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'palestra-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: readonly string[]) {
  const out: string[] = [];
  const log: string[] = [];
  const code = diagnoseCommand(args, {
    out: (line) => out.push(line),
    log: (line) => log.push(line),
  });
  return { code, out: out.join('\n'), log: log.join('\n') };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** As `train --json` prints a recorded run. */
function logOf(name: string, end: boolean): string {
  const lines: object[] = rowsOf(readRecorded(`${name}.1`)).map(({ metrics }) => metrics);
  const iteration = lines.length;
  const config = configOf(findProvocation(name), 1);
  if (end) lines.push({ final: true, stopped: 'iterations', iteration, config });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

const gamma = file('gamma.jsonl', logOf('gamma-1', true));
const sound = file('sound.jsonl', logOf('untouched', true));

describe('diagnose', () => {
  it('prints the findings of a log, and none of a sound one', () => {
    const { code, out, log } = run(gamma, '--json');
    expect([code, log]).toEqual([0, '']);
    const { findings, not_computable } = JSON.parse(out);
    expect(not_computable).toEqual([]);
    expect(findings).toHaveLength(1);
    expect(Object.keys(findings[0])).toEqual([
      ...['mode', 'title', 'text', 'onset', 'interval', 'known', 'confidence'],
      ...['evidence', 'rivals', 'remedies'],
    ]);
    expect(findings[0]).toMatchObject({ mode: 'bootstrapping_at_horizon', onset: 26, known: 27 });
    expect(findings[0].remedies[0]).toMatchObject({ setting: 'algorithm.gamma', value: 0.95 });
    expect(findings[0].rivals[0].separated_by).toMatch(/0\.95/);
    expect(JSON.parse(run(sound, '--json').out)).toEqual({ findings: [], not_computable: [] });
  });

  it('takes several files, and tells of them in words', () => {
    const { code, out } = run(gamma, sound, '--json');
    expect(code).toBe(0);
    const told = out.split('\n').map((line) => JSON.parse(line));
    expect(told.map((one) => [one.file, one.findings.length])).toEqual([
      [gamma, 1],
      [sound, 0],
    ]);
    const words = run(gamma).out;
    expect(words).toMatch(/55 iterations, 1 finding/);
    expect(words).toMatch(/γ = 1\. \[bootstrapping_at_horizon, since iteration 26 \(26 to 27\)/);
    expect(words).toMatch(/try: .* \(--set algorithm\.gamma=0\.95\)/);
    expect(run(sound).out).toMatch(/nothing found$/);
  });

  it('takes the settings of a log that breaks off from elsewhere, or says what it lacks', () => {
    const cut = file('cut.jsonl', logOf('gamma-1', false).slice(0, -20));
    const { out, log } = run(cut, '--json');
    expect(log).toMatch(/Line 55 was cut off/);
    const { findings, not_computable } = JSON.parse(out);
    expect(findings.map(({ mode }: { mode: string }) => mode)).not.toContain(
      'bootstrapping_at_horizon',
    );
    expect(not_computable).toContainEqual({
      mode: 'bootstrapping_at_horizon',
      log: ['algorithm.gamma', 'algorithm.advantage'],
    });
    const config = file('config.json', JSON.stringify(configOf(findProvocation('gamma-1'), 1)));
    expect(run(cut, '--config', config, '--json').out).toContain('"bootstrapping_at_horizon"');
  });

  it.each([
    [[], /no file was given/],
    [[join(folder, 'nowhere')], /cannot be read/],
    [[file('words.txt', 'hello\nyou\n')], /line 1 is not JSON/],
    [[file('bytes.bin', 'PK and no zip')], /run file cannot be used/],
    [[gamma, '--loud'], /--loud/],
    [[gamma, '--config', gamma], /config file .* is not JSON/],
    [[gamma, file('empty.jsonl', ''), '--json'], /empty\.jsonl holds no iteration/],
  ])('refuses %j with one line', (args, problem) => {
    const { code, out, log } = run(...args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(log).toMatch(problem);
    expect(log.split('\n')).toHaveLength(1);
  });

  it('explains itself', () => {
    expect(run('--help').out).toMatch(/diagnose -- FILE/);
  });
});
