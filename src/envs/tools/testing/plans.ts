/** Plans that templates make for a given database. */
import { mersenne } from 'pure-rand/generator/mersenne';
import type { Json } from '../core/json.ts';
import type { Template } from '../core/kit.ts';
import type { Answer, Result, Tool } from '../core/tool.ts';

interface ShownPlan {
  /** `tool argument argument`. */
  readonly calls: readonly string[];
  readonly answer: Answer | null;
}

/** Enough draws to find every goal that a small database supports. */
const DRAWS = 400;

/** The plans for a goal's sentence, by the values of its placeholders. */
export function plansFor<World extends Json>(
  templates: readonly Template<World>[],
  goal: string,
  world: World,
): ReadonlyMap<string, ShownPlan> {
  const template = templates.find((candidate) => candidate.goal === goal);
  if (template === undefined) throw new Error(`there is no goal “${goal}”`);
  const random = mersenne(1);
  const found = new Map<string, ShownPlan>();
  for (let draw = 0; draw < DRAWS; draw++) {
    const plan = template.plan(world, random);
    if (plan === null) continue;
    found.set(Object.values(plan.fillings).join(' '), {
      calls: plan.calls.map(({ tool, args }) => [tool, ...Object.values(args)].join(' ')),
      answer: plan.answer,
    });
  }
  return found;
}

/** Calls a tool by name. */
export function runnerOf<World extends Json>(
  tools: readonly Tool<World>[],
  world: World,
): (name: string, args?: Readonly<Record<string, Json>>) => Result<World> {
  return (name, args = {}) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`there is no tool ${name}`);
    return tool.run(world, args);
  };
}
