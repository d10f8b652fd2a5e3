/**
 * Console output of training programs: verl's lines `step:3 - actor/entropy:0.5 - …`, the dicts of
 * Hugging Face's trainers, and the tables of Stable-Baselines3.
 */

import { Gathered } from './gathered.ts';
import { numberIn, numberOf, recordOf } from './loose-json.ts';
import { parsePython } from './python-literal.ts';
import { type LogFile, linesOf, type OnRead } from './source.ts';

/** Terminal colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches the escape character
const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;

const plain = (text: string) => (text.includes('\u001b') ? text.replaceAll(ANSI, '') : text);

/** The start of a line of verl's metrics: the step, after any prefix. */
const VERL = /(?:^|\s)step:(\d+) - (?=\S+:)/;

export const isVerlLine = (text: string) => VERL.test(plain(text));

/** `np.float64(0.5)` and similar wrappers around a number. */
const WRAPPED = /^[\w.]+\((.*)\)$/;

/**
 * Reads verl's lines. A resumed run repeats its steps, and the later lines replace the earlier
 * ones. Two lines in a row for one step complement each other.
 */
export async function readVerlConsole(
  file: LogFile,
  into: Gathered,
  onRead: OnRead,
): Promise<void> {
  let newest = -1;
  for await (const lines of linesOf(file, onRead)) {
    for (const line of lines) {
      const text = plain(line.text);
      const found = VERL.exec(text);
      if (found === null) {
        readPrintedConfig(text, into);
        continue;
      }
      const step = Number(found[1]);
      if (step < newest) {
        into.rewind(step);
        into.note(
          `Line ${line.number} goes back to step ${step}; the later lines replace the earlier ones.`,
        );
      }
      newest = step;
      const parts = text.slice(found.index + found[0].length).split(' - ');
      // The last number of a truncated line may lack digits.
      if (!line.whole) parts.pop();
      for (const part of parts) {
        const colon = part.lastIndexOf(':');
        const value = part.slice(colon + 1).trim();
        const number = numberOf(value) ?? numberOf(WRAPPED.exec(value)?.[1] ?? '');
        if (colon > 0 && number !== undefined) {
          into.replace(part.slice(0, colon).trim(), step, number);
        }
      }
    }
  }
}

/** A setting in the config, which is printed as one dict over several lines. */
const LEAF = /'([\w]+)': (?:'([^']*)'|([-+\d.e]+|True|False))(?=[,}]|$)/gi;

/** Settings whose names are unique in verl's config, or occur in the actor's settings first. */
const verlNames: ReadonlySet<string> = new Set([
  ...['gamma', 'lam', 'adv_estimator', 'ppo_epochs', 'clip_ratio', 'clip_ratio_low'],
  ...['clip_ratio_high', 'entropy_coeff', 'kl_loss_coef', 'use_kl_loss', 'n'],
]);

function readPrintedConfig(text: string, into: Gathered): void {
  if (!text.includes("': ")) return;
  for (const [, name = '', quoted, bare] of text.matchAll(LEAF)) {
    // The actor's settings are printed first.
    if (!verlNames.has(name) || into.settings.has(name)) continue;
    into.set(name, quoted ?? numberOf(bare ?? '') ?? bare === 'True');
  }
}

/** A dict of numbers, as Hugging Face's trainers print when they log. */
export function isDictLine(text: string): boolean {
  return dictIn(text) !== null;
}

function dictIn(text: string): Readonly<Record<string, unknown>> | null {
  const start = text.indexOf("{'");
  if (start === -1 || !text.trimEnd().endsWith('}')) return null;
  const dict = recordOf(parsePython(text.slice(start)));
  const logged = dict !== null && ('loss' in dict || 'reward' in dict || 'epoch' in dict);
  return logged ? dict : null;
}

/** Counters that only grow within a run; a smaller value indicates a new run. */
const COUNTERS = ['epoch', 'num_tokens', 'step', 'global_step'] as const;

/**
 * Reads the dicts of Hugging Face's trainers. They contain no step, so the axis counts dicts; an
 * evaluation belongs to the dict before it. A counter that restarts begins another run.
 */
export async function readDictConsole(file: LogFile, onRead: OnRead): Promise<readonly Gathered[]> {
  const runs: Gathered[] = [];
  let into = new Gathered();
  let row = 0;
  let counters = new Map<string, number>();
  for await (const lines of linesOf(file, onRead)) {
    for (const { text } of lines) {
      const dict = dictIn(plain(text));
      if (dict === null || 'train_runtime' in dict) continue;
      const evaluation = Object.keys(dict).some((key) => key.startsWith('eval_'));
      if (!evaluation) {
        const now = new Map(
          COUNTERS.flatMap((key) => {
            const value = numberIn(dict[key]);
            return value === undefined ? [] : [[key, value] as const];
          }),
        );
        const restarted = [...now].some(([key, value]) => value < (counters.get(key) ?? value));
        if (restarted) {
          runs.push(into);
          [into, row] = [new Gathered(), 0];
        }
        counters = now;
        row++;
      }
      for (const [key, value] of Object.entries(dict)) {
        const number = numberIn(value);
        if (number !== undefined) into.add(key, row, number);
      }
    }
  }
  runs.push(into);
  for (const run of runs) {
    run.note(
      'The console output has no step numbers. The axis counts rows; each covers several optimizer steps.',
    );
  }
  return runs;
}

/** `| rollout/            |          |` or `|    ep_rew_mean     | 22.1     |`. */
const CELL = /^\| ( {3})?(\S+?)\/?\s*\|\s*(\S*)\s*\|$/;

export const isTableLine = (text: string) => /^\| (time|rollout|train)\/\s*\|\s*\|$/.test(text);

/**
 * Reads the tables of Stable-Baselines3, which truncate long names. The x axis is
 * `total_timesteps`, a row within each table.
 */
export async function readTableConsole(
  file: LogFile,
  into: Gathered,
  onRead: OnRead,
): Promise<void> {
  let section = '';
  let table = new Map<string, number>();
  const finish = () => {
    const x = table.get('time/total_timesteps');
    if (x !== undefined) for (const [key, value] of table) into.add(key, x, value);
    table = new Map();
  };
  for await (const lines of linesOf(file, onRead)) {
    for (const { text } of lines) {
      if (/^-{8,}$/.test(text.trim())) {
        finish();
        continue;
      }
      // Longer lines are other output.
      const cell = text.length > 200 ? null : CELL.exec(text.trim());
      const [, indent, name = '', value = ''] = cell ?? [];
      if (name === '') continue;
      if (indent === undefined && value === '') section = `${name}/`;
      else {
        const number = numberOf(value);
        if (number !== undefined) table.set(section + name, number);
      }
    }
  }
}
