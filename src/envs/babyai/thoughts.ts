/** The reasons that the expert gives, in one or two short sentences. */
import { missionName } from './text.ts';
import { entityOf, type World } from './world.ts';

/** Why the expert takes an action. Entities are indices of things or doors. */
export interface Reason {
  /**
   * The purpose: a clause of the mission, or a step towards one. `fetch` what is to be put next, `bring` it
   * there, `clear` the path, get a `key`, `unlock` a door, get `rid` of what is carried, `close` a door that
   * is to be opened.
   */
  readonly kind:
    | 'goto'
    | 'pickup'
    | 'open'
    | 'close'
    | 'fetch'
    | 'bring'
    | 'clear'
    | 'key'
    | 'unlock'
    | 'rid';
  /** The entity concerned. */
  readonly entity: number;
  /** The entity to put it next to, or the locked door that it is for. */
  readonly to?: number;
  /** How it is done; by default with a single action. */
  readonly by?: Means;
}

/** A step on the way: through a door, a turn to look around or to face something visible, or a move. */
export type Means =
  | { readonly kind: 'door'; readonly door: number; readonly opens: boolean }
  | { readonly kind: 'look' | 'turn' | 'move' };

/** Phrases of the thoughts; each is one lexeme. */
const PHRASES = {
  see: 'I see the',
  notSee: 'I do not see the',
  carry: 'I carry the',
  isLocked: 'is locked.',
  isOpen: 'is already open.',
  inTheWay: 'is in the way.',
  goTo: 'I go to it.',
  pickUp: 'I pick it up.',
  take: 'I pick up the',
  open: 'I open it.',
  close: 'I close it.',
  putDown: 'I put it down.',
  need: 'I need the',
  bring: 'I bring it to the',
  drop: 'I drop it next to the',
  look: 'I look around.',
  turn: 'I turn.',
  move: 'I move on.',
  through: 'I go through the',
  openDoor: 'I open the',
  haveKey: 'I have the',
  the: 'The',
} as const;

/** The additional lexemes of the thoughts. */
export const THOUGHT_PHRASES: readonly string[] = Object.values(PHRASES);

/** The sentence for acting on an entity at once, with nothing else to do first. */
const DOES: Readonly<Record<Exclude<Reason['kind'], 'bring' | 'key'>, string>> = {
  goto: PHRASES.goTo,
  pickup: PHRASES.pickUp,
  open: PHRASES.open,
  close: PHRASES.close,
  fetch: PHRASES.pickUp,
  clear: PHRASES.pickUp,
  unlock: PHRASES.open,
  rid: PHRASES.putDown,
};

/**
 * A reason in words.
 * @param isSeen whether an entity is visible
 */
export function thoughtOf(
  world: World,
  { kind, entity, to, by }: Reason,
  isSeen: (entity: number) => boolean,
): string {
  const name = (entity: number) => {
    const { color, kind } = entityOf(world, entity);
    return missionName(color, kind);
  };
  const means = by === undefined ? null : meansText(by, name);
  const other = to === undefined ? '' : name(to);
  const sight = `${isSeen(entity) ? PHRASES.see : PHRASES.notSee} ${name(entity)}.`;
  switch (kind) {
    case 'bring':
      return `${PHRASES.carry} ${name(entity)}. ${means === null ? PHRASES.drop : PHRASES.bring} ${other}.`;
    case 'rid':
      return `${PHRASES.carry} ${name(entity)}. ${means ?? DOES[kind]}`;
    case 'clear':
      return `${PHRASES.the} ${name(entity)} ${PHRASES.inTheWay} ${means ?? DOES[kind]}`;
    case 'key':
      return means === null
        ? `${PHRASES.the} ${other} ${PHRASES.isLocked} ${PHRASES.take} ${name(entity)}.`
        : `${PHRASES.need} ${name(entity)}. ${means}`;
    case 'unlock':
      return `${PHRASES.haveKey} ${other}. ${means ?? DOES[kind]}`;
    case 'close':
      return means === null
        ? `${PHRASES.the} ${name(entity)} ${PHRASES.isOpen} ${DOES[kind]}`
        : `${sight} ${means}`;
    default:
      return `${sight} ${means ?? DOES[kind]}`;
  }
}

function meansText(means: Means, name: (entity: number) => string): string {
  switch (means.kind) {
    case 'door':
      return `${means.opens ? PHRASES.openDoor : PHRASES.through} ${name(means.door)}.`;
    case 'look':
      return PHRASES.look;
    case 'turn':
      return PHRASES.turn;
    case 'move':
      return PHRASES.move;
    default:
      return means satisfies never;
  }
}
