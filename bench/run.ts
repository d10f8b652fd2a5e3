/** `npm run bench -- environments`: measures and prints a table; `--out FILE` writes the page. */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import {
  type EnvironmentRow,
  environmentPage,
  environmentRows,
  environmentTable,
} from './environments.ts';
import type { Timing } from './measure.ts';

const usage = `npm run bench -- environments [--out FILE] [--repetitions N] [--milliseconds N]

  --out FILE         write the page of results as well, such as docs/results/environments.md
  --repetitions N    measurements of each rate; 7 if not given
  --milliseconds N   least duration of one measurement; 300 if not given`;

const { out, timing } = readArguments();
const rows: EnvironmentRow[] = [];
for (const row of environmentRows(timing)) {
  rows.push(row);
  process.stderr.write(`${row.id}\n`);
}
process.stdout.write(`${environmentTable(rows)}\n`);
if (out !== undefined) {
  const machine = `${cpus()[0]?.model.trim() || 'an unnamed processor'} with Node ${process.versions.node}`;
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  writeFileSync(out, environmentPage(rows, timing, machine, command));
}

function readArguments(): { out: string | undefined; timing: Timing } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        repetitions: { type: 'string', default: '7' },
        milliseconds: { type: 'string', default: '300' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(`${usage}\n`);
      process.exit(0);
    }
    if (positionals.length !== 1 || positionals[0] !== 'environments') {
      throw new Error('Name what to measure: environments.');
    }
    const timing = {
      repetitions: positive('repetitions', values.repetitions),
      milliseconds: positive('milliseconds', values.milliseconds),
    };
    return { out: values.out, timing };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}\n`);
    process.exit(2);
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a whole number above 0; it is ${text}.`);
}
