/**
 * Reads a sweep folder or parts of it; run records alone suffice to show results. docs/SWEEPS.md
 * describes each file.
 */
import { settleConfig, settlePreset } from '../../config/settle.ts';
import { loadEnvironments, namedEnvironments } from '../../envs/registry.ts';
import { measuredRows } from '../../experiments/run.ts';
import { sweepOfRecords } from '../../sweep/derived.ts';
import type { Sweep } from '../../sweep/file.ts';
import type { Trial } from '../../sweep/plan.ts';
import { summarizeSweep } from '../../sweep/summary.ts';
import { SweepFilesError } from './error.ts';
import type { OpenedRun, OpenedSweep, SweepRun } from './opened-sweep.ts';
import { type FoundRecord, findParts, PartError, type Parts, parse, unpacked } from './parts.ts';
import type { SweepFile } from './recognize.ts';
import { recordSchema } from './schema.ts';

/**
 * @param files a folder's files, or one zip
 * @throws {SweepFilesError}
 */
export async function openSweep(files: readonly SweepFile[]): Promise<OpenedSweep> {
  const parts = await findParts(await unpacked(files));
  const { records, notes } = parts;
  const sweep = sweepOf(parts);
  const trials = trialsOf(sweep, parts);
  const numbers = new Set(trials.map(({ number }) => number));
  const kept = [...records.values()].filter(
    ({ record }) => numbers.has(record.trial) && sweep.seeds.includes(record.seed),
  );
  const strangers = records.size - kept.length;
  if (strangers > 0) notes.push(`Records of another sweep are left out (${strangers}).`);
  const byRun = new Map(kept.map(({ record }) => [record.run, record]));
  return {
    sweep,
    summary: summarizeSweep(sweep, trials, byRun),
    runs: new Map(kept.map((found) => [found.record.run, openedRun(found)])),
    notes,
  };
}

/** The sweep described by sweep.json, or inferred from the records. */
function sweepOf({ sweeps, records, notes }: Parts): Sweep {
  const [first, second] = sweeps;
  if (first !== undefined && second !== undefined) {
    throw new SweepFilesError(`${first.path} and ${second.path} are two sweeps; open one of them`);
  }
  if (first !== undefined) return first.sweep;
  if (records.size === 0) {
    const [fault = 'The files contain neither a sweep.json nor a run record.'] = notes;
    throw new SweepFilesError(`no file could be read. ${fault.replace(/[.]$/, '')}`);
  }
  const sweep = sweepOfRecords(
    'Runs of a sweep',
    [...records.values()].map(({ record }) => record),
  );
  if (sweep === null) {
    throw new SweepFilesError('its runs do not name the sweep’s metric; add its sweep.json');
  }
  notes.unshift('There is no sweep.json, so parameters and metric are inferred from the runs.');
  return sweep;
}

/** Trials from files or records, in order, without those that lack a parameter. */
function trialsOf({ parameters }: Sweep, { trials, records }: Parts): readonly Trial[] {
  const all = new Map(trials);
  for (const { record } of records.values()) {
    if (!all.has(record.trial)) {
      all.set(record.trial, { number: record.trial, values: record.values });
    }
  }
  return [...all.values()]
    .filter(({ values }) => parameters.every(({ path }) => Object.hasOwn(values, path)))
    .sort((a, b) => a.number - b.number);
}

function openedRun({ path, record }: FoundRecord): OpenedRun {
  const { run, trial, seed, outcome, reason, value, summary, rows } = record;
  const { iterations, turns } = summary;
  const drawable = rows !== undefined && rows.values.length > 0;
  return { ...{ run, trial, seed, outcome, reason, value }, iterations, turns, drawable, path };
}

/**
 * Reads a run of an opened sweep with its rows.
 *
 * @param path of its record
 * @throws {SweepFilesError}
 */
export async function readSweepRun(files: readonly SweepFile[], path: string): Promise<SweepRun> {
  const file = (await unpacked(files)).find((one) => one.path === path);
  if (file === undefined) throw new SweepFilesError(`${path} no longer exists`);
  const { run, values, config, rows } = await parse(file, recordSchema).catch((error: unknown) => {
    if (error instanceof PartError) throw new SweepFilesError(`${path} ${error.message}`);
    throw error;
  });
  await loadEnvironments(namedEnvironments(config));
  const settled = settleConfig(config, 'in this run of a sweep');
  const preset = Object.hasOwn(values, 'preset') ? String(values.preset) : '';
  return {
    ...{ run, config: settled.config, replaced: settled.notes },
    preset: settlePreset(preset, '').preset,
    rows: rows === undefined ? [] : measuredRows(rows).map(({ metrics }) => metrics),
  };
}
