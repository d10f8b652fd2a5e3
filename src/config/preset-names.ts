/**
 * Names of the presets without their settings, for code that only checks whether a preset exists.
 */

export const presetNames = [
  ...['maze', 'maze-partial', 'maze-stale', 'maze-generated'],
  ...['wordle', 'babyai-goto-red-ball', 'babyai-goto-local', 'textcraft', 'searchqa'],
  ...['todo', 'weather', 'movie', 'academia', 'sheet', 'bird'],
  ...['webshop', 'webarena', 'alfworld', 'sciworld'],
  ...['generalist', 'generalist-15', 'agentevol', 'critique-rl', 'critique-loop'],
] as const;

/** The default preset of the lab. */
export const defaultPreset = 'maze';

/** Whether there is a preset of this name. */
export function isPreset(name: string): boolean {
  return presetNames.some((known) => known === name);
}
