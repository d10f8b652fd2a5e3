/** Begins the runs that a lesson asks for. */

import { type AddressedRun, loadAddressed, readAddress } from '../address/address.ts';
import { startRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { openPrediction } from '../predict/store.ts';

/** What a part of a lesson begins: the lesson’s run, with other settings. */
export function addressOf(run: string, more = ''): string {
  const parameters = new URLSearchParams(run);
  for (const [key, value] of new URLSearchParams(more)) parameters.set(key, value);
  return `?${parameters}`;
}

async function addressed(address: string): Promise<AddressedRun> {
  await loadAddressed(address);
  return readAddress(address);
}

/** Begins a run; gives its id, null where nothing can train. */
export async function beginRun(address: string, paused = false): Promise<string | null> {
  const { config, preset } = await addressed(address);
  startRun(config, preset, paused);
  return useLab.getState().runId;
}

/** Begins a run that waits until its curve has been drawn by hand. */
export async function beginSketch(address: string): Promise<string | null> {
  const runId = await beginRun(address, true);
  openPrediction(true);
  return runId;
}

/** Begins two agents that differ in one thing; gives the id of the first. */
export async function beginPair(address: string, compare: string): Promise<string | null> {
  const { beginTwins } = await import('../twins/play.ts');
  beginTwins(compare, await addressed(address));
  return useLab.getState().runId;
}
