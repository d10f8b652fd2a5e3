/** Lists the settings of a method in which a config differs from the paper, with the reasons. */

import { describeConfig, getConfigValue } from './fields.ts';
import type { Method } from './methods.ts';
import type { Config } from './schema.ts';
import { asText } from './text.ts';

interface MethodDifference {
  readonly path: string;
  /** The field's title. */
  readonly title: string;
  /** Value in the config, and in the paper. */
  readonly here: string;
  readonly published: string;
  /** Source of the published value. */
  readonly source: string;
  /** The reason, in one sentence. */
  readonly why: string;
}

/** @param preset the preset’s config, which may be tuned further than the method */
export function methodDifferences(
  { settings }: Method,
  config: Config,
  preset: Config,
): readonly MethodDifference[] {
  const fields = new Map(describeConfig().map((field) => [field.path, field]));
  return settings.flatMap(({ path, published, source, adapted }) => {
    const here = asText(getConfigValue(config, path));
    if (here === published) return [];
    const why =
      here === adapted?.text
        ? adapted.reason
        : here === asText(getConfigValue(preset, path))
          ? 'The preset’s.'
          : 'Yours.';
    return [{ path, title: fields.get(path)?.title ?? path, here, published, source, why }];
  });
}
