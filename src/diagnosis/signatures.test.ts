import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { failures, faults } from '../runs/failures.ts';
import { isMetricKey, type MetricKey } from '../runs/metrics.ts';
import { diagnose } from './diagnose.ts';
import type { ModeName } from './finding.ts';
import type { Signature, Signatures } from './signatures.ts';
import { configOf, findProvocation } from './testing/provocations.ts';
import { readRecorded, recordedNames, rowsOf } from './testing/recorded.ts';

const file = new URL('signatures.json', import.meta.url);
const SOUND = 'untouched.1';

/** A recorded run's values of a metric, to three digits. */
function valuesOf(recording: string, metric: MetricKey): readonly (number | null)[] {
  return rowsOf(readRecorded(recording)).map(({ metrics }) => {
    const value = metrics[metric];
    return value === undefined ? null : Number(value.toPrecision(3));
  });
}

/** For each mode, the first recorded failure that is diagnosed as this mode. */
function present(): Signatures {
  const recorded = new Set(recordedNames());
  const modes: Partial<Record<ModeName, Signature>> = {};
  const shown = new Set<MetricKey>();
  for (const { name, mode } of [...failures, ...faults]) {
    const recording = `${name}.1`;
    if (modes[mode] !== undefined || !recorded.has(recording)) continue;
    const facts = configOf(findProvocation(name), 1);
    const rows = rowsOf(readRecorded(recording));
    const finding = diagnose({ rows, evaluations: [], facts }).findings[0];
    if (finding?.mode !== mode) continue;
    const { text, onset, known, interval, remedies, evidence } = finding;
    const metrics = evidence.map(({ metric }) => metric);
    for (const metric of metrics) shown.add(metric);
    modes[mode] = {
      ...{ command: readRecorded(recording).command, text, onset },
      ...{ from: interval[0], to: interval[1], known, remedies },
      proofs: metrics.map((metric) => ({ metric, values: valuesOf(recording, metric) })),
    };
  }
  const sound = Object.fromEntries([...shown].map((key) => [key, valuesOf(SOUND, key)]));
  return { sound, modes };
}

it('matches the recorded runs', () => {
  const signatures = present();
  // After an intended change: SIGNATURES=write npx vitest run src/diagnosis/signatures.test.ts
  if (process.env.SIGNATURES === 'write') {
    // One line per series; Biome formats the rest.
    writeFileSync(file, `${JSON.stringify(signatures, null, 2)}\n`);
  }
  expect(signatures).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  for (const { proofs } of Object.values(signatures.modes)) {
    expect(proofs.length).toBeGreaterThan(0);
    expect(proofs.every(({ metric }) => isMetricKey(metric))).toBe(true);
  }
});

it('has an entry for the mode of every provoked failure', () => {
  const { modes } = present();
  const lacking = failures.filter(({ mode }) => modes[mode] === undefined);
  expect(lacking.map(({ name }) => name)).toEqual([]);
});
