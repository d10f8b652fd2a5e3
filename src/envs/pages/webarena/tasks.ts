import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';
import { oneOf } from '../../draws.ts';
import type { Goal, Rung } from '../core/kit.ts';
import { type Errand, templates } from './errands.ts';
import { drawWorld, type World } from './world.ts';

export interface WebTask extends Goal, Errand {
  /** The sites' content at the start. */
  readonly web: World;
}

export function drawErrand(rung: Rung, random: RandomGenerator): WebTask | null {
  const template = oneOf(
    templates.filter((one) => one.rung === rung),
    random,
  );
  const web = drawWorld(random);
  const errand = template.draw(web, random);
  if (errand === null) return null;
  const { objective } = errand;
  return { ...errand, rung, goal: objective, asked: objective, world: JSON.stringify(web), web };
}
