/**
 * Stores the rows of a provoked run, read from standard input, for the tests of diagnosis:
 *
 * npm run --silent train -- … --json | node scripts/run.mjs src/diagnosis/testing/keep.ts NAME SEED
 *
 * Without input (`… keep.ts --list`) it prints the command for every stored run.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { loadEnvironments } from '../../envs/registry.ts';
import { commandOf, configOf, findProvocation, provocations, settingsOf } from './provocations.ts';
import { columns, type Recorded } from './recorded.ts';

await loadEnvironments();
const [name = '', seed = '1'] = process.argv.slice(2);
const keep = 'node scripts/run.mjs src/diagnosis/testing/keep.ts';

if (name === '--list') {
  for (const one of provocations) {
    process.stdout.write(`${commandOf(one, 1)} | ${keep} ${one.name} 1\n`);
  }
} else {
  const provocation = findProvocation(name);
  const rows: Record<string, number>[] = readFileSync(0, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter((row) => row.final !== true);
  const present = columns.filter((key) => rows.some((row) => row[key] !== undefined));
  const recorded: Recorded = {
    command: commandOf(provocation, Number(seed)),
    settings: settingsOf(configOf(provocation, Number(seed))),
    columns: [...present],
    values: rows.slice(0, provocation.updates).map((row) =>
      present.map((key) => {
        const value = row[key];
        return value === undefined ? null : Number(value.toPrecision(4));
      }),
    ),
  };
  const { values, ...head } = recorded;
  const body = values.map((row) => JSON.stringify(row)).join(',\n');
  const text = `${JSON.stringify(head).slice(0, -1)},"values":[\n${body}\n]}\n`;
  // The bundle lies in another folder, so the path is relative to the working directory.
  writeFileSync(`src/diagnosis/testing/runs/${name}.${seed}.json`, text);
}
