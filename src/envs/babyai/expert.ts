/**
 * The expert. It knows the whole layout and acts with the environment's actions. It plans paths over cells
 * and headings; doors, blocking objects and missing keys add to the cost of a path. The first obstacle on the
 * cheapest path becomes the next subtask.
 */
import type { Demonstration } from '../types.ts';
import { hasKey, opsOf, perform, type Situation } from './actions.ts';
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

/** The expert's next action and its reason. */
interface Decision {
  readonly action: string;
  readonly reason: Reason;
}

/** An action, or `blocked` if this part of the plan is impossible. */
type Attempt = Decision | 'blocked';

const FAR = 1_000_000;
/** Picking up a thing that blocks the path, and putting it down elsewhere. */
const UNBLOCK = 12;
/** The same with full hands: what is carried must be put down first and fetched again. */
const UNBLOCK_LADEN = 30;
/** Fetching a key. */
const UNLOCK = 80;

/** Putting something down where it will block the path later. */
const BLOCKING = 40;
/** Putting something down next to another thing, where the two may block a path together. */
const CROWDING = 1;
/** To drop a thing beside another, the expert uses `go to` only if that saves more steps than this. */
const MOST_STEPS_ASIDE = 3;
/** Maximum distance of the cells considered for putting something down. */
const NEARBY = 8;

/** Costs of entering obstacles. */
interface Prices {
  /** Entering the cell of a thing. */
  readonly thing: number;
  /** Entering a locked door without its key. */
  readonly lock: number;
}

const NO_OBSTACLES: Prices = { thing: FAR, lock: FAR };

/** A path over cells, and the pose at its end. */
interface Way {
  /** Cells entered, in order. */
  readonly cells: readonly number[];
  /** First primitive step; null if the agent is already there. */
  readonly first: 'left' | 'right' | 'forward' | null;
  /** The cell faced at the end. */
  readonly faced: number;
}

/** A pose, cell·4 + heading, where a search may end, and the remaining cost there. */
interface End {
  readonly stand: number;
  readonly cost: number;
}

/** The value of a key, computed once. */
function remember<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** Manhattan distance between two cells. */
function distance(side: number, a: number, b: number): number {
  const rows = Math.abs(Math.floor(a / side) - Math.floor(b / side));
  return rows + Math.abs((a % side) - (b % side));
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

  /** Whether a door is locked and the agent does not carry its key. */
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
    return remember(this.#knownEntries, `${prices.thing} ${prices.lock}`, () => {
      const entries = new Int32Array(this.grid.length);
      for (let cell = 0; cell < entries.length; cell++) {
        entries[cell] = this.#enterCost(cell, prices);
      }
      return entries;
    });
  }

  /** Costs from every pose (cell·4 + heading) to the nearest one that faces a target. */
  #costs(targets: readonly number[], prices: Prices): Int32Array {
    return remember(this.#knownCosts, `${targets.join()} ${prices.thing} ${prices.lock}`, () => {
      const ends: End[] = [];
      for (const target of targets) {
        for (let heading = 0; heading < 4; heading++) {
          const cell = target - offset(this.world.side, heading);
          if (this.#code(cell) !== WALL) ends.push({ stand: cell * 4 + heading, cost: 0 });
        }
      }
      return this.#search(ends, this.#entries(prices));
    });
  }

  /**
   * Costs from every pose to an end, by Dijkstra's algorithm from the ends backwards. They do not depend on
   * the agent's position, so following the path never makes another path cheaper.
   */
  #search(ends: readonly End[], entries: Int32Array): Int32Array {
    const { side } = this.world;
    const stands = side * side * 4;
    const costs = new Int32Array(stands).fill(FAR);
    // Poses by cost, as linked lists: a bucket holds 1 + the index of its last pose, or 0 if it is empty.
    const buckets: number[] = [];
    const reached = new Int32Array(stands * 3 + ends.length);
    const before = new Int32Array(reached.length);
    let count = 0;
    const reach = (node: number, cost: number) => {
      if (cost >= (costs[node] ?? 0)) return;
      costs[node] = cost;
      while (buckets.length <= cost) buckets.push(0);
      reached[count] = node;
      before[count] = buckets[cost] ?? 0;
      count += 1;
      buckets[cost] = count;
    };
    for (const { stand, cost } of ends) reach(stand, cost);
    for (let cost = 0; cost < buckets.length; cost++) {
      for (let place = buckets[cost] ?? 0; place > 0; place = before[place - 1] ?? 0) {
        const node = reached[place - 1] ?? 0;
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

  /**
   * The cheapest path from a pose; null if there is none.
   * @param ends possible ends, by pose; by default all poses without remaining cost
   */
  #follow(
    costs: Int32Array,
    stand: number,
    entries: Int32Array,
    ends?: ReadonlyMap<number, number>,
  ): Way | null {
    const { side } = this.world;
    let cost = costs[stand] ?? FAR;
    if (cost >= FAR) return null;
    let first: Way['first'] = null;
    const cells: number[] = [];
    let node = stand;
    while (ends === undefined ? cost > 0 : ends.get(node) !== cost) {
      const cell = node >> 2;
      const heading = node & 3;
      const ahead = cell + offset(side, heading);
      const left = cell * 4 + turnedLeft(heading);
      const right = cell * 4 + turnedRight(heading);
      // Prefer turns to moves, because a turn reveals more of the room.
      if (costs[left] === cost - 1) {
        first ??= 'left';
        node = left;
      } else if (costs[right] === cost - 1) {
        first ??= 'right';
        node = right;
      } else {
        first ??= 'forward';
        node = ahead * 4 + heading;
        cells.push(ahead);
        if ((costs[node] ?? FAR) + (entries[ahead] ?? FAR) !== cost) return null;
      }
      cost = costs[node] ?? FAR;
    }
    return { cells, first, faced: (node >> 2) + offset(side, node & 3) };
  }

  #stand(): number {
    return this.state.position * 4 + this.state.direction;
  }

  #prices(isCarryingNeeded: boolean): Prices {
    return { thing: isCarryingNeeded ? UNBLOCK_LADEN : UNBLOCK, lock: UNLOCK };
  }

  /** The path to face a target from a cell, with the best heading. */
  #route(
    from: number,
    targets: readonly number[],
    prices: Prices = this.#prices(false),
  ): { readonly cells: readonly number[]; readonly cost: number } {
    const costs = this.#costs(targets, prices);
    let stand = from * 4;
    for (let heading = 1; heading < 4; heading++) {
      const other = from * 4 + heading;
      if ((costs[other] ?? FAR) < (costs[stand] ?? FAR)) stand = other;
    }
    const way = this.#follow(costs, stand, this.#entries(prices));
    return { cells: way === null ? [] : [...way.cells, way.faced], cost: costs[stand] ?? FAR };
  }

  /** The action on an entity, if it is admissible now. */
  #actionOn(entity: number, verb: Verb): string | null {
    const k = this.look.sight.entities.findIndex((seen) => seen.entity === entity);
    const text = this.look.names[k]?.actions[verb];
    return text !== undefined && this.look.actions.includes(text) ? text : null;
  }

  isSeen(entity: number): boolean {
    return this.look.sight.entities.some((seen) => seen.entity === entity);
  }

  /** The turn that brings an entity and a path to it into view; null if one turn does not suffice. */
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
   * Moves towards a target until the agent faces it; `null` if it already does. The first obstacle on the
   * path is dealt with first, wherever it is, so that decisions do not depend on how far the agent has come.
   * @param verb the action that covers the whole approach, if the target is an entity
   * @param needed whether the carried thing is needed there
   */
  #approach(
    targets: readonly number[],
    verb: Verb | null,
    needed: boolean,
    reason: Reason,
    prices: Prices = this.#prices(needed),
  ): Attempt | null {
    const costs = this.#costs(targets, prices);
    const entries = this.#entries(prices);
    const way = this.#follow(costs, this.#stand(), entries);
    if (way === null) return 'blocked';
    if (way.first === null) return null;

    const k = way.cells.findIndex((cell) => this.#isObstacle(this.#code(cell)));
    const obstacle = this.#code(way.cells[k] ?? -1);
    if (k < 0) {
      const faced = this.#code(way.faced) - FIRST_ENTITY;
      const goal = verb === null || faced < 0 ? null : { entity: faced, verb };
      return this.#goOn(way, way.cells, goal, reason, (turn) =>
        this.#follow(costs, this.#turnedStand(turn), entries),
      );
    }
    if (!this.#isThing(obstacle)) return this.#fetchKey(this.#door(obstacle));
    if (this.state.carrying !== null) return this.#putDown(targets, []);
    const entity = obstacle - FIRST_ENTITY;
    return this.#goOn(
      way,
      way.cells.slice(0, k),
      { entity, verb: 'pick up' },
      { kind: 'clear', entity },
      (turn) => this.#follow(costs, this.#turnedStand(turn), entries),
    );
  }

  /** Whether a path reaches a cell without an obstacle before it. */
  #isFreeTo(cell: number, { cells, faced }: Way): boolean {
    const way = [...cells, faced];
    const free = way.findIndex((cell) => this.#isObstacle(this.#code(cell)));
    const k = way.indexOf(cell);
    return k >= 0 && (free < 0 || k <= free);
  }

  /** Whether a cell with this code must be cleared, or unlocked with a missing key. */
  #isObstacle(code: number): boolean {
    return this.#isThing(code) || this.#needsKey(code);
  }

  #turnedStand(turn: 'left' | 'right'): number {
    const { position, direction } = this.state;
    return position * 4 + (turn === 'left' ? turnedLeft(direction) : turnedRight(direction));
  }

  /**
   * The next action on a free path: one that reaches the goal, one that goes through the next door, or a
   * primitive step, preferably one that reveals where to go.
   * @param cells the part of the path to follow
   * @param goal the entity and the verb of the action that reaches the goal, if there is one
   * @param wayAfter the path that would follow a turn
   */
  #goOn(
    way: Way,
    cells: readonly number[],
    goal: { readonly entity: number; readonly verb: Verb } | null,
    reason: Reason,
    wayAfter: (turn: 'left' | 'right') => Way | null,
  ): Decision {
    const whole = goal === null ? null : this.#actionOn(goal.entity, goal.verb);
    if (whole !== null) return { action: whole, reason };
    const doorCell = cells.find((cell) => this.#code(cell) >= FIRST_ENTITY);
    const door = doorCell === undefined ? null : this.#code(doorCell) - FIRST_ENTITY;
    if (door !== null) {
      for (const through of ['go through', 'toggle and go through'] as const) {
        const text = this.#actionOn(door, through);
        const by: Means = { kind: 'door', door, opens: through !== 'go through' };
        if (text !== null) return { action: text, reason: { ...reason, by } };
      }
    }
    const waypoint = door ?? goal?.entity ?? null;
    const isLost = waypoint !== null && !this.isSeen(waypoint);
    let op = way.first ?? 'left';
    if (isLost) {
      const cell = this.#cell(waypoint);
      const turn = this.#turnTowards(waypoint);
      const then = turn === null ? null : wayAfter(turn);
      // The turn must not make another path the cheapest one.
      if (turn !== null && then !== null && this.#isFreeTo(cell, then)) op = turn;
    }
    const by: Means = { kind: op === 'forward' ? 'move' : isLost ? 'look' : 'turn' };
    return {
      action: op === 'left' ? TURN_LEFT : op === 'right' ? TURN_RIGHT : MOVE_FORWARD,
      reason: { ...reason, by },
    };
  }

  /**
   * Clears a path that will be walked with full hands: opens a locked door whose key is carried, or deals
   * with the first obstacle. Null if the path is free.
   */
  #prepare(way: readonly number[]): Attempt | null {
    for (const cell of way) {
      const code = this.#code(cell);
      if (this.#isThing(code)) {
        const entity = code - FIRST_ENTITY;
        return this.#take([entity], way, { kind: 'clear', entity });
      }
      if (this.#doorState(code) !== LOCKED) continue;
      const door = this.#door(code);
      if (!hasKey(this.world, this.state, door)) return this.#fetchKey(door);
      const entity = this.world.things.length + door;
      const reason: Reason = { kind: 'unlock', entity, to: this.state.carrying ?? 0 };
      const approach = this.#approach([cell], 'toggle and go through', true, reason);
      return approach ?? { action: TOGGLE, reason };
    }
    return null;
  }

  /**
   * Picks up one of several things.
   * @param onward the path to walk with it; nothing is put down there
   */
  #take(
    entities: readonly number[],
    onward: readonly number[],
    reason: Reason,
    prices: Prices = this.#prices(false),
  ): Attempt {
    const cells = entities.map((entity) => this.#cell(entity)).filter((cell) => cell >= 0);
    if (cells.length === 0) return 'blocked';
    if (this.state.carrying !== null) {
      const route = this.#route(this.state.position, cells).cells;
      // The carried key may be needed to get there.
      const isKeyNeeded = route.some((cell) => this.#doorState(this.#code(cell)) === LOCKED);
      if (!isKeyNeeded) return this.#putDown(cells, onward);
    }
    const approach = this.#approach(cells, 'pick up', false, reason, prices);
    if (approach !== null) return approach;
    const ahead = this.#code(this.state.position + offset(this.world.side, this.state.direction));
    const text = this.#actionOn(ahead - FIRST_ENTITY, 'pick up');
    return text === null ? 'blocked' : { action: text, reason };
  }

  /**
   * Puts down what is carried where the cost is lowest: the path there, the path from there to the next
   * target, and the cost of blocking a path.
   * @param targets cells to face next
   * @param onward cells to keep free for later steps
   */
  #putDown(targets: readonly number[], onward: readonly number[]): Attempt {
    const { world, state } = this;
    const entity = state.carrying;
    if (entity === null) return 'blocked';
    const prices = this.#prices(false);
    const costs = this.#costs(targets, prices);
    const ends = new Map<number, number>();
    for (let cell = 0; cell < this.grid.length; cell++) {
      if (this.#code(cell) !== EMPTY || distance(world.side, cell, state.position) > NEARBY)
        continue;
      const fixedPrice = this.#priceOfBlocking(cell, onward);
      for (let heading = 0; heading < 4; heading++) {
        const from = cell - offset(world.side, heading);
        if (this.#code(from) === WALL || this.#isThing(this.#code(from))) continue;
        const stand = from * 4 + heading;
        const way = this.#follow(costs, stand, this.#entries(prices));
        // From this pose, a single action may cover many steps.
        const rest = way === null ? 0 : Math.floor((costs[stand] ?? 0) / 2);
        const isInWay = way?.cells.includes(cell) ?? false;
        ends.set(stand, rest + fixedPrice + (isInWay ? BLOCKING : 0));
      }
    }
    const entries = this.#entries(NO_OBSTACLES);
    const all = this.#search(
      [...ends].map(([stand, cost]) => ({ stand, cost })),
      entries,
    );
    const way = this.#follow(all, this.#stand(), entries, ends);
    if (way === null) return 'blocked';
    const reason: Reason = { kind: 'rid', entity };
    if (way.first === null) return { action: DROP, reason };
    return this.#goOn(way, way.cells, null, reason, () => null);
  }

  /** Cost of leaving a thing in a cell, where it may block a path later. */
  #priceOfBlocking(cell: number, onward: readonly number[]): number {
    const { side, doors } = this.world;
    const isAtDoor = doors.some((door) => adjacent(side, cell, door.cell));
    const isBesideThing = this.state.cells.some(
      (other) => other >= 0 && adjacent(side, cell, other),
    );
    return (
      (onward.includes(cell) ? BLOCKING : 0) +
      (isAtDoor ? BLOCKING / 2 : 0) +
      (isBesideThing ? CROWDING : 0)
    );
  }

  #fetchKey(door: number): Attempt {
    const { world, state } = this;
    const color = world.doors[door]?.color;
    const doorCell = world.doors[door]?.cell ?? 0;
    const prices: Prices = { thing: UNBLOCK, lock: FAR };
    const keys = world.things.flatMap((thing, key) =>
      thing.kind === 'key' && thing.color === color && this.#cell(key) >= 0 ? [key] : [],
    );
    const reachable = keys.filter(
      (key) => this.#route(state.position, [this.#cell(key)], prices).cost < FAR,
    );
    const key = this.#nearestTo([doorCell], reachable);
    if (key === null) return 'blocked';
    const onward = this.#route(this.#cell(key), [doorCell]).cells;
    const entity = world.things.length + door;
    return (
      this.#prepare(onward.slice(0, -1)) ??
      this.#take([key], onward, { kind: 'key', entity: key, to: entity }, prices)
    );
  }

  /** The entity with the cheapest path from its cell to face a target; null if there is none. */
  #nearestTo(targets: readonly number[], entities: readonly number[]): number | null {
    let nearest: number | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const entity of entities) {
      const { cost } = this.#route(this.#cell(entity), targets);
      if (cost < least) {
        least = cost;
        nearest = entity;
      }
    }
    return nearest;
  }

  /** The next action for a clause. */
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

  /** The entity at the end of the cheapest path to any of these; the first if there is no path. */
  #ahead(entities: readonly number[]): number {
    const cells = entities.map((entity) => this.#cell(entity));
    const prices = this.#prices(false);
    const way = this.#follow(this.#costs(cells, prices), this.#stand(), this.#entries(prices));
    const k = way === null ? 0 : cells.indexOf(way.faced);
    return entities[Math.max(0, k)] ?? 0;
  }

  #lying(entities: readonly number[]): readonly number[] {
    return entities.filter((entity) => this.#cell(entity) >= 0);
  }

  #goTo(targets: readonly number[]): Attempt {
    const lying = this.#lying(targets);
    // The target is carried. Once it is put down, the agent faces it.
    if (lying.length === 0) return this.#putDown([], []);
    const reason: Reason = { kind: 'goto', entity: this.#ahead(lying) };
    const cells = lying.map((entity) => this.#cell(entity));
    const approach = this.#approach(cells, 'go to', false, reason);
    // A target that the agent already faces counts only after an action.
    return approach ?? { action: TURN_LEFT, reason: { ...reason, by: { kind: 'turn' } } };
  }

  #pickUp(targets: readonly number[]): Attempt {
    const lying = this.#lying(targets);
    if (lying.length === 0) return this.#putDown([], []);
    return this.#take(lying, [], { kind: 'pickup', entity: this.#ahead(lying) });
  }

  #open(targets: readonly number[]): Attempt {
    const { things } = this.world;
    const doors = targets.map((entity) => entity - things.length);
    const inState = (wanted: number) => doors.filter((door) => this.state.doors[door] === wanted);
    const locked = inState(LOCKED);
    const unlockable = locked.filter((door) => hasKey(this.world, this.state, door));
    const shut = [...inState(CLOSED), ...unlockable];
    const [firstLocked] = locked;
    const choice = shut.length > 0 ? shut : inState(OPEN);
    if (choice.length === 0) {
      return firstLocked === undefined ? 'blocked' : this.#fetchKey(firstLocked);
    }
    const entities = choice.map((door) => things.length + door);
    const cells = entities.map((entity) => this.#cell(entity));
    const reason: Reason = {
      kind: shut.length > 0 ? 'open' : 'close',
      entity: this.#ahead(entities),
    };
    const verb = shut.length > 0 ? 'toggle and go through' : 'go to';
    const approach = this.#approach(cells, verb, unlockable.length > 0, reason);
    return approach ?? { action: TOGGLE, reason };
  }

  #putNext(targets: readonly number[], fixed: readonly number[]): Attempt {
    const { carrying } = this.state;
    const lying = this.#lying(targets);
    const places = this.#lying(fixed).map((entity) => this.#cell(entity));
    // The only thing to put it next to is being carried.
    if (places.length === 0) {
      return this.#putDown(
        lying.map((entity) => this.#cell(entity)),
        [],
      );
    }
    if (carrying !== null && targets.includes(carrying))
      return this.#bring(carrying, fixed, places);
    const cells = this.#emptyBeside(places);
    if (cells.length === 0) return this.#makeRoom(places);
    // Chosen independently of the agent's position, so that the choice does not change on the way.
    const entity = this.#nearestTo(cells, lying);
    if (entity === null) return 'blocked';
    // The path that will be walked with full hands.
    const onward = this.#route(this.#cell(entity), cells, this.#prices(true)).cells;
    return this.#prepare(onward) ?? this.#take([entity], onward, { kind: 'fetch', entity });
  }

  #emptyBeside(places: readonly number[]): readonly number[] {
    return places.flatMap((place) =>
      [0, 1, 2, 3]
        .map((direction) => place + offset(this.world.side, direction))
        .filter((cell) => this.#code(cell) === EMPTY),
    );
  }

  /** Carries a thing to a cell beside its destination. */
  #bring(entity: number, fixed: readonly number[], places: readonly number[]): Attempt {
    const cells = this.#emptyBeside(places);
    const to = this.#ahead(this.#lying(fixed));
    const reason: Reason = { kind: 'bring', entity, to };
    const nearby = this.#actionOn(to, 'go to');
    if (nearby !== null && this.#saved(nearby, cells, this.#prices(true)) > MOST_STEPS_ASIDE) {
      return { action: nearby, reason: { ...reason, by: { kind: 'move' } } };
    }
    const approach = this.#approach(cells, null, true, reason);
    if (approach === null) return { action: DROP, reason };
    return approach === 'blocked' ? this.#makeRoom(places) : approach;
  }

  /** By how much an action shortens the path to some targets. */
  #saved(action: string, targets: readonly number[], prices: Prices): number {
    const costs = this.#costs(targets, prices);
    const then = perform(this.world, this.state, opsOf(this.look, action));
    const stand = then.position * 4 + then.direction;
    return (costs[this.#stand()] ?? FAR) - (costs[stand] ?? FAR);
  }

  /** Every cell around the destination is occupied: removes one thing. */
  #makeRoom(places: readonly number[]): Attempt {
    const { side } = this.world;
    const around = places.flatMap((place) =>
      [0, 1, 2, 3].map((direction) => place + offset(side, direction)),
    );
    const cell = around.find((cell) => this.#isThing(this.#code(cell)) && !places.includes(cell));
    if (cell === undefined) return 'blocked';
    const entity = this.#code(cell) - FIRST_ENTITY;
    return this.#take([entity], around, { kind: 'clear', entity });
  }
}

/**
 * The expert's next action with its reason in words; null if it knows none.
 * @param look the result of `situation` for the state
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
