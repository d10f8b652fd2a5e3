/** Which two runs show a way to fail and its remedy, in small. */

import { type Assignment, findMethod, methodSet } from '../../config/methods.ts';
import { textOf } from '../../config/panel-fields.ts';
import { presetConfig } from '../../config/presets.ts';
import type { Config } from '../../config/schema.ts';
import { setConfigValues } from '../../config/text.ts';
import type { Remedy } from '../../diagnosis/finding.ts';
import { loadSignatures } from '../../diagnosis/signatures.ts';
import { failures, type ProvokedFailure } from '../../runs/failures.ts';
import type { ModeName } from '../../runs/mode-names.ts';

export interface ReenactmentPlan {
  readonly mode: ModeName;
  readonly preset: string;
  /** Fails. */
  readonly failing: Config;
  /** The same with the remedy. */
  readonly cured: Config;
  /** What makes it fail, and what the remedy changes, such as `algorithm.gamma = 1`. */
  readonly cause: string;
  readonly cure: string;
}

const PRESET = 'maze';

/** Iterations that the remedy has to show itself in. */
const LEAST = 40;

/** Of several remedies the one that lives within a re-enactment, counted from 0, where it is not the first. */
const best: Readonly<Partial<Record<ModeName, number>>> = {
  learning_rate_too_high: 1,
  nothing_moves: 1,
};

const failureOf = (mode: ModeName) => failures.find((failure) => failure.mode === mode);

/** Whether there is a run that is made to fail in this way. */
export const canReenact = (mode: ModeName) => failureOf(mode) !== undefined;

const inShort = (set: readonly Assignment[]) =>
  set.map(([path, value]) => `${path} = ${value}`).join(', ');

function assignments({ setting, value, also = [] }: Remedy): readonly Assignment[] {
  if (value === undefined) return [];
  return [{ setting, value }, ...also].map((one) => [one.setting, String(one.value)] as const);
}

/** What takes back what the failure set, where its remedies name no value. */
function undone(sound: Config, { set }: ProvokedFailure): readonly Assignment[] {
  return set.map(([path]) => [path, textOf(sound, path)] as const);
}

/**
 * The run that is made to fail, and the same run with the remedy of its finding, or without what made it
 * fail where no remedy names a value.
 */
export function planOf(mode: ModeName, remedies: readonly Remedy[]): ReenactmentPlan | null {
  const failure = failureOf(mode);
  if (failure === undefined) return null;
  const { method, set, updates } = failure;
  const sound = setConfigValues(presetConfig(PRESET), [
    ...(method === undefined ? [] : methodSet(findMethod(method), 'adapted')),
    ['stopping.iterations', String(Math.max(LEAST, updates))],
  ]);
  const failing = setConfigValues(sound, set);
  const valued = remedies.filter(({ value }) => value !== undefined);
  const remedy = valued[best[mode] ?? 0] ?? valued[0];
  const cure = (remedy === undefined ? undone(sound, failure) : assignments(remedy)).filter(
    ([path, value]) => textOf(failing, path) !== value,
  );
  return {
    ...{ mode, preset: PRESET, failing, cured: setConfigValues(failing, cure) },
    ...{ cause: inShort(set), cure: inShort(cure) },
  };
}

/** With the remedies that the diagnosis had for the recorded run; null where nothing shows the mode. */
export async function planReenactment(mode: ModeName): Promise<ReenactmentPlan | null> {
  const { modes } = await loadSignatures();
  return planOf(mode, modes[mode]?.remedies ?? []);
}
