/** MLflow's run folder: one file per metric with lines `milliseconds value step`. */

import { LogError } from './error.ts';
import type { Gathered } from './gathered.ts';
import { numberOf } from './loose-json.ts';
import { type LogFile, linesOf, type OnRead, wholeText } from './source.ts';

const LINE = /^\d{10,16} \S+( \d+)?$/;

export const isMlflowLine = (text: string) => LINE.test(text.trimEnd());

/** The part of a path after a folder of this name; null if there is none. */
export function within(path: string, folder: string): string | null {
  const at = `/${path}`.lastIndexOf(`/${folder}/`);
  return at === -1 ? null : path.slice(at + folder.length + 1);
}

/** @throws {LogError} */
export async function readMlflow(
  files: readonly LogFile[],
  into: Gathered,
  onRead: OnRead,
): Promise<void> {
  for (const file of files) {
    const setting = within(file.path, 'params');
    if (setting !== null) {
      into.set(setting, numberText(await wholeText(file, onRead)));
      continue;
    }
    // MLflow does not allow @ in names; verl writes `_at_` instead.
    const key = (within(file.path, 'metrics') ?? file.path).replaceAll('_at_', '@');
    let row = 0;
    for await (const lines of linesOf(file, onRead)) {
      for (const { number, text, whole } of lines) {
        if (text.trim() === '') continue;
        const [, value = '', step] = text.trim().split(' ');
        const measured = numberOf(value);
        if (measured === undefined || (step !== undefined && numberOf(step) === undefined)) {
          if (!whole && number > 1) break;
          throw new LogError(`line ${number} is not an MLflow measurement`);
        }
        // Older versions wrote no step.
        into.add(key, step === undefined ? row : Number(step), measured);
        row++;
      }
    }
  }
}

const numberText = (text: string) => numberOf(text) ?? text.trim();
