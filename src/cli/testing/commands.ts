import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { TabularPolicy } from '../../agents/testing/tabular-policy.ts';
import { Code } from '../fingerprint.node.ts';
import type { Machine } from '../machine.node.ts';

/** A folder that is removed after the tests of the file. */
export function testFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'palestra-')));
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}

let currentCode: Promise<Code> | null = null;

/** The repository's code. Test files of one process read it only once. */
export function readCode(): Promise<Code> {
  currentCode ??= Code.read(process.cwd());
  return currentCode;
}

/** A test folder that is emptied after each test. */
export function emptiedFolder(): string {
  const folder = testFolder();
  afterEach(() => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  });
  return folder;
}

/** A machine whose policies are tables, so that commands need no device. */
export const tableMachine: Machine = {
  adapter: 'a processor',
  withoutGpu: null,
  room: { total: Infinity, tensor: Infinity },
  createPolicy: async (shape, capacity) => new TabularPolicy(shape, capacity),
  close: () => {},
};
