/** The agent's actions: MiniGrid's primitive actions, and AgentGym's actions that combine several. */
import { accomplished, type Op, progress } from './mission.ts';
import {
  barrierAhead,
  canEnter,
  canFace,
  canMove,
  codeAhead,
  placeOf,
  type Sight,
  see,
  wayInto,
  wayToFace,
} from './sight.ts';
import {
  carrying,
  DOOR_NAMES,
  DROP,
  EMPTY_HANDED,
  facing,
  MOVE_FORWARD,
  type Named,
  NOTHING_SEEN,
  namedTexts,
  placeText,
  THING_NAMES,
  TOGGLE,
  TURN_LEFT,
  TURN_RIGHT,
  type Verb,
  WALLS_AROUND,
  YOU_SEE,
} from './text.ts';
import {
  type BabyAIState,
  CLOSED,
  COLORS,
  EMPTY,
  FIRST_ENTITY,
  gridOf,
  KINDS,
  LOCKED,
  OPEN,
  offset,
  passable,
  turnedLeft,
  turnedRight,
  WALL,
  type World,
} from './world.ts';

/** What the agent perceives, and the actions available to it. */
export interface Situation {
  /** The description of what is in view, without the goal and the actions. */
  readonly description: string;
  /** The admissible actions. */
  readonly actions: readonly string[];
  readonly grid: Uint8Array;
  readonly sight: Sight;
  /** (sight.entities) name and number of each visible entity. */
  readonly names: readonly Named[];
}

/** The current name of an entity: `red ball`, `blue locked door`. */
export function nameOf(world: World, state: BabyAIState, entity: number): string {
  const thing = world.things[entity];
  const d = entity - world.things.length;
  const name =
    thing === undefined
      ? DOOR_NAMES[(state.doors[d] ?? OPEN) * COLORS.length + colorIndex(world.doors[d]?.color)]
      : THING_NAMES[KINDS.indexOf(thing.kind) * COLORS.length + colorIndex(thing.color)];
  return name ?? '';
}

const colorIndex = (color: (typeof COLORS)[number] | undefined) =>
  color === undefined ? 0 : COLORS.indexOf(color);

/** Whether the agent carries the key of a locked door. */
export function hasKey(world: World, state: BabyAIState, door: number): boolean {
  const thing = state.carrying === null ? undefined : world.things[state.carrying];
  return thing?.kind === 'key' && thing.color === world.doors[door]?.color;
}

/** Whether toggling a door has an effect. */
function canToggle(world: World, state: BabyAIState, door: number): boolean {
  return state.doors[door] !== LOCKED || hasKey(world, state, door);
}

/** The agent's view in words, and its available actions. */
export function situation(world: World, state: BabyAIState): Situation {
  const grid = gridOf(world, state);
  const sight = see(world, state, grid);
  const counts = new Map<string, number>();
  const names: Named[] = [];
  let description = '';
  for (const { entity, at } of sight.entities) {
    const name = nameOf(world, state, entity);
    const n = (counts.get(name) ?? 0) + 1;
    counts.set(name, n);
    const texts = namedTexts(name, n);
    names.push(texts);
    description += texts.there + placeText(placeOf(at));
  }
  description = names.length === 0 ? NOTHING_SEEN : YOU_SEE + description;
  description += ` ${WALLS_AROUND}`;
  const barrier = barrierAhead(world, grid, sight);
  if (barrier !== null) description += ` ${facing(barrier.kind, barrier.steps)}`;
  description += ` ${state.carrying === null ? EMPTY_HANDED : carrying(nameOf(world, state, state.carrying))}`;
  return { description, actions: admissible(world, state, grid, sight, names), grid, sight, names };
}

/** The actions that change something, in AgentGym's order. */
function admissible(
  world: World,
  state: BabyAIState,
  grid: Uint8Array,
  sight: Sight,
  names: readonly Named[],
): string[] {
  const actions = [TURN_LEFT, TURN_RIGHT];
  if (canMove(world, state, grid)) actions.push(MOVE_FORWARD);
  const { entities } = sight;
  const isThing = (entity: number) => entity < world.things.length;
  const faced = entities.map(({ at }) => canFace(sight, at));
  const add = (k: number, verb: Verb) => {
    const text = names[k]?.actions[verb];
    if (text !== undefined) actions.push(text);
  };
  if (state.carrying === null) {
    for (const [k, { entity }] of entities.entries()) {
      if (isThing(entity) && faced[k] !== 'no') add(k, 'pick up');
    }
  }
  const ahead = codeAhead(world, state, grid);
  if (state.carrying !== null && ahead === EMPTY) actions.push(DROP);
  for (const [k, { entity, at }] of entities.entries()) {
    if (isThing(entity)) continue;
    const door = entity - world.things.length;
    if (state.doors[door] === OPEN) {
      if (canEnter(sight, at)) add(k, 'go through');
    } else if (faced[k] !== 'no' && canToggle(world, state, door)) {
      add(k, 'toggle and go through');
    }
  }
  const doorAhead = ahead - FIRST_ENTITY - world.things.length;
  if (doorAhead >= 0 && canToggle(world, state, doorAhead)) actions.push(TOGGLE);
  for (let k = 0; k < entities.length; k++) if (faced[k] === 'yes') add(k, 'go to');
  return actions;
}

/** The primitive steps that an admissible action stands for. */
export function opsOf({ sight, names }: Situation, action: string): readonly Op[] {
  switch (action) {
    case TURN_LEFT:
      return ['left'];
    case TURN_RIGHT:
      return ['right'];
    case MOVE_FORWARD:
      return ['forward'];
    case DROP:
      return ['drop'];
    case TOGGLE:
      return ['toggle'];
    default:
  }
  for (const [k, { actions }] of names.entries()) {
    const at = sight.entities[k]?.at ?? 0;
    if (action === actions['go to']) return wayToFace(sight, at) ?? [];
    if (action === actions['pick up']) return [...(wayToFace(sight, at) ?? []), 'pickup'];
    if (action === actions['go through']) return wayInto(sight, at) ?? [];
    if (action === actions['toggle and go through']) {
      return [...(wayToFace(sight, at) ?? []), 'toggle', 'forward'];
    }
  }
  return [];
}

/** The state after a primitive step. The step is counted even if it changes nothing. */
function after(world: World, state: BabyAIState, op: Op): BabyAIState {
  const steps = state.steps + 1;
  const front = state.position + offset(world.side, state.direction);
  switch (op) {
    case 'left':
      return { ...state, steps, direction: turnedLeft(state.direction) };
    case 'right':
      return { ...state, steps, direction: turnedRight(state.direction) };
    case 'forward':
      return passable(world, state, codeAt(world, state, front))
        ? { ...state, steps, position: front }
        : { ...state, steps };
    case 'pickup': {
      const thing = state.cells.indexOf(front);
      if (thing < 0 || state.carrying !== null) return { ...state, steps };
      return { ...state, steps, carrying: thing, cells: state.cells.with(thing, -1) };
    }
    case 'drop': {
      const { carrying } = state;
      if (carrying === null || codeAt(world, state, front) !== EMPTY) return { ...state, steps };
      return { ...state, steps, carrying: null, cells: state.cells.with(carrying, front) };
    }
    case 'toggle': {
      const door = world.doors.findIndex(({ cell }) => cell === front);
      if (door < 0 || !canToggle(world, state, door)) return { ...state, steps };
      return {
        ...state,
        steps,
        doors: state.doors.with(door, state.doors[door] === OPEN ? CLOSED : OPEN),
      };
    }
    default:
      return op satisfies never;
  }
}

/** The code of one cell, without building the whole grid. */
function codeAt(world: World, state: BabyAIState, cell: number): number {
  if (world.walls[cell] !== 0) return WALL;
  const thing = state.cells.indexOf(cell);
  if (thing >= 0) return FIRST_ENTITY + thing;
  const door = world.doors.findIndex((door) => door.cell === cell);
  return door < 0 ? EMPTY : FIRST_ENTITY + state.cells.length + door;
}

/** Takes the primitive steps of a turn until the last one or the end of the mission. */
export function perform(world: World, state: BabyAIState, ops: readonly Op[]): BabyAIState {
  let now = state;
  let trail = '';
  for (const op of ops) {
    const then = after(world, now, op);
    const done = progress(world, now, then, op);
    now = done === then.done ? then : { ...then, done };
    trail += op.charAt(0);
    if (accomplished(world.mission, done)) break;
  }
  return { ...now, trail, turn: state.turn + 1 };
}
