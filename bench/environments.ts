/** Turns per second of every offered environment, measured alone on one core. */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import { createEnvironment, offeredFamilies } from '../src/envs/registry.ts';
import type { Environment } from '../src/envs/types.ts';
import { rateOf, ruler, type Spread, type Timing } from './measure.ts';

const SEED = 1;
/** Maximum number of different tasks that are played. */
const TASKS = 100;

/** Chooses the next action. */
type Player = (environment: Environment, state: unknown) => string;

function randomPlayer(): Player {
  const random = mersenne(SEED);
  return (environment, state) => {
    const actions = environment.admissibleActions(state);
    return actions[uniformInt(random, 0, actions.length - 1)] ?? '';
  };
}

const expert: Player = (environment, state) => environment.expert(state).action;

/** Up to `TASKS` training tasks, drawn at random without replacement. */
function drawnTasks({ trainTasks }: Environment): string[] {
  const random = mersenne(SEED);
  const left = [...trainTasks];
  return Array.from({ length: Math.min(TASKS, left.length) }).flatMap(() =>
    left.splice(uniformInt(random, 0, left.length - 1), 1),
  );
}

/** Returns a function that plays the next episode and returns its number of turns. */
function episodes(environment: Environment, play: Player): () => number {
  const tasks = drawnTasks(environment);
  let next = 0;
  return () => {
    let { state } = environment.reset(tasks[next++ % tasks.length] ?? '');
    let turns = 0;
    for (let terminated = false; !terminated; turns++) {
      ({ state, terminated } = environment.step(state, play(environment, state)));
    }
    return turns;
  };
}

/** The speed of an environment under one policy. */
export interface EnvironmentSpeed {
  /** Turns per second. */
  readonly rate: Spread;
  /** Mean number of turns per episode. */
  readonly turns: number;
}

export interface EnvironmentRow {
  readonly id: string;
  readonly random: EnvironmentSpeed;
  readonly expert: EnvironmentSpeed;
  /** Calls of `ruler` per second, measured between the two policies. */
  readonly ruler: Spread;
}

/** Measures every offered environment with its default options, one row at a time. */
export function* environmentRows(timing: Timing): Generator<EnvironmentRow> {
  for (const family of offeredFamilies) {
    const speed = (play: Player): EnvironmentSpeed => {
      const environment = createEnvironment(family.id);
      const episode = episodes(environment, play);
      // Plays all tasks once, so that caches are warm, as in a long training run.
      const tasks = Math.min(TASKS, environment.trainTasks.length);
      let turns = 0;
      for (let task = 0; task < tasks; task++) turns += episode();
      return { rate: rateOf(episode, timing), turns: turns / tasks };
    };
    yield {
      id: family.id,
      random: speed(randomPlayer()),
      ruler: rateOf(ruler, timing),
      expert: speed(expert),
    };
  }
}

/** A number with three significant digits and a thousands separator. */
const shown = (value: number) =>
  Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 2 });

const shownRate = ({ median, least, greatest }: Spread) =>
  `${shown(median)} (${shown(least)} to ${shown(greatest)})`;

/** The rows as a Markdown table. */
export function environmentTable(rows: readonly EnvironmentRow[]): string {
  const columns = [
    'environment',
    'random play, turns/s',
    'expert, turns/s',
    'turns per episode, random and expert',
    'ruler, texts/s',
    'ruler texts per turn, random and expert',
  ];
  const cells = rows.map(({ id, random, expert, ruler }) => [
    id,
    shownRate(random.rate),
    shownRate(expert.rate),
    `${random.turns.toFixed(1)} and ${expert.turns.toFixed(1)}`,
    shownRate(ruler),
    `${shown(ruler.median / random.rate.median)} and ${shown(ruler.median / expert.rate.median)}`,
  ]);
  const lines = [columns, ['---', ...columns.slice(1).map(() => '---:')], ...cells];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** The measurements, stored next to their page. */
export interface EnvironmentReport {
  readonly rows: readonly EnvironmentRow[];
  readonly timing: Timing;
  readonly machine: string;
  readonly command: string;
}

/** The page of results. */
export function environmentPage({ rows, timing, machine, command }: EnvironmentReport): string {
  return `# Speed of the environments

Each environment with its default options, alone on one core, in one process, without an agent. A turn includes choosing an action and calling \`step\`, which generates the observation. Random play chooses from \`admissibleActions\`; the expert calls \`expert\`, which also generates its thought. The time includes the \`reset\` at the start of every episode, but not tokenizing, the network and training.

${environmentTable(rows)}

A rate is the median of ${timing.repetitions} measurements of at least ${timing.milliseconds} ms, with the minimum and maximum in brackets. For warm-up, each of up to ${TASKS} training tasks, drawn with seed ${SEED}, is played once, followed by another ${timing.milliseconds} ms of play; the measurements play the same tasks. A turn of random play and a turn of the expert differ in cost: their episodes visit different states, and an expert may have to plan.

The ruler is a fixed loop of plain JavaScript that builds and hashes texts of eight words, measured next to each environment. Its rate indicates the speed of the machine at that time. Turns per second can be compared only on one machine. The last column can be compared roughly between machines: it is the number of ruler texts that the machine processes in the time of one turn.

Measured on ${machine}.

    ${command}
`;
}
