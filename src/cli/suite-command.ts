import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeAgentTraj } from '../exchange/trajectories/agent-traj.ts';
import {
  evaluationSuite,
  expertRecord,
  suiteEnvironments,
  suiteTasks,
  taskRecord,
} from '../training/suite.ts';
import { Outputs } from './files.ts';
import { Command, forceFlag, optional, required, whole, withDefault } from './flags.ts';
import { plural } from './report.ts';
import type { Streams } from './streams.ts';
import { exitCode } from './usage.ts';

const suite = new Command({
  name: 'suite',
  about:
    'Writes the tasks of the evaluation suite and the experts’ dialogues on training tasks, in the layout of AgentEval and AgentTraj.',
  flags: {
    out: required('DIR', 'folder; each environment gets a file in its folders tasks and dialogues'),
    dialogues: withDefault(
      1000,
      optional(
        'N',
        'dialogues of each environment, on its first training tasks; 0: all',
        whole(0, 1_000_000),
      ),
    ),
    force: forceFlag,
  },
  notes: () =>
    `Version ${evaluationSuite.version}: ${evaluationSuite.environments.length} environments, at most ${evaluationSuite.tasks} tasks each. The same version of Palestra writes the same bytes. “evaluate --suite” plays these tasks.`,
});

/** Writes the suite as the arguments specify. Resolves with the exit code. */
export function suiteCommand(args: readonly string[], streams: Streams): Promise<number> {
  return exitCode(streams, [], async () => {
    const parsed = suite.parse(args);
    if (parsed === null) {
      streams.out(suite.help());
      return 0;
    }
    const { out, dialogues, force } = parsed.values;
    for (const folder of ['tasks', 'dialogues']) mkdirSync(join(out, folder), { recursive: true });
    const outputs = new Outputs({ force });
    const places = suiteEnvironments().map(({ environment }) => {
      const name = `${environment.id.replaceAll('/', '-')}.json`;
      const file = (folder: string) => outputs.file('--out', join(out, folder, name));
      return { environment, tasks: file('tasks'), dialogues: file('dialogues') };
    });
    let [allTasks, all] = [0, 0];
    for (const { environment, ...files } of places) {
      const tasks = suiteTasks(environment);
      const { trainTasks } = environment;
      const chosen = dialogues === 0 ? trainTasks : trainTasks.slice(0, dialogues);
      const records = chosen.map((task) => expertRecord(environment, task));
      files.tasks.write(writeAgentTraj(tasks.map((task) => taskRecord(environment, task))));
      files.dialogues.write(writeAgentTraj(records));
      allTasks += tasks.length;
      all += records.length;
      const solved = records.filter(({ success }) => success).length;
      const turns = records.reduce((sum, record) => sum + record.turns.length, 0);
      streams.out(
        `${environment.id.padEnd(26)} ${plural(tasks.length, 'task')}, ${plural(records.length, 'dialogue')} (${solved} solved, ${(turns / Math.max(1, records.length)).toFixed(1)} turns)`,
      );
    }
    streams.out(`${plural(allTasks, 'task')} and ${plural(all, 'dialogue')} are in ${out}`);
    return 0;
  });
}
