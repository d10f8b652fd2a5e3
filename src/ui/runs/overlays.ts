/**
 * Kept runs that lie over the charts, as the page's address names them: `over=` with the settings of each
 * as an address writes them, or with its name where these would be too long.
 */

import type { KeptRun, RunEntry } from '../../runs/record.ts';
import {
  type AddressedRun,
  loadAddressed,
  readAddress,
  rewriteAddress,
  withParameter,
  writeAddress,
} from '../address/address.ts';
import { useReplacedSettings } from '../address/replaced.ts';
import { useLab } from '../lab/store.ts';
import { runStore } from './runs-storage.ts';
import { configKey, type ShownRun, useOverlaidRuns } from './runs-store.ts';

const PARAMETER = 'over';
/** Settings longer than this are left to the kept run, which is then found by its name. */
const LONGEST = 300;

/** What names a kept run in an address: `preset=maze-grpo&seed=2`, or `name=My+run`. */
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

/** An address, or the part of one from `?` or `#?` on, that names just these. */
export function withOverlayTexts(address: string, texts: readonly string[]): string {
  return withParameter(address, PARAMETER, ...texts.map(encodeURIComponent));
}

/** Names in the address that opened the page of runs that are not kept here; they stay in it. */
let notKept: readonly string[] = [];

/** An address as `writeAddress` gives it, with the runs that lie over the charts. */
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
 * Lays kept runs over the charts, in place of those that lie there; one that is gone is passed over.
 *
 * @throws {StorageError}
 */
export async function layOver(ids: readonly string[]): Promise<void> {
  const store = await runStore();
  const kept = await Promise.all(ids.map((id) => store.read(id)));
  const overlaid = kept.flatMap((run) => (run === null ? [] : shown(run)));
  useOverlaidRuns.setState({ overlaid });
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

/** Lays the runs over the charts that an address names, and says which of them are not kept here. */
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

/** Without storage no run is kept. */
async function keptEntries(): Promise<readonly RunEntry[]> {
  try {
    return await (await runStore()).list();
  } catch (error) {
    if (error instanceof Error && error.name === 'StorageError') return [];
    throw error;
  }
}

/** The kept run that a text names; of several the one that has come farthest. */
export function entryOf(
  text: string,
  entries: readonly RunEntry[],
  present: string | null,
): RunEntry | undefined {
  const name = new URLSearchParams(text).get('name');
  const asked = name === null ? JSON.stringify(readAddress(`?${text}`).config) : null;
  return entries
    .filter(({ id }) => id !== present)
    .filter((entry) =>
      name === null ? JSON.stringify(entry.config) === asked : entry.name === name,
    )
    .toSorted((a, b) => b.iterations - a.iterations || b.updated - a.updated)[0];
}

/** Most of a run's settings that a note repeats. */
const MOST_SAID = 60;

function missingNote(texts: readonly string[]): string {
  const said = texts.map((text) => {
    const whole = new URLSearchParams(text).get('name') ?? text.replaceAll('&', ', ');
    return whole.length > MOST_SAID ? `${whole.slice(0, MOST_SAID)}…` : whole;
  });
  return texts.length === 1
    ? `The run to lay over the charts is not kept in this browser: ${said}.`
    : `The runs to lay over the charts are not kept in this browser: ${said.join('; ')}.`;
}
