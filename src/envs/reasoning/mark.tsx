import type { SceneLine } from './scene.ts';

/** SVG paths: a tick, a cross, a bent arrow, and a ring for a line that does not exist yet. */
const MARKS = {
  right: 'm4 8.6 2.8 2.9L12.2 4.8',
  wrong: 'm4.4 4.4 7.2 7.2m0-7.2-7.2 7.2',
  carried: 'M5 3.5v3.7c0 1.4.9 2.3 2.3 2.3h4.2M9.3 7.2l2.4 2.3-2.4 2.3',
  open: 'M8 5.2a2.8 2.8 0 1 0 .01 0',
} as const satisfies Record<SceneLine['verdict'], string>;

/** The verdict on a line as an icon; the text beside it says the same. */
export function StepMark({ verdict }: { readonly verdict: SceneLine['verdict'] }) {
  return (
    <svg className="reasoning-mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={MARKS[verdict]} />
    </svg>
  );
}
