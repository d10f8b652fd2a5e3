import { LogError } from '../exchange/logs/error.ts';
import type { LogFile } from '../exchange/logs/source.ts';
import { type EpisodeFlag, episodeFlags, flagTitles } from '../exchange/rollouts/detectors.ts';
import type { RolloutEpisode } from '../exchange/rollouts/episode.ts';
import {
  countFlags,
  type EpisodeEntry,
  holdsRollouts,
  type Rollouts,
  readRollouts,
  type StepSummary,
  stepsOf,
} from '../exchange/rollouts/read-rollouts.ts';
import {
  type RolloutMapping,
  rolloutColumns,
  rolloutTitles,
} from '../exchange/rollouts/readers.ts';
import { type EpisodeQuery, episodeOrders, searched } from '../exchange/rollouts/select.ts';
import { foreignLimits } from '../files/log-limits.ts';
import { percent, significant } from '../runs/numbers.ts';
import { Command, oneOf, optional, repeated, toggle, whole, withDefault } from './flags.ts';
import { logFilesAt } from './log-paths.ts';
import type { Streams } from './streams.ts';
import { exitCode, UsageError } from './usage.ts';

const episodes = new Command({
  name: 'episodes',
  about: 'Reads episodes written by another tool and lists signs of failure.',
  operands: {
    placeholder: 'PATH…',
    help: 'files or folders of episodes: traces.jsonl of verifiers, rollout dumps of verl and slime, rollout logs of AgentGym-RL, completions of TRL (Parquet), AgentTraj, JSON lines',
    most: Number.POSITIVE_INFINITY,
  },
  flags: {
    json: toggle('print one JSON object: "tool", "episodes", "steps", "flags", "shown", "notes"'),
    map: repeated(
      'COLUMN=NAME',
      `in a plain file, the field that contains ${rolloutColumns.join(' or ')}, such as reward=points`,
    ),
    step: optional('N', 'only episodes of this step, or of a range such as 10-20', steps),
    flag: optional(
      'NAME',
      `only episodes with this flag: ${episodeFlags.join(', ')}`,
      oneOf(episodeFlags),
    ),
    search: optional('TEXT', 'only episodes that contain this text'),
    sort: withDefault(
      'highest',
      optional('ORDER', `${episodeOrders.join(', ')}`, oneOf(episodeOrders)),
    ),
    show: withDefault(
      3,
      optional('N', 'number of episodes to print with their text', whole(0, 1000)),
    ),
  },
});

function steps(text: string, name: string): readonly [number, number] {
  const [, from = '', to = from] = /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(text) ?? [];
  if (from !== '' && Number(from) <= Number(to || from)) return [Number(from), Number(to || from)];
  throw new UsageError(
    `--${name} must be a step such as 10 or a range such as 10-20, got ${JSON.stringify(text)}`,
  );
}

/** Parses arguments such as `reward=points` into a mapping. @throws {UsageError} */
export function readMapping(given: readonly string[]): RolloutMapping {
  return Object.fromEntries(
    given.map((text) => {
      const [column, ...name] = text.split('=');
      const known = rolloutColumns.find((one) => one === column?.trim());
      if (known !== undefined && name.join('=').trim() !== '')
        return [known, name.join('=').trim()];
      throw new UsageError(
        `--map takes COLUMN=NAME, where COLUMN is one of ${rolloutColumns.join(', ')}; got ${JSON.stringify(text)}`,
      );
    }),
  );
}

/**
 * The episode files at the given paths.
 *
 * @param say receives a line for each skipped file; see `logFilesAt`
 * @throws {UsageError}
 */
export async function openRollouts(
  paths: readonly string[],
  mapping: RolloutMapping,
  say: Streams['log'] = () => {},
): Promise<Rollouts> {
  const files: LogFile[] = [];
  for (const path of paths) {
    const all = logFilesAt(path, say);
    if (all.length === 1) files.push(...all);
    else for (const file of all) if (await holdsRollouts(file, mapping, say)) files.push(file);
  }
  const place = paths.join(', ');
  if (files.length === 0) throw new UsageError(`${place} contains no episode file`);
  if (files.length > foreignLimits.files) throw new UsageError(`${place} contains too many files`);
  files.sort((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
  try {
    return await readRollouts(files, { mapping });
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new UsageError(
      `${place} ${error.message}${Object.keys(mapping).length === 0 ? '; name its fields with --map response=NAME' : ''}`,
    );
  }
}

const MOST_TEXT = 4000;

/** An episode with its text, for JSON. */
export async function plainEpisode(
  rollouts: Rollouts,
  entry: EpisodeEntry,
  mostText = MOST_TEXT,
): Promise<object> {
  const { messages, numbers, truncated } = await rollouts.read(entry.id);
  const { file: _, from: __, to: ___, ...about } = entry;
  const cut = (text: string) =>
    text.length <= mostText ? text : `${text.slice(0, mostText)}… (${text.length} characters)`;
  return {
    ...{ ...about, truncated, numbers },
    task: about.task === null ? null : about.task.slice(0, 200),
    messages: messages.map((message) => ({ ...message, text: cut(message.text) })),
  };
}

/** Reads episodes named by the arguments. Resolves with the exit code. */
export function episodesCommand(args: readonly string[], { out, log }: Streams): Promise<number> {
  return exitCode({ log }, [LogError], async () => {
    const parsed = episodes.parse(args);
    if (parsed === null) {
      out(episodes.help());
      return 0;
    }
    const { values, operands } = parsed;
    const rollouts = await openRollouts(operands, readMapping(values.map), log);
    const query: EpisodeQuery = {
      ...{ order: values.sort, most: values.show },
      ...(values.step === undefined ? {} : { steps: values.step }),
      ...(values.flag === undefined ? {} : { flag: values.flag }),
      ...(values.search === undefined ? {} : { search: values.search }),
    };
    const shown = await searched(rollouts, query);
    const { tool, entries, notes } = rollouts;
    if (values.json) {
      const full = await Promise.all(shown.map((entry) => plainEpisode(rollouts, entry)));
      out(
        JSON.stringify({
          ...{ tool, episodes: entries.length, steps: stepsOf(entries) },
          ...{ flags: countFlags(entries), shown: full, notes },
        }),
      );
      return 0;
    }
    for (const note of notes) log(note);
    out(`${counted(entries.length)} of ${rolloutTitles[tool]}`);
    for (const line of flagLines(entries)) out(line);
    for (const line of stepLines(stepsOf(entries))) out(line);
    for (const entry of shown) {
      for (const line of episodeLines(entry, await rollouts.read(entry.id))) out(line);
    }
    return 0;
  });
}

const counted = (count: number) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'episode' : 'episodes'}`;

function* flagLines(entries: readonly EpisodeEntry[]): Generator<string> {
  const counts = Object.entries(countFlags(entries)) as [EpisodeFlag, number][];
  if (counts.length === 0) yield '  no signs of failure in individual episodes';
  for (const [flag, count] of counts.sort((a, b) => b[1] - a[1])) {
    const places = entries.filter(({ flags }) => flags.includes(flag)).slice(0, 3);
    yield `  ${flagTitles[flag]}: ${count} (${percent(count / entries.length)}), such as episode ${places.map(({ id }) => id).join(', ')} [--flag ${flag}]`;
  }
}

/** Maximum number of steps in the text output. */
const MOST_STEPS = 20;

function* stepLines(all: readonly StepSummary[]): Generator<string> {
  const stride = Math.ceil(all.length / MOST_STEPS);
  for (const one of all.filter((_, i) => i % stride === 0 || i === all.length - 1)) {
    const { step, episodes: count, reward, success, length, flags } = one;
    const signs = Object.entries(flags).map(([flag, n]) => `${flag} ${n}`);
    yield `  ${step === null ? 'no step' : `step ${step}`}: ${counted(count)}, reward ${reward === null ? 'not logged' : significant(reward)}${success === null ? '' : `, success ${percent(success)}`}, length ${significant(length)}${signs.length === 0 ? '' : `; ${signs.join(', ')}`}`;
  }
}

function* episodeLines(entry: EpisodeEntry, { messages }: RolloutEpisode): Generator<string> {
  const { id, step, reward, flags, length } = entry;
  yield '';
  yield `episode ${id}${step === null ? '' : `, step ${step}`}, reward ${reward === null ? 'not logged' : significant(reward)}, length ${length}${flags.length === 0 ? '' : `: ${flags.join(', ')}`}`;
  for (const { role, text } of messages) {
    const cut = text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
    yield `  [${role}] ${cut.trim().replaceAll('\n', '\n    ')}`;
  }
}
