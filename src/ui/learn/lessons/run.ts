/** Starts the runs of a lesson. */

import { type AddressedRun, loadAddressed, readAddress } from '../../shell/address/address.ts';
import { startRun } from '../../shell/lab/commands.ts';
import { useLab } from '../../shell/lab/store.ts';
import { openPanel } from '../../shell/page/panels.ts';

/** Address of the lesson’s run with changed settings. */
export function addressOf(run: string, more = ''): string {
  const parameters = new URLSearchParams(run);
  for (const [key, value] of new URLSearchParams(more)) parameters.set(key, value);
  return `?${parameters}`;
}

async function addressed(address: string): Promise<AddressedRun> {
  await loadAddressed(address);
  return readAddress(address);
}

/** Starts a run; returns its id, or null if no device can train. */
export async function beginRun(address: string, paused = false): Promise<string | null> {
  const { config, preset } = await addressed(address);
  startRun(config, preset, paused);
  return useLab.getState().runId;
}

/** Prepares a run that waits until the reader has drawn a curve. */
export async function beginSketch(address: string): Promise<string | null> {
  const runId = await beginRun(address, true);
  openPanel('prediction');
  return runId;
}

/** Starts two agents that differ in one setting; returns the id of the first. */
export async function beginPair(address: string, compare: string): Promise<string | null> {
  const { beginTwins } = await import('../twins/play.ts');
  beginTwins(compare, await addressed(address));
  return useLab.getState().runId;
}
