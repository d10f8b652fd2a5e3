/** Groups of the page at full depth, with an index. The browser stores which groups are folded. */

import { scrolling } from '../comfort/motion.ts';
import './groups.css';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { create } from 'zustand';
import { readKept, whenForgotten, writeKept } from '../browser/kept.ts';

/** In the order of the page. */
const groupTitles = {
  learning: 'Learning',
  updates: 'Updates',
  evaluation: 'Evaluation',
  episodes: 'Episodes',
} as const;
type GroupId = keyof typeof groupTitles;

const ids = Object.keys(groupTitles) as GroupId[];
const KEPT = 'folded';
/** Folded by default, because their tools and lists load only when they are opened. */
const initially: readonly GroupId[] = ['evaluation', 'episodes'];

const foldedBefore = () => {
  const kept = readKept(KEPT);
  return new Set(kept === null ? initially : ids.filter((id) => kept.split(' ').includes(id)));
};

const useGroups = create<{
  readonly folded: ReadonlySet<GroupId>;
  /** Groups on the page. */
  readonly shown: ReadonlySet<GroupId>;
}>()(() => ({ folded: foldedBefore(), shown: new Set() }));

whenForgotten(() => useGroups.setState({ folded: new Set(initially) }));

function fold(id: GroupId, folds: boolean): void {
  const folded = new Set(useGroups.getState().folded);
  if (folds) folded.add(id);
  else folded.delete(id);
  writeKept(KEPT, [...folded].join(' '));
  useGroups.setState({ folded });
}

function show(id: GroupId, shows: boolean): void {
  const shown = new Set(useGroups.getState().shown);
  if (shows) shown.add(id);
  else shown.delete(id);
  useGroups.setState({ shown });
}

const headingId = (id: GroupId) => `group-${id}`;

/** Unfolds a group, brings it into view and focuses its heading. */
function openGroup(id: GroupId): void {
  fold(id, false);
  const heading = document.getElementById(headingId(id));
  heading?.closest('.group')?.scrollIntoView({ behavior: scrolling() });
  heading?.querySelector('button')?.focus({ preventScroll: true });
}

export function Group({ id, children }: { readonly id: GroupId; readonly children: ReactNode }) {
  const folded = useGroups((groups) => groups.folded.has(id));
  useEffect(() => {
    show(id, true);
    return () => show(id, false);
  }, [id]);
  return (
    <section className="group" aria-labelledby={headingId(id)} data-testid={`group-${id}`}>
      <h2 className="group-title" id={headingId(id)}>
        <button type="button" aria-expanded={!folded} onClick={() => fold(id, !folded)}>
          <IconChevronDown size={18} aria-hidden />
          {groupTitles[id]}
        </button>
      </h2>
      {folded ? null : children}
    </section>
  );
}

/** Links to the groups on the page. */
export function GroupIndex() {
  const shown = useGroups((groups) => groups.shown);
  if (shown.size < 2) return null;
  return (
    <nav className="group-index" aria-label="Groups">
      {ids
        .filter((id) => shown.has(id))
        .map((id) => (
          <button key={id} type="button" onClick={() => openGroup(id)}>
            {groupTitles[id]}
          </button>
        ))}
    </nav>
  );
}
