/**
 * Tool environments with every tool that the prompts of AgentGym's clients list. Agents are trained
 * without these tools, so the lexicon of the registered environments does not include them.
 */

import type { Environment, EnvironmentOptions } from '../types.ts';
import { createTools } from './core/environment.ts';
import type { Json } from './core/json.ts';
import type { Tool } from './core/tool.ts';
import { kits, rungsOf } from './kits.ts';
import { sheetId, weatherId } from './options.ts';
import { originalSheetTools } from './sheet/original-tools.ts';
import { originalWeatherTools } from './weather/original-tools.ts';

const added: Readonly<Record<string, readonly Tool<Json>[]>> = {
  [weatherId]: originalWeatherTools,
  [sheetId]: originalSheetTools,
};

/**
 * Creates the environment with this id and adds the tools; the tasks stay the same.
 *
 * Throws `EnvironmentOptionError` for an unknown option or an invalid value.
 */
export function createWithOriginalTools(id: string, options?: EnvironmentOptions): Environment {
  const kit = kits.find((candidate) => candidate.id === id);
  if (kit === undefined) throw new Error(`${id} is not a tool environment`);
  const tools = [...kit.tools, ...(added[id] ?? [])];
  return createTools({ ...kit, tools }, rungsOf(id, options));
}
