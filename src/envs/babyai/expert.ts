/**
 * The expert: it knows the whole world, and acts by what can be said. It plans over the world's cells
 * with the agent's heading; doors, things in the way and a missing key have a price there, and the
 * first obstacle on the cheapest way becomes the next thing to do.
 */
import type { Demonstration } from '../types.ts';
import { hasKey, type Situation } from './actions.ts';
import { openClauses } from './mission.ts';
import { canEnter, canFace, see } from './sight.ts';
import { DROP, MOVE_FORWARD, TOGGLE, TURN_LEFT, TURN_RIGHT, type Verb } from './text.ts';
import { type Means, type Reason, thoughtOf } from './thoughts.ts';
import {
  adjacent,
  type BabyAIState,
  CLOSED,
  type Clause,
  cellOf,
  doorState,
  EMPTY,
  FIRST_ENTITY,
  LOCKED,
  OPEN,
  offset,
  turnedLeft,
  turnedRight,
  WALL,
  type World,
} from './world.ts';

/** What the expert does next, and why. */
interface Decision {
  readonly action: string;
  readonly reason: Reason;
}

/** What a part of a plan comes to: an action, or that there is no way to do it. */
type Attempt = Decision | 'blocked';

const FAR = 1_000_000;
/** Picking a thing up that is in the way, and putting it down somewhere. */
const UNBLOCK = 12;
/** The same with something in hand that must be put down first and fetched again. */
const UNBLOCK_LADEN = 30;
/** Fetching a key. */
const UNLOCK = 80;

/** Obstacles behind obstacles that are looked at. */
const DEEPEST = 6;

/** What a search may run into. */
interface Prices {
  /** Entering the cell of a thing. */
  readonly thing: number;
  /** Entering a locked door whose key is not in hand. */
  readonly lock: number;
}

const NO_OBSTACLES: Prices = { thing: FAR, lock: FAR };

/** A way over the world's cells: where it runs, and the stand it ends at. */
interface Way {
  /** Cells entered, in order. */
  readonly cells: readonly number[];
  /** What the first primitive step is; null where the agent is there already. */
  readonly first: 'left' | 'right' | 'forward' | null;
  /** The cell that is faced at the end. */
  readonly faced: number;
}

/** What a key stands for, worked out once. */
function remember<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

class Planner {
  readonly world: World;
  readonly state: BabyAIState;
  readonly look: Situation;
  readonly grid: Uint8Array;
  readonly #knownEntries = new Map<string, Int32Array>();
  readonly #knownCosts = new Map<string, Int32Array>();
  constructor(world: World, state: BabyAIState, look: Situation) {
    this.world = world;
    this.state = state;
    this.look = look;
    this.grid = look.grid;
  }

  #code(cell: number): number {
    return this.grid[cell] ?? WALL;
  }

  #cell(entity: number): number {
    return cellOf(this.world, this.state, entity);
  }

  #isThing(code: number): boolean {
    return code >= FIRST_ENTITY && code < FIRST_ENTITY + this.world.things.length;
  }

  #door(code: number): number {
    return code - FIRST_ENTITY - this.world.things.length;
  }

  #isShut(code: number): boolean {
    return code >= FIRST_ENTITY && !this.#isThing(code) && this.#doorState(code) !== OPEN;
  }

  #doorState(code: number): number | undefined {
    return doorState(this.world, this.state, code);
  }

  /** Whether a door is locked and its key not in hand. */
  #needsKey(code: number): boolean {
    return this.#doorState(code) === LOCKED && !hasKey(this.world, this.state, this.#door(code));
  }

  #enterCost(cell: number, prices: Prices): number {
    const code = this.#code(cell);
    if (code === EMPTY) return 1;
    if (code === WALL) return FAR;
    if (this.#isThing(code)) return 1 + prices.thing;
    if (this.#needsKey(code)) return 2 + prices.lock;
    return this.#isShut(code) ? 2 : 1;
  }

  /** (side·side) the cost of entering each cell. */
  #entries(prices: Prices): Int32Array {
    return remember(this.#knownEntries, `${prices.thing} ${prices.lock}`, () =>
      Int32Array.from(this.grid, (_, cell) => this.#enterCost(cell, prices)),
    );
  }

  /** Costs from every stand (cell·4 + heading) to the nearest one that faces a target. */
  #costs(targets: readonly number[], prices: Prices): Int32Array {
    return remember(this.#knownCosts, `${targets.join()} ${prices.thing} ${prices.lock}`, () =>
      this.#search(targets, this.#entries(prices)),
    );
  }

  /** Dijkstra's algorithm from the targets backwards. Turning costs 1. */
  #search(targets: readonly number[], entries: Int32Array): Int32Array {
    const { side } = this.world;
    const costs = new Int32Array(side * side * 4).fill(FAR);
    const buckets: number[][] = [];
    const reach = (node: number, cost: number) => {
      if (cost >= (costs[node] ?? 0)) return;
      costs[node] = cost;
      const bucket = buckets[cost];
      if (bucket === undefined) buckets[cost] = [node];
      else bucket.push(node);
    };
    for (const target of targets) {
      for (let heading = 0; heading < 4; heading++) {
        const stand = target - offset(side, heading);
        if (this.#code(stand) !== WALL) reach(stand * 4 + heading, 0);
      }
    }
    for (let cost = 0; cost < buckets.length; cost++) {
      for (const node of buckets[cost] ?? []) {
        if (costs[node] !== cost) continue;
        const cell = node >> 2;
        const heading = node & 3;
        reach(cell * 4 + turnedLeft(heading), cost + 1);
        reach(cell * 4 + turnedRight(heading), cost + 1);
        const enter = entries[cell] ?? FAR;
        const behind = cell - offset(side, heading);
        if (enter < FAR && this.grid[behind] !== WALL) reach(behind * 4 + heading, cost + enter);
      }
    }
    return costs;
  }

  /** The cheapest way from a stand to face a target; null where there is none. */
  #follow(costs: Int32Array, stand: number, prices: Prices): Way | null {
    const { side } = this.world;
    let cost = costs[stand] ?? FAR;
    if (cost >= FAR) return null;
    let first: Way['first'] = null;
    const cells: number[] = [];
    let node = stand;
    while (cost > 0) {
      const cell = node >> 2;
      const heading = node & 3;
      const ahead = cell + offset(side, heading);
      const left = cell * 4 + turnedLeft(heading);
      const right = cell * 4 + turnedRight(heading);
      const onward = ahead * 4 + heading;
      let op: 'left' | 'right' | 'forward';
      // Turning first shows more of the room.
      if (costs[left] === cost - 1) op = 'left';
      else if (costs[right] === cost - 1) op = 'right';
      else op = 'forward';
      node = op === 'left' ? left : op === 'right' ? right : onward;
      if (op === 'forward') cells.push(ahead);
      const rest = costs[node] ?? FAR;
      const enter = op === 'forward' ? (this.#entries(prices)[ahead] ?? FAR) : 1;
      if (rest + enter !== cost) return null;
      first ??= op;
      cost = rest;
    }
    return { cells, first, faced: (node >> 2) + offset(side, node & 3) };
  }

  #stand(): number {
    return this.state.position * 4 + this.state.direction;
  }

  #prices(isCarryingNeeded: boolean): Prices {
    return { thing: isCarryingNeeded ? UNBLOCK_LADEN : UNBLOCK, lock: UNLOCK };
  }

  /** Cells of the cheapest way from a cell to face a target, things in the way or not. */
  #route(from: number, targets: readonly number[]): readonly number[] {
    const prices = this.#prices(false);
    const costs = this.#costs(targets, prices);
    let best: Way | null = null;
    let least = FAR;
    for (let heading = 0; heading < 4; heading++) {
      const cost = costs[from * 4 + heading] ?? FAR;
      if (cost < least) {
        least = cost;
        best = this.#follow(costs, from * 4 + heading, prices);
      }
    }
    return best === null ? [] : [...best.cells, best.faced];
  }

  /** The action on an entity, where it is admissible now. */
  #actionOn(entity: number, verb: Verb): string | null {
    const k = this.look.sight.entities.findIndex((seen) => seen.entity === entity);
    const text = this.look.names[k]?.actions[verb];
    return text !== undefined && this.look.actions.includes(text) ? text : null;
  }

  isSeen(entity: number): boolean {
    return this.look.sight.entities.some((seen) => seen.entity === entity);
  }

  /** The turn that brings an entity into sight with a way to it, where one turn does. */
  #turnTowards(entity: number): 'left' | 'right' | null {
    for (const turn of ['left', 'right'] as const) {
      const direction =
        turn === 'left' ? turnedLeft(this.state.direction) : turnedRight(this.state.direction);
      const sight = see(this.world, { ...this.state, direction }, this.grid);
      const seen = sight.entities.find((seen) => seen.entity === entity);
      if (seen === undefined) continue;
      if (canFace(sight, seen.at) !== 'no' || canEnter(sight, seen.at)) return turn;
    }
    return null;
  }

  /**
   * Goes on towards a target until it is faced; `null` when it is. Obstacles on the way become the
   * next thing to do.
   *
   * @param verb The action that would do all of it, where the target is an entity.
   * @param needed Whether what is carried is needed there.
   */
  #approach(
    targets: readonly number[],
    verb: Verb | null,
    needed: boolean,
    reason: Reason,
    prices: Prices = this.#prices(needed),
    depth = 0,
  ): Attempt | null {
    const costs = this.#costs(targets, prices);
    const way = this.#follow(costs, this.#stand(), prices);
    if (way === null) return 'blocked';
    const last = this.#code(way.faced) - FIRST_ENTITY;
    if (way.first === null) return null;

    const path = [...way.cells, way.faced];
    const clearance = this.#clear(way.cells, path, depth);
    if (clearance !== null) return clearance;

    if (verb !== null && last >= 0) {
      const text = this.#actionOn(last, verb);
      if (text !== null) return { action: text, reason };
    }
    const doorCell = way.cells.find((cell) => this.#code(cell) >= FIRST_ENTITY);
    const door = doorCell === undefined ? null : this.#code(doorCell) - FIRST_ENTITY;
    if (door !== null) {
      for (const through of ['go through', 'toggle and go through'] as const) {
        const text = this.#actionOn(door, through);
        const by: Means = { kind: 'door', door, opens: through !== 'go through' };
        if (text !== null) return { action: text, reason: { ...reason, by } };
      }
    }
    const waypoint = door ?? (verb !== null && last >= 0 ? last : null);
    let op = way.first;
    if (waypoint !== null && !this.isSeen(waypoint)) {
      const turn = this.#turnTowards(waypoint);
      if (turn !== null && this.#leadsTo(costs, turn, prices, doorCell ?? way.faced)) op = turn;
    }
    const isLost = waypoint !== null && !this.isSeen(waypoint);
    const by: Means = { kind: op === 'forward' ? 'move' : isLost ? 'look' : 'turn' };
    return {
      action: op === 'left' ? TURN_LEFT : op === 'right' ? TURN_RIGHT : MOVE_FORWARD,
      reason: { ...reason, by },
    };
  }

  /**
   * Deals with the first thing or locked door on a way, wherever on it: what is done must not depend
   * on how far the agent has come, or it would turn back and forth. Null where the way is free.
   *
   * @param kept Cells on which nothing may be put down meanwhile.
   */
  #clear(way: readonly number[], kept: readonly number[], depth: number): Attempt | null {
    for (const cell of way) {
      const code = this.#code(cell);
      const isLocked = this.#needsKey(code);
      if (!isLocked && !this.#isThing(code)) continue;
      if (depth >= DEEPEST) return 'blocked';
      if (isLocked) return this.#fetchKey(this.#door(code), depth + 1);
      const entity = code - FIRST_ENTITY;
      return this.#take([entity], kept, { kind: 'clear', entity }, depth + 1);
    }
    return null;
  }

  /**
   * Makes a way free that is to be gone with something in the hands: clears it, and opens a locked
   * door whose key is in hand. Null where it is free.
   */
  #prepare(way: readonly number[], depth: number): Attempt | null {
    for (const cell of way) {
      const code = this.#code(cell);
      if (this.#doorState(code) !== LOCKED) continue;
      const door = this.#door(code);
      if (!hasKey(this.world, this.state, door)) break;
      const entity = this.world.things.length + door;
      const reason: Reason = { kind: 'unlock', entity, to: this.state.carrying ?? 0 };
      const approach = this.#approach(
        [cell],
        'toggle and go through',
        true,
        reason,
        this.#prices(true),
        depth,
      );
      return approach ?? { action: TOGGLE, reason };
    }
    return this.#clear(way, way, depth);
  }

  /** Whether the way after a turn still leads through or to a cell. */
  #leadsTo(costs: Int32Array, turn: 'left' | 'right', prices: Prices, cell: number): boolean {
    const { position, direction } = this.state;
    const turned = turn === 'left' ? turnedLeft(direction) : turnedRight(direction);
    const way = this.#follow(costs, position * 4 + turned, prices);
    return way !== null && (way.cells.includes(cell) || way.faced === cell);
  }

  /**
   * Takes one of some things into the hands.
   *
   * @param onward Cells on which nothing may be put down meanwhile.
   */
  #take(
    entities: readonly number[],
    onward: readonly number[],
    reason: Reason,
    depth: number,
    prices: Prices = this.#prices(false),
  ): Attempt {
    const cells = entities.map((entity) => this.#cell(entity)).filter((cell) => cell >= 0);
    if (cells.length === 0) return 'blocked';
    if (this.state.carrying !== null) {
      const route = this.#route(this.state.position, cells);
      // The key in hand may be the one to get there.
      const isKeyNeeded = route.some((cell) => this.#doorState(this.#code(cell)) === LOCKED);
      if (!isKeyNeeded) return this.#putDown([...onward, ...route]);
    }
    const approach = this.#approach(cells, 'pick up', false, reason, prices, depth);
    if (approach !== null) return approach;
    const ahead = this.#code(this.state.position + offset(this.world.side, this.state.direction));
    const text = this.#actionOn(ahead - FIRST_ENTITY, 'pick up');
    return text === null ? 'blocked' : { action: text, reason };
  }

  /** Puts down what is carried, off the ways that are needed and off doorways where it can. */
  #putDown(ways: readonly number[]): Attempt {
    const { side } = this.world;
    const reason: Reason = { kind: 'rid', entity: this.state.carrying ?? 0 };
    const atDoor = (cell: number) =>
      this.world.doors.some((door) => adjacent(side, cell, door.cell));
    const free: number[] = [];
    for (let cell = 0; cell < side * side; cell++) {
      if (this.#code(cell) === EMPTY) free.push(cell);
    }
    for (const suits of [
      (cell: number) => !ways.includes(cell) && !atDoor(cell),
      (cell: number) => !ways.includes(cell),
      () => true,
    ]) {
      const cells = free.filter((cell) => suits(cell));
      const decision = this.#dropAt(cells, reason);
      if (decision !== 'blocked') return decision;
    }
    return 'blocked';
  }

  /** Drops what is carried on one of some empty cells. */
  #dropAt(cells: readonly number[], reason: Reason, prices: Prices = NO_OBSTACLES): Attempt {
    const approach = this.#approach(cells, null, true, reason, prices);
    return approach ?? { action: DROP, reason };
  }

  #fetchKey(door: number, depth: number): Attempt {
    const { world } = this;
    const color = world.doors[door]?.color;
    const keys = world.things.flatMap((thing, k) =>
      thing.kind === 'key' && thing.color === color ? [k] : [],
    );
    const lying = keys.filter((key) => this.#cell(key) >= 0);
    const key = this.#nearest(lying);
    const onward = this.#route(this.#cell(key), [world.doors[door]?.cell ?? 0]);
    const clearance = this.#clear(onward.slice(0, -1), onward, depth);
    if (clearance !== null) return clearance;
    const reason: Reason = { kind: 'key', entity: key, to: world.things.length + door };
    return this.#take([key], onward, reason, depth, { thing: UNBLOCK, lock: FAR });
  }

  /** What to do for a clause. */
  decide(clause: Clause): Attempt {
    switch (clause.kind) {
      case 'goto':
        return this.#goTo(clause.targets);
      case 'pickup':
        return this.#pickUp(clause.targets);
      case 'open':
        return this.#open(clause.targets);
      case 'putnext':
        return this.#putNext(clause.targets, clause.fixed);
      default:
        return clause satisfies never;
    }
  }

  /** The entity of some whose cell a way to face them ends at; the first where there is no way. */
  #nearest(entities: readonly number[]): number {
    const cells = entities.map((entity) => this.#cell(entity));
    const prices = this.#prices(false);
    const way = this.#follow(this.#costs(cells, prices), this.#stand(), prices);
    const k = way === null ? 0 : cells.indexOf(way.faced);
    return entities[Math.max(0, k)] ?? 0;
  }

  #goTo(targets: readonly number[]): Attempt {
    const lying = targets.filter((entity) => this.#cell(entity) >= 0);
    // What is in the agent's hands is in front of it once it is put down.
    if (lying.length === 0) return this.#putDown([]);
    const reason: Reason = { kind: 'goto', entity: this.#nearest(lying) };
    const cells = lying.map((entity) => this.#cell(entity));
    const approach = this.#approach(cells, 'go to', false, reason);
    // Facing it already counts only after an action.
    return approach ?? { action: TURN_LEFT, reason: { ...reason, by: { kind: 'turn' } } };
  }

  #pickUp(targets: readonly number[]): Attempt {
    const lying = targets.filter((entity) => this.#cell(entity) >= 0);
    if (lying.length === 0) return this.#putDown([]);
    const reason: Reason = { kind: 'pickup', entity: this.#nearest(lying) };
    return this.#take(lying, [], reason, 0);
  }

  #open(targets: readonly number[]): Attempt {
    const { things } = this.world;
    const doors = targets.map((entity) => entity - things.length);
    const shut = doors.filter((door) => this.state.doors[door] === CLOSED);
    const unlockable = doors.filter(
      (door) => this.state.doors[door] === LOCKED && hasKey(this.world, this.state, door),
    );
    const ready = [...shut, ...unlockable];
    const open = doors.filter((door) => this.state.doors[door] === OPEN);
    const locked = doors.filter((door) => this.state.doors[door] === LOCKED);
    const choice = ready.length > 0 ? ready : open;
    const [firstLocked] = locked;
    if (choice.length === 0) {
      return firstLocked === undefined ? 'blocked' : this.#fetchKey(firstLocked, 0);
    }
    const entities = choice.map((door) => things.length + door);
    const cells = entities.map((entity) => this.#cell(entity));
    const entity = this.#nearest(entities);
    const verb = ready.length > 0 ? 'toggle and go through' : 'go to';
    const kind = ready.length > 0 ? 'open' : 'close';
    const reason: Reason = { kind, entity };
    const approach = this.#approach(cells, verb, unlockable.length > 0, reason);
    return approach ?? { action: TOGGLE, reason };
  }

  #putNext(targets: readonly number[], fixed: readonly number[]): Attempt {
    const { side } = this.world;
    const { carrying } = this.state;
    const places = fixed.map((entity) => this.#cell(entity)).filter((cell) => cell >= 0);
    // The only thing to put it next to is in the agent's hands.
    if (places.length === 0) return this.#putDown([]);
    const goal = this.#nearest(fixed.filter((entity) => this.#cell(entity) >= 0));
    const isBeside = (cell: number) => places.some((place) => adjacent(side, place, cell));
    if (carrying !== null && targets.includes(carrying)) {
      const cells: number[] = [];
      for (let cell = 0; cell < side * side; cell++) {
        if (this.#code(cell) === EMPTY && isBeside(cell)) cells.push(cell);
      }
      const reason: Reason = { kind: 'bring', entity: carrying, to: goal };
      const drop = this.#dropAt(cells, reason, this.#prices(true));
      return drop === 'blocked' ? this.#makeRoom(places) : drop;
    }
    const lying = targets.filter((entity) => this.#cell(entity) >= 0);
    const nearest = this.#nearest(lying);
    const onward = this.#route(this.#cell(nearest), places);
    const preparation = this.#prepare(onward.slice(0, -1), 0);
    if (preparation !== null) return preparation;
    return this.#take([nearest], onward, { kind: 'fetch', entity: nearest, to: goal }, 0);
  }

  /** Everything around a place is taken: takes one thing away. */
  #makeRoom(places: readonly number[]): Attempt {
    const { side } = this.world;
    const around = places.flatMap((place) =>
      [0, 1, 2, 3].map((direction) => place + offset(side, direction)),
    );
    const things = around
      .filter((cell) => this.#isThing(this.#code(cell)) && !places.includes(cell))
      .map((cell) => this.#code(cell) - FIRST_ENTITY);
    if (things.length === 0) return 'blocked';
    const entity = this.#nearest(things);
    return this.#take([entity], around, { kind: 'clear', entity }, 1);
  }
}

/**
 * The expert's next action with its reason in words; null where it knows none.
 *
 * @param look What `situation` tells of the state.
 */
export function decide(world: World, state: BabyAIState, look: Situation): Demonstration | null {
  const planner = new Planner(world, state, look);
  for (const clause of openClauses(world.mission, state.done)) {
    const decision = planner.decide(clause);
    if (decision === 'blocked') continue;
    const { action, reason } = decision;
    return { thought: thoughtOf(world, reason, (entity) => planner.isSeen(entity)), action };
  }
  return null;
}
