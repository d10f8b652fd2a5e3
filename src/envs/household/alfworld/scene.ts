import { has } from '../core/house.ts';
import { type Form, type HouseScene, isCarried, type SceneItem } from '../core/scene.ts';
import type { ReceptacleKind } from './catalogue.ts';
import { ICONS } from './icons.ts';
import { NOT_UNDERSTOOD, NOTHING_HAPPENS } from './text.ts';
import { treatments } from './verbs.ts';
import {
  type AlfworldNow,
  CLEAN,
  COOL,
  HOT,
  isOpen,
  isSolved,
  isWanted,
  opens,
  SEEN,
  SLICED,
  traits,
  USED,
} from './world.ts';

const WOOD = '#a8794c';
const PALE = '#c9ad82';
const DARK = '#7c5a3a';
const STEEL = '#8d969b';
const WHITE = '#c7cbc9';

/** Shapes of the receptacles. */
const FORMS: Readonly<Record<ReceptacleKind, readonly [form: Form, color: string]>> = {
  armchair: ['seat', '#9c6b5c'],
  bathtubbasin: ['basin', WHITE],
  bed: ['seat', '#7f8fae'],
  box: ['case', PALE],
  cabinet: ['case', WOOD],
  coffeemachine: ['top', '#5d5a58'],
  coffeetable: ['top', DARK],
  countertop: ['top', '#9aa29b'],
  desk: ['top', WOOD],
  diningtable: ['top', WOOD],
  drawer: ['case', DARK],
  dresser: ['top', DARK],
  fridge: ['case', WHITE],
  garbagecan: ['bin', '#6f7a72'],
  handtowelholder: ['rail', STEEL],
  laundryhamper: ['bin', PALE],
  microwave: ['case', '#6b7176'],
  safe: ['case', '#59636b'],
  shelf: ['top', PALE],
  sidetable: ['top', WOOD],
  sinkbasin: ['basin', STEEL],
  sofa: ['seat', '#7d8a62'],
  stoveburner: ['top', '#4f5457'],
  toilet: ['top', WHITE],
  toiletpaperhanger: ['rail', STEEL],
  towelholder: ['rail', STEEL],
  tvstand: ['top', '#5f5148'],
};

const NOTES = [
  [CLEAN, 'clean'],
  [HOT, 'hot'],
  [COOL, 'cool'],
  [SLICED, 'sliced'],
  [USED, 'shining'],
] as const;

export function alfworldScene(now: AlfworldNow, turnLimit: number): HouseScene {
  const { task, state } = now;
  const { target, treatment } = task.aim;
  const appliance = treatment === null ? null : treatments[treatment].appliance;
  const itemOf = (thing: number, unseen: boolean): SceneItem => ({
    thing,
    name: task.house.names[thing] ?? '',
    icon: ICONS[task.kinds[thing] as keyof typeof ICONS],
    notes: NOTES.flatMap(([mark, word]) => (has(state, thing, mark) ? word : [])),
    wanted: isWanted(task, thing) || (target === null && traits(task, thing).shines === true),
    unseen,
    inside: null,
  });
  const things = state.within.flatMap((_, thing) => (thing < task.places ? [] : thing));
  return {
    goal: task.goal,
    places: Array.from({ length: task.places }, (_, place) => {
      const kind = task.kinds[place] as ReceptacleKind;
      const [form, color] = FORMS[kind];
      const seen = has(state, place, SEEN);
      return {
        thing: place,
        name: task.house.names[place] ?? '',
        form,
        color,
        open: opens(task, place) ? isOpen(now, place) : null,
        wanted: kind === target || kind === appliance,
        seen,
        here: state.at === place,
        items: things
          .filter((thing) => state.within[thing] === place)
          .map((thing) => itemOf(thing, !seen)),
        cell: null,
      };
    }),
    doors: [],
    carried: things.filter((thing) => isCarried(state, thing)).map((thing) => itemOf(thing, false)),
    steps: [],
    said: state.said,
    answer: state.answer,
    refused: state.answer === NOTHING_HAPPENS || state.answer === NOT_UNDERSTOOD,
    turn: state.turn,
    turnLimit,
    outcome: isSolved(now) ? 'success' : state.turn >= turnLimit ? 'out of turns' : 'running',
  };
}
