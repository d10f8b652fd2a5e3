/** Checks whether missions are met, following BabyAI's verifier. */
import {
  adjacent,
  type BabyAIState,
  type Clause,
  cellOf,
  frontOf,
  type Mission,
  OPEN,
  type World,
} from './world.ts';

/** The primitive actions of MiniGrid. */
export type Op = 'left' | 'right' | 'forward' | 'pickup' | 'drop' | 'toggle';

/** Whether a primitive step that led to a state meets a clause. */
function meets(
  world: World,
  before: BabyAIState,
  state: BabyAIState,
  op: Op,
  clause: Clause,
): boolean {
  const { targets } = clause;
  switch (clause.kind) {
    case 'goto': {
      const front = frontOf(world, state);
      return targets.some((entity) => cellOf(world, state, entity) === front);
    }
    case 'pickup':
      return (
        op === 'pickup' &&
        before.carrying === null &&
        state.carrying !== null &&
        targets.includes(state.carrying)
      );
    case 'open': {
      if (op !== 'toggle') return false;
      const front = frontOf(world, state);
      return targets.some(
        (entity) =>
          cellOf(world, state, entity) === front &&
          state.doors[entity - world.things.length] === OPEN,
      );
    }
    case 'putnext': {
      const dropped = before.carrying;
      if (op !== 'drop' || dropped === null || state.carrying !== null) return false;
      if (!targets.includes(dropped)) return false;
      const cell = cellOf(world, state, dropped);
      return clause.fixed.some((entity) => {
        const at = cellOf(world, state, entity);
        return at >= 0 && adjacent(world.side, cell, at);
      });
    }
    default:
      return clause satisfies never;
  }
}

/** The mission's progress after a primitive step: a bit for each completed clause. */
export function progress(world: World, before: BabyAIState, state: BabyAIState, op: Op): number {
  let done = before.done;
  let bit = 1;
  for (const stage of world.mission.stages) {
    let complete = true;
    for (const clause of stage) {
      if ((done & bit) === 0) {
        if (meets(world, before, state, op, clause)) done |= bit;
        else complete = false;
      }
      bit <<= 1;
    }
    // The step that completes a stage can meet clauses of the next stage, but only from that step on.
    if (!complete) return done;
  }
  return done;
}

/** The number of clauses. */
function clauseCount(mission: Mission): number {
  return mission.stages.reduce((sum, stage) => sum + stage.length, 0);
}

/** Whether every clause is done. */
export function accomplished(mission: Mission, done: number): boolean {
  return done === (1 << clauseCount(mission)) - 1;
}

/** The open clauses: those of the first incomplete stage. */
export function openClauses(mission: Mission, done: number): readonly Clause[] {
  let bit = 1;
  for (const stage of mission.stages) {
    const open = stage.filter((_, k) => (done & (bit << k)) === 0);
    if (open.length > 0) return open;
    bit <<= stage.length;
  }
  return [];
}
