import { ConfigError } from '../../../config/error.ts';
import { describeConfig } from '../../../config/fields.ts';
import { findMethod, UnknownMethodError, withMethod } from '../../../config/methods.ts';
import type { Config } from '../../../config/schema.ts';
import { setConfigValue } from '../../../config/text.ts';

export interface Twin {
  /** What distinguishes it from the other. */
  readonly name: string;
  readonly config: Config;
}

/** Two agents that differ in one setting, with the same tasks in the same order. */
export type Twins = readonly [first: Twin, second: Twin];

/** An invalid comparison; the message is one sentence. */
export class CompareError extends Error {
  override readonly name = 'CompareError';
}

/**
 * Parses the address parameter `compare`: two methods, `bapo,grpo`, or two values of a setting,
 * `agent.temperature:0.5,1`.
 *
 * @param config shared settings
 * @throws {CompareError}
 */
export function planTwins(compare: string, config: Config): Twins {
  const [, path, list = compare] = /^([a-z_]+\.[a-z_.]+):(.*)$/s.exec(compare) ?? [];
  const [first, second, ...others] = list.split(',').map((text) => text.trim());
  if (!first || !second || others.length > 0) {
    throw new CompareError(
      'compare takes two methods, such as bapo,grpo, or two values of a setting, such as agent.temperature:0.5,1.',
    );
  }
  const twin = (text: string) =>
    path === undefined ? byMethod(config, text) : bySetting(config, path, text);
  const twins: Twins = [twin(first), twin(second)];
  if (JSON.stringify(twins[0].config) !== JSON.stringify(twins[1].config)) return twins;
  throw new CompareError(`compare names the same agent twice: ${first} and ${second}.`);
}

function byMethod(config: Config, name: string): Twin {
  try {
    return { name: findMethod(name).title, config: withMethod(config, name, 'adapted') };
  } catch (error) {
    if (error instanceof UnknownMethodError || error instanceof ConfigError) {
      throw new CompareError(`compare: ${error.message}`);
    }
    throw error;
  }
}

function bySetting(config: Config, path: string, text: string): Twin {
  const title = describeConfig().find((field) => field.path === path)?.title ?? path;
  try {
    return { name: `${title} ${text}`, config: setConfigValue(config, path, text) };
  } catch (error) {
    if (error instanceof ConfigError) throw new CompareError(`compare: ${error.message}`);
    throw error;
  }
}
