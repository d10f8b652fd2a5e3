/** Layouts and missions of the levels, following BabyAI's (Farama Minigrid 3). */
import { type Builder, RejectedWorld, type Room } from './builder.ts';
import type { ClauseKind, LevelId } from './levels.ts';
import { LOCATION_WORDS, LOCATIONS, type Location, missionName } from './text.ts';
import {
  type Clause,
  COLORS,
  type Color,
  type EntityKind,
  KINDS,
  LOCKED,
  type Mission,
  offset,
} from './world.ts';

/** How a mission describes something: its kind, and possibly its color and its location at the start. */
interface Description {
  readonly kind: EntityKind;
  readonly color: Color | null;
  readonly location: Location | null;
}

/** A description and the entities it matches. */
interface Referent {
  readonly text: string;
  readonly entities: readonly number[];
}

/** A clause and its text. */
interface Phrase {
  readonly text: string;
  readonly clause: Clause;
}

/** The entities that a description matches. Locations are relative to the agent, in its room. */
function fitting(builder: Builder, { kind, color, location }: Description): number[] {
  const { things, doors, agent, side } = builder;
  const room = builder.roomOf(agent.cell);
  const ahead = offset(side, agent.direction);
  const aheadRow = Math.abs(ahead) === 1 ? 0 : Math.sign(ahead);
  const aheadColumn = Math.abs(ahead) === 1 ? ahead : 0;
  const row = (cell: number) => Math.floor(cell / side);
  const stands = (cell: number): boolean => {
    if (location === null) return true;
    if (!builder.inRoom(room, cell)) return false;
    const rows = row(cell) - row(agent.cell);
    const columns = (cell % side) - (agent.cell % side);
    const forward = rows * aheadRow + columns * aheadColumn;
    const right = rows * aheadColumn - columns * aheadRow;
    switch (location) {
      case 'front':
        return forward > 0;
      case 'behind':
        return forward < 0;
      case 'left':
        return right < 0;
      case 'right':
        return right > 0;
      default:
        return location satisfies never;
    }
  };
  const entities = [...things, ...doors.map((door) => ({ ...door, kind: 'door' as const }))];
  return entities.flatMap((entity, k) =>
    entity.kind === kind && (color === null || entity.color === color) && stands(entity.cell)
      ? [k]
      : [],
  );
}

/** `the red ball` if it matches one entity, `a red ball` if it matches several. */
function refer(builder: Builder, description: Description): Referent {
  const entities = fitting(builder, description);
  const { kind, color, location } = description;
  const words = [entities.length > 1 ? 'a' : 'the', missionName(color, kind)];
  if (location !== null) words.push(LOCATION_WORDS[location]);
  return { text: words.join(' '), entities };
}

const only = (phrase: Phrase): Mission => ({ text: phrase.text, stages: [[phrase.clause]] });

const CLAUSE_WORDS = { goto: 'go to', pickup: 'pick up', open: 'open' } as const;

function phrase(kind: 'goto' | 'pickup' | 'open', { text, entities }: Referent): Phrase {
  return { text: `${CLAUSE_WORDS[kind]} ${text}`, clause: { kind, targets: entities } };
}

/** A "put next" phrase. Rejects one that is met from the start or puts an object next to itself. */
function putNext(builder: Builder, move: Referent, fixed: Referent): Phrase {
  const { things, doors, side } = builder;
  const cell = (entity: number) =>
    things[entity]?.cell ?? doors[entity - things.length]?.cell ?? -1;
  for (const a of move.entities) {
    for (const b of fixed.entities) {
      const difference = Math.abs(cell(a) - cell(b));
      if (a === b || difference === 1 || difference === side) {
        throw new RejectedWorld('put next is met from the start');
      }
    }
  }
  return {
    text: `put ${move.text} next to ${fixed.text}`,
    clause: { kind: 'putnext', targets: move.entities, fixed: fixed.entities },
  };
}

/** A phrase that names a random thing by color and kind. */
function aboutAny(builder: Builder, kind: 'goto' | 'pickup'): Phrase {
  const { color, kind: what } = builder.draws.of(builder.things);
  return phrase(kind, refer(builder, { kind: what, color, location: null }));
}

/** Options of BabyAI's mission generator. */
interface Language {
  readonly clauses: readonly ClauseKind[];
  readonly sequences: boolean;
  readonly locations: boolean;
  /** Things may block the path. */
  readonly unblocking: boolean;
  /** Missions may need something from the locked room without saying that it must be opened. */
  readonly implicitUnlock: boolean;
}

const MOST_DESCRIPTIONS = 100;

/** Generates missions of every form, as BabyAI's level generator does. */
class Speaker {
  readonly #builder: Builder;
  readonly #language: Language;
  readonly #lockedRoom: Room | null;
  constructor(builder: Builder, language: Language, lockedRoom: Room | null) {
    this.#builder = builder;
    this.#language = language;
    this.#lockedRoom = lockedRoom;
  }

  mission(): Mission {
    const { draws } = this.#builder;
    const form = this.#language.sequences ? draws.of(['clause', 'and', 'sequence']) : 'clause';
    if (form !== 'sequence') {
      const { text, clauses } = this.#stage(form === 'and');
      return { text, stages: [clauses] };
    }
    const a = this.#stage(draws.chance());
    const b = this.#stage(draws.chance());
    return draws.chance()
      ? { text: `${a.text}, then ${b.text}`, stages: [a.clauses, b.clauses] }
      : { text: `${a.text} after you ${b.text}`, stages: [b.clauses, a.clauses] };
  }

  #stage(isPair: boolean): { text: string; clauses: Clause[] } {
    const phrases = isPair ? [this.#phrase(), this.#phrase()] : [this.#phrase()];
    return {
      text: phrases.map(({ text }) => text).join(' and '),
      clauses: phrases.map(({ clause }) => clause),
    };
  }

  #phrase(): Phrase {
    const kind = this.#builder.draws.of(this.#language.clauses);
    switch (kind) {
      case 'goto':
        return phrase(kind, this.#referent([...KINDS, 'door']));
      case 'pickup':
        return phrase(kind, this.#referent(KINDS));
      case 'open':
        return phrase(kind, this.#referent(['door']));
      case 'putnext':
        return putNext(this.#builder, this.#referent(KINDS), this.#referent([...KINDS, 'door']));
      default:
        return kind satisfies never;
    }
  }

  #referent(kinds: readonly EntityKind[]): Referent {
    const { draws } = this.#builder;
    for (let draw = 0; draw < MOST_DESCRIPTIONS; draw++) {
      const color = draws.of([null, ...COLORS]);
      const kind = draws.of(kinds);
      const isPlaced = this.#language.locations && draws.chance();
      const location = isPlaced ? draws.of(LOCATIONS) : null;
      const referent = refer(this.#builder, { kind, color, location });
      if (this.#suits({ kind, color, location }, referent)) return referent;
    }
    throw new RejectedWorld('nothing fits a description');
  }

  #suits({ kind, color }: Description, { entities }: Referent): boolean {
    const { things, doors } = this.#builder;
    if (entities.length === 0) return false;
    const locked = doors.filter(({ state }) => state === LOCKED);
    // A key named in the mission might be needed for a door at the same time.
    const isNeeded = kind === 'key' && locked.some((door) => door.color === color);
    if (isNeeded && this.#language.unblocking) return false;
    const room = this.#lockedRoom;
    if (this.#language.implicitUnlock || room === null) return true;
    return entities.some((entity) => {
      const cell = things[entity]?.cell ?? doors[entity - things.length]?.cell ?? -1;
      return !this.#builder.inRoom(room, cell);
    });
  }
}

/** A locked room, and its key in another. */
function lockRoom(builder: Builder): Room {
  const { draws } = builder;
  const room = builder.anyRoom();
  const color = draws.of(COLORS);
  builder.addDoor(room, builder.anyFreeEdge(room), color, true);
  for (;;) {
    const keyRoom = builder.anyRoom();
    if (keyRoom.column === room.column && keyRoom.row === room.row) continue;
    builder.addThing(keyRoom, 'key', color);
    return room;
  }
}

/** Places the agent in any room but one. */
function placeOutside(builder: Builder, room: Room | null): void {
  for (;;) {
    const start = builder.anyRoom();
    if (room !== null && start.column === room.column && start.row === room.row) continue;
    builder.placeAgent(start);
    return;
  }
}

/** A level with generated missions. */
function spoken(language: Language, hasLockedRooms: boolean): Build {
  return (builder, distractors) => {
    const lockedRoom = hasLockedRooms && builder.draws.chance() ? lockRoom(builder) : null;
    if (builder.rooms > 1) builder.connect(lockedRoom);
    builder.addThings(distractors + 1);
    placeOutside(builder, lockedRoom);
    if (!language.unblocking) builder.requireReachable();
    return new Speaker(builder, language, lockedRoom).mission();
  };
}

/** Fills the rooms and makes a mission. Throws `RejectedWorld`. */
type Build = (builder: Builder, distractors: number) => Mission;

const SINGLE: Room = { column: 0, row: 0 };

/** Layout shared by the levels with a single room. */
function inOneRoom(
  fill: (builder: Builder, distractors: number) => void,
  mission: (builder: Builder) => Mission,
): Build {
  return (builder, distractors) => {
    builder.placeAgent(SINGLE);
    fill(builder, distractors);
    builder.requireReachable();
    return mission(builder);
  };
}

/** The layout of each level, by name. */
export const builds: Readonly<Record<LevelId, Build>> = {
  'goto-red-ball': inOneRoom(
    (builder, distractors) => {
      builder.addThing(SINGLE, 'ball', 'red');
      builder.addThings(distractors);
    },
    (builder) =>
      only(phrase('goto', refer(builder, { kind: 'ball', color: 'red', location: null }))),
  ),
  'goto-obj': inOneRoom(
    (builder, distractors) => builder.addThings(distractors + 1),
    (builder) => only(aboutAny(builder, 'goto')),
  ),
  'goto-local': inOneRoom(
    (builder, distractors) => builder.addThings(distractors + 1),
    (builder) => only(aboutAny(builder, 'goto')),
  ),
  'goto-door': (builder, distractors) => {
    const { draws, middle } = builder;
    for (let direction = 0; direction < 4; direction++) {
      builder.addDoor(middle, direction, draws.of(COLORS), draws.chance());
    }
    builder.addThings(distractors, { room: middle });
    builder.placeAgent(middle);
    const { color } = draws.of(builder.doors);
    return only(phrase('goto', refer(builder, { kind: 'door', color, location: null })));
  },
  'pickup-loc': spoken(
    {
      clauses: ['pickup'],
      sequences: false,
      locations: true,
      unblocking: false,
      implicitUnlock: true,
    },
    false,
  ),
  open: (builder, distractors) => {
    builder.connect(null);
    builder.placeAgent(builder.anyRoom());
    builder.addThings(distractors);
    builder.requireReachable();
    const { color } = builder.draws.of(builder.doors);
    return only(phrase('open', refer(builder, { kind: 'door', color, location: null })));
  },
  'unlock-local': (builder, distractors) => {
    const { draws, middle } = builder;
    const { color } = builder.addDoor(middle, draws.between(0, 3), draws.of(COLORS), true);
    builder.addThing(middle, 'key', color);
    builder.addThings(distractors, { room: middle });
    builder.placeAgent(middle);
    return only(phrase('open', refer(builder, { kind: 'door', color: null, location: null })));
  },
  'put-next-local': inOneRoom(
    (builder, distractors) => builder.addThings(distractors + 2, { unique: true }),
    (builder) => {
      const named = () => {
        const { kind, color } = builder.draws.of(builder.things);
        return refer(builder, { kind, color, location: null });
      };
      return only(putNext(builder, named(), named()));
    },
  ),
  goto: (builder, distractors) => {
    builder.connect(null);
    builder.placeAgent(builder.anyRoom());
    builder.addThings(distractors + 1);
    builder.requireReachable();
    return only(aboutAny(builder, 'goto'));
  },
  'goto-seq': spoken(
    {
      clauses: ['goto'],
      sequences: true,
      locations: false,
      unblocking: false,
      implicitUnlock: true,
    },
    false,
  ),
  synth: spoken(
    {
      clauses: ['goto', 'pickup', 'open', 'putnext'],
      sequences: false,
      locations: false,
      unblocking: true,
      implicitUnlock: false,
    },
    true,
  ),
  'boss-level': spoken(
    {
      clauses: ['goto', 'pickup', 'open', 'putnext'],
      sequences: true,
      locations: true,
      unblocking: true,
      implicitUnlock: true,
    },
    true,
  ),
};

/** Navigations that MiniGrid counts for a mission: two for each "put next" clause, one for any other. */
export function navigations({ stages }: Mission): number {
  return stages.flat().reduce((sum, { kind }) => sum + (kind === 'putnext' ? 2 : 1), 0);
}
