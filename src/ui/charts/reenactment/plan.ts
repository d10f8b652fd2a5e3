/** Plans the two small runs that show a failure mode and its remedy. */

import { type Assignment, findMethod, methodSet } from '../../../config/methods.ts';
import { textOf } from '../../../config/panel-fields.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import { setConfigValues } from '../../../config/text.ts';
import { changesOf, type Remedy } from '../../../diagnosis/finding.ts';
import { loadSignatures } from '../../../diagnosis/signatures.ts';
import { failures, faults, type ProvokedFailure } from '../../../runs/failures.ts';
import type { ModeName } from '../../../runs/mode-names.ts';

interface ReenactmentPlan {
  readonly mode: ModeName;
  readonly preset: string;
  /** The failing run. */
  readonly failing: Config;
  /** The same run with the remedy. */
  readonly cured: Config;
  /** What causes the failure, and what the remedy changes, such as `algorithm.gamma = 1`. */
  readonly cause: string;
  readonly cure: string;
}

const USUAL_PRESET = 'maze';

/** Minimum length of both runs in iterations, so that the remedy can take effect. */
const LEAST = 40;

/** Index of the remedy that works within a re-enactment, if it is not the first. */
const best: Readonly<Partial<Record<ModeName, number>>> = {
  learning_rate_too_high: 1,
  nothing_moves: 1,
};

const failureOf = (mode: ModeName): ProvokedFailure | undefined =>
  [...failures, ...faults].find((failure) => failure.mode === mode);

/** Whether a run exists that provokes this failure. */
export const canReenact = (mode: ModeName) => failureOf(mode) !== undefined;

const inShort = (set: readonly Assignment[]) =>
  set.map(([path, value]) => `${path} = ${value}`).join(', ');

const assignments = (remedy: Remedy): readonly Assignment[] =>
  changesOf(remedy).map(({ setting, value }) => [setting, String(value)] as const);

/** Reverts the settings that cause the failure, except the stop condition. */
function undone(sound: Config, { set }: ProvokedFailure): readonly Assignment[] {
  return set
    .filter(([path]) => !path.startsWith('stopping.'))
    .map(([path]) => [path, textOf(sound, path)] as const);
}

/**
 * The provoked run, and the same run with the remedy of its finding, or without the cause if no
 * remedy names a value.
 */
export function planOf(mode: ModeName, remedies: readonly Remedy[]): ReenactmentPlan | null {
  const failure = failureOf(mode);
  if (failure === undefined) return null;
  const { preset = USUAL_PRESET, method, set, updates } = failure;
  const sound = setConfigValues(presetConfig(preset), [
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
    ...{ mode, preset, failing, cured: setConfigValues(failing, cure) },
    ...{ cause: inShort(set), cure: inShort(cure) },
  };
}

/**
 * Plans a re-enactment with the remedies diagnosed for the recorded run.
 *
 * @param otherwise remedies if none was recorded
 * @returns null if no run shows the mode
 */
export async function planReenactment(
  mode: ModeName,
  otherwise: readonly Remedy[] = [],
): Promise<ReenactmentPlan | null> {
  const { modes } = await loadSignatures();
  return planOf(mode, modes[mode]?.remedies ?? otherwise);
}
