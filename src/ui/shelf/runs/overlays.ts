/**
 * Overlaid runs in the page's address: `over=` with the settings of each run, or with its name if the
 * settings would be too long.
 */

import type { KeptRun, RunEntry } from '../../../runs/record.ts';
import { configKey, type ShownRun, useOverlaidRuns } from '../../charts/overlaid-runs.ts';
import {
  type AddressedRun,
  loadAddressed,
  readAddress,
  rewriteAddress,
  withParameter,
  writeAddress,
} from '../../shell/address/address.ts';
import { useReplacedSettings } from '../../shell/address/replaced.ts';
import { runStore } from '../../shell/lab/run-storage.ts';
import { useLab } from '../../shell/lab/store.ts';

const PARAMETER = 'over';
/** Longer settings are replaced by the run's name. */
const LONGEST = 300;

/** Identifies a stored run in an address: `preset=maze-grpo&seed=2`, or `name=My+run`. */
export function overlayText({
  preset,
  config,
  name,
}: AddressedRun & { readonly name: string }): string {
  const settings = writeAddress({ preset, config });
  if (settings === '') return `preset=${preset}`;
  const short = settings.startsWith('?') && settings.length <= LONGEST;
  return short ? settings.slice(1) : `${new URLSearchParams({ name })}`;
}

/** Sets the overlaid runs of an address. */
export function withOverlayTexts(address: string, texts: readonly string[]): string {
  return withParameter(address, PARAMETER, ...texts.map(encodeURIComponent));
}

/** Runs named in the opened address that are not stored here; they stay in the address. */
let notKept: readonly string[] = [];

/** Adds the overlaid runs to an address from `writeAddress`. */
export function withOverlays(address: string): string {
  const laid = useOverlaidRuns.getState().overlaid.flatMap(({ addressed }) => addressed ?? []);
  return withOverlayTexts(address, [...laid, ...notKept]);
}

useOverlaidRuns.subscribe(({ overlaid }, before) => {
  if (overlaid === before.overlaid) return;
  notKept = [];
  rewriteAddress(withOverlays);
});

/**
 * Replaces the overlaid runs; missing runs are skipped.
 *
 * @param others runs that are drawn as well
 * @throws {StorageError}
 */
export async function layOver(
  ids: readonly string[],
  others: readonly ShownRun[] = [],
): Promise<void> {
  const store = await runStore();
  const kept = await Promise.all(ids.map((id) => store.read(id)));
  const overlaid = kept.flatMap((run) => (run === null ? [] : shown(run)));
  useOverlaidRuns.setState({ overlaid: [...others, ...overlaid] });
}

function shown({ entry, rows }: KeptRun): ShownRun {
  const { id, name, config } = entry;
  return {
    id,
    name,
    addressed: overlayText(entry),
    seed: config.seed,
    configKey: configKey(config),
    rows: rows.map(({ metrics, evaluation }) => ({ ...metrics, ...evaluation?.metrics })),
    markers: [],
  };
}

/** Overlays the runs of an address; missing ones get a note. */
export async function layAddressed(address: string): Promise<void> {
  const texts = new URLSearchParams(address).getAll(PARAMETER);
  if (texts.length === 0) return;
  const entries = await keptEntries();
  for (const text of texts) await loadAddressed(`?${text}`);
  const present = useLab.getState().runId;
  const found = texts.map((text) => ({ text, entry: entryOf(text, entries, present) }));
  const ids = found.flatMap(({ entry }) => entry?.id ?? []);
  if (ids.length > 0) await layOver(ids);
  notKept = found.flatMap(({ text, entry }) => (entry === undefined ? text : []));
  if (notKept.length === 0) return;
  rewriteAddress(withOverlays);
  const { notes } = useReplacedSettings.getState();
  useReplacedSettings.setState({ of: 'the address', notes: [...notes, missingNote(notKept)] });
}

/** Empty without storage. */
async function keptEntries(): Promise<readonly RunEntry[]> {
  try {
    return await (await runStore()).list();
  } catch (error) {
    if (error instanceof Error && error.name === 'StorageError') return [];
    throw error;
  }
}

/** The stored run that a text identifies; of several, the one with the most iterations. */
export function entryOf(
  text: string,
  entries: readonly RunEntry[],
  present: string | null,
): RunEntry | undefined {
  const name = new URLSearchParams(text).get('name');
  const asked = name === null ? JSON.stringify(readAddress(`?${text}`).config) : null;
  return entries
    .filter(
      (entry) =>
        entry.id !== present &&
        (name === null ? JSON.stringify(entry.config) === asked : entry.name === name),
    )
    .toSorted((a, b) => b.iterations - a.iterations || b.updated - a.updated)[0];
}

/** Longest excerpt of a run's settings in a note. */
const MOST_SAID = 60;

function missingNote(texts: readonly string[]): string {
  const reasons = texts.map((text) => {
    const whole = new URLSearchParams(text).get('name') ?? text.replaceAll('&', ', ');
    return whole.length > MOST_SAID ? `${whole.slice(0, MOST_SAID)}…` : whole;
  });
  return texts.length === 1
    ? `The overlaid run is not stored in this browser: ${reasons}.`
    : `The overlaid runs are not stored in this browser: ${reasons.join('; ')}.`;
}
