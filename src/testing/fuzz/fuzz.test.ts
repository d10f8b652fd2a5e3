import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byTier, fast } from '../../../scripts/tier.mjs';
import '../../envs/testing/load-all.ts';
import { bundledProgram } from '../program.ts';
import { type Finding, runCases } from './cases.ts';
import { readers } from './readers.ts';

let out = '';
let program = '';
beforeAll(() => {
  program = bundledProgram('src/testing/fuzz/planted.ts');
  out = mkdtempSync(join(tmpdir(), 'palestra-fuzz-test-'));
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

async function planted(reader: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [program, '--out', out, '--reader', reader, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.on('close', done));
  const [output, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output, complaint };
}

/** Findings that `npm run fuzz` reports only if they occur again. */
const MEASURED = new Set(['slow', 'growth']);
const bounds = { milliseconds: 2000, millisecondsPer100kB: 1000, megabytes: 64 };

// In one process without a watchdog, so that it takes seconds; `npm run fuzz` uses one process per
// reader.
it.each(readers.map((reader) => [reader.name, reader] as const))(
  'accepts or rejects mutated inputs without a finding: %s',
  async (name, reader) => {
    const findings: Finding[] = [];
    const batch = { seed: 7, from: 0, to: byTier(80, 100, 300), seconds: 60, bounds };
    const result = await runCases(reader, batch, { finds: (finding) => findings.push(finding) });
    expect(findings.filter(({ kind }) => !MEASURED.has(kind))).toEqual([]);
    // Time and memory also depend on the machine and on garbage of earlier cases.
    for (const { case: from } of findings) {
      const again: Finding[] = [];
      const alone = { ...batch, from, to: from + 1 };
      await runCases(reader, alone, { finds: (finding) => again.push(finding) });
      expect(again).toEqual([]);
    }
    // The mutations are neither too weak nor too strong: some inputs are accepted, and some are
    // rejected.
    expect(result.accepted).toBeGreaterThan(0);
    if (name !== 'address') expect(Object.keys(result.refused)).not.toEqual([]);
  },
);

describe('the fuzzer', () => {
  it('reports no findings for a correct reader', async () => {
    const { code, output } = await planted('sound', '--cases', '50');
    expect(output).toMatch(/^sound: 50 cases, accepted \d+, rejected PlantedError \d+, 0 findings/);
    expect(code).toBe(0);
  });

  it('finds an unexpected error and reproduces the case by its number', async () => {
    const { code, output } = await planted('throws', '--cases', '60');
    expect(code).toBe(1);
    const found = / {2}error: TypeError: planted\n {4}npm run fuzz -- .* --case (\d+)\n {4}(.*)\n/;
    const [, at = '', file = ''] = found.exec(output) ?? [];
    expect(readFileSync(file, 'utf8')).toContain(`--reader throws --seed 1 --case ${at}`);
    const again = await planted('throws', '--case', at);
    expect(again.output).toMatch(new RegExp(`^throws ${at}: error: TypeError: planted`));
    expect(again.code).toBe(1);
  });

  const plantedFaults = [
    ['hangs', '8', 'hang: it did not end within 300 ms'],
    ['waits', '40', 'hang: it never settled'],
    ['grows', '20', 'growth: it took 1\\d\\d MB'],
    ['claims', '20', 'growth: it took 1\\d\\d MB'],
    ['pollutes', '2', 'prototype: the keys of a built-in prototype changed: .*'],
    ['inherits', '20', 'prototype: an object has an unusual prototype with the keys b'],
  ] as const;
  const detected = plantedFaults.slice(0, fast ? 1 : plantedFaults.length);
  it.each(detected)('detects the fault planted in a reader: %s', async (reader, cases, finding) => {
    // Where no hang is expected, allow time for a busy machine.
    const limit = finding.startsWith('hang') ? '300' : '30000';
    const { code, output } = await planted(reader, '--cases', cases, '--milliseconds', limit);
    expect(output).toMatch(new RegExp(`  ${finding}\n    npm run fuzz`));
    expect(code).toBe(1);
  });

  it.skipIf(fast)('finds a reader that runs out of memory', async () => {
    const { code, output } = await planted('overflows', '--cases', '5', '--milliseconds', '30000');
    expect(output).toMatch(/ {2}crash: its process ended with /);
    expect(code).toBe(1);
  });

  it('rejects an unknown reader', async () => {
    const { code, complaint } = await planted('nothing');
    expect(complaint).toContain('no reader is called nothing');
    expect(code).toBe(2);
  });
});
