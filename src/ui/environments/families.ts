/** Environment families as the page groups and names them. */

import { environmentFamilies } from '../../envs/registry.ts';
import { capital } from '../../runs/numbers.ts';

const groupOf = (id: string) => id.split('/')[0] ?? id;

/**
 * What the families that share the first part of their ids are called: that part as their titles spell
 * it (`babyai` is `BabyAI`), or the title of the first where none does.
 */
export function groupName(id: string): string {
  const group = groupOf(id);
  const word = new RegExp(`\\b${group}\\b`, 'i');
  const titles = environmentFamilies
    .filter((family) => groupOf(family.id) === group)
    .map(({ title }) => title);
  const name = titles.flatMap((title) => word.exec(title) ?? [])[0] ?? titles[0] ?? group;
  return capital(name);
}

/** Items of a list in groups, in the order in which the first of each group stands. */
export function grouped<Item>(
  items: readonly Item[],
  groupNameOf: (item: Item) => string,
): { group: string; items: Item[] }[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = groupNameOf(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return [...groups].map(([group, members]) => ({ group, items: members }));
}
