/**
 * Resolves the settings of the server: which environments under which paths, with which options and texts.
 */

import { createEnvironment, familyOf } from '../envs/registry.ts';
import type { EnvironmentOptions, OptionValue } from '../envs/types.ts';
import { type Dialect, own, type Served } from './dialect.ts';
import { dialects } from './dialects/index.ts';
import { type NumberedTasks, numberTasks } from './tasks.ts';

/** The original's texts and rules, or this project's own. */
export const MANNERS = ['original', 'own'] as const;
type MannerName = (typeof MANNERS)[number];

export interface ServeWishes {
  readonly manner: MannerName;
  /** `path=id`: another environment under a path. */
  readonly environments: readonly string[];
  /** `path.option=value`. */
  readonly options: readonly string[];
}

/** Thrown for invalid settings; the message is one line. */
export class ServeOptionError extends Error {
  override readonly name = 'ServeOptionError';
}

/**
 * Determines what each path serves. The code of all environments must have been loaded.
 * Throws `ServeOptionError` for an unknown path or id, and `EnvironmentOptionError` for an unknown option or an
 * invalid value.
 */
export function settle({ manner, environments, options }: ServeWishes): readonly Served[] {
  const chosen = new Map<string, string>();
  for (const wish of environments) {
    const [path, id] = split('--env', 'PATH=ID', wish, '=');
    const { choices } = dialectOf(path);
    if (!choices.includes(id)) {
      throw new ServeOptionError(`/${path} serves one of ${choices.join(', ')}, not ${id}`);
    }
    chosen.set(path, id);
  }
  const set = new Map<string, Map<string, string>>();
  for (const wish of options) {
    const [name, value] = split('--set', 'PATH.OPTION=VALUE', wish, '=');
    const [path, option] = split('--set', 'PATH.OPTION=VALUE', name, '.');
    dialectOf(path);
    set.set(path, (set.get(path) ?? new Map<string, string>()).set(option, value));
  }
  return dialects.map((dialect) =>
    serve(dialect, manner, chosen.get(dialect.path), set.get(dialect.path) ?? new Map()),
  );
}

function serve(
  dialect: Dialect,
  manner: MannerName,
  id: string | undefined,
  set: ReadonlyMap<string, string>,
): Served {
  const ids = id === undefined ? dialect.environments : [id];
  const closest = manner === 'original' ? dialect.options : {};
  const given = { ...closest, ...valuesOf(ids[0] ?? '', set) };
  // Another environment of the same path may have fewer options.
  const isKnown = (name: string) =>
    set.has(name) || Object.hasOwn(familyOf(ids[0] ?? '')?.options ?? {}, name);
  const options = Object.fromEntries(Object.entries(given).filter(([name]) => isKnown(name)));
  const create = (manner === 'original' ? dialect.create : undefined) ?? createEnvironment;
  let made: NumberedTasks | undefined;
  const tasks = () => {
    made ??= numberTasks(
      ids.map((one) => create(one, options)),
      dialect,
    );
    return made;
  };
  // Creates the tasks now, so that invalid combinations are reported at once.
  if (set.size > 0) tasks();
  return {
    ...{ dialect, ids, options, tasks },
    manner: manner === 'original' ? dialect.original : own,
  };
}

/** Converts texts to values: numbers if the option is a number. */
function valuesOf(id: string, set: ReadonlyMap<string, string>): EnvironmentOptions {
  const known = familyOf(id)?.options ?? {};
  const read = (name: string, text: string): OptionValue =>
    Object.hasOwn(known, name) && known[name]?.type === 'number' && text !== ''
      ? Number(text)
      : text;
  return Object.fromEntries([...set].map(([name, text]) => [name, read(name, text)]));
}

function dialectOf(path: string): Dialect {
  const dialect = dialects.find((one) => one.path === path);
  if (dialect !== undefined) return dialect;
  const paths = dialects.map((one) => one.path).join(', ');
  throw new ServeOptionError(`there is no path ${JSON.stringify(path)}; the paths are ${paths}`);
}

function split(flag: string, form: string, wish: string, mark: string): readonly [string, string] {
  const at = wish.indexOf(mark);
  if (at <= 0) throw new ServeOptionError(`${flag} takes ${form}, got ${JSON.stringify(wish)}`);
  return [wish.slice(0, at), wish.slice(at + 1)];
}
