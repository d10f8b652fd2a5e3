/**
 * The agents that runs have been started with, so that a run can be restarted after a reload. They are
 * stored apart from the runs, because listing runs must not load weights.
 */
import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { InitialAgent, RunId } from '../../../lab/protocol.ts';
import { placeName } from '../../../runs/place.ts';
import { runStore } from './run-storage.ts';

interface Schema extends DBSchema {
  agents: { key: RunId; value: InitialAgent };
}

/** Resolves to undefined if storage fails; the runs are then not stored either. */
async function withAgents<Result>(
  work: (database: IDBPDatabase<Schema>) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    const database = await openDB<Schema>(`${placeName(location.href)} agents`, 1, {
      upgrade: (opened) => {
        opened.createObjectStore('agents');
      },
    });
    return await work(database).finally(() => database.close());
  } catch {
    return undefined;
  }
}

/** Stores the agent of a new run, and removes those of runs that were never stored. */
export async function keepInitialAgent(runId: RunId, agent: InitialAgent): Promise<void> {
  await withAgents(async (database) => {
    const stored = new Set((await (await runStore()).list()).map(({ id }) => id));
    for (const id of await database.getAllKeys('agents')) {
      if (!stored.has(id)) await database.delete('agents', id);
    }
    await database.put('agents', agent, runId);
  });
}

/** The agent that a run was started with; undefined if it began with other weights. */
export async function initialAgentOf(runId: RunId): Promise<InitialAgent | undefined> {
  return withAgents((database) => database.get('agents', runId));
}

export async function removeInitialAgent(runId: RunId): Promise<void> {
  await withAgents((database) => database.delete('agents', runId));
}
