/** Groups and names of environment families. */

import { environmentFamilies } from '../../../envs/registry.ts';
import { capital } from '../../../runs/numbers.ts';

const groupOf = (id: string) => id.split('/')[0] ?? id;

/**
 * Display name of the group that an environment belongs to: the first part of its id, as spelled in a
 * title of the group (`BabyAI` for `babyai`), or else the first title.
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

/** Groups items, in order of first appearance. */
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
