import { Button } from '@mantine/core';
import { IconBinaryTree, IconEye, IconPencil, IconStairs } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { matchMethod } from '../../../../config/methods.ts';
import { readAddress } from '../../../shell/address/address.ts';
import { scrolling } from '../../../shell/comfort/motion.ts';
import { openStepThrough } from '../../../shell/lab/step-through.ts';
import { isOver, useLab } from '../../../shell/lab/store.ts';
import { openPanel } from '../../../shell/page/panels.ts';
import { useOpenLesson } from '../context.ts';
import { addressOf, beginRun } from '../run.ts';
import { noteLessonRun, useLessonRun } from '../store.ts';

/** Parts of the lab that a lesson can show, with their test ids. */
export const places = {
  stage: 'stage',
  success: 'chart-success',
  entropy: 'chart-entropy',
  clipping: 'chart-clip',
  horizon: 'chart-horizon',
  twins: 'twins',
  predict: 'predict',
  knobs: 'knobs',
  findings: 'findings',
  players: 'two-players',
  network: 'network',
} as const;

type PlaceName = keyof typeof places;

export const isPlace = (name: string): name is PlaceName => name in places;

const GAP_PX = 12;

/** The button that was pressed to look at the lab. */
let left: HTMLElement | null = null;

const CLOSED_BY_ESCAPE = '[role="dialog"], [role="menu"], [role="listbox"]';

/** Escape returns from the lab, unless it closes a dialog or menu there. */
function backByEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented) return;
  const open = [...document.querySelectorAll(CLOSED_BY_ESCAPE)];
  if (open.some((one) => one.getClientRects().length > 0)) return;
  if (document.activeElement?.closest('.lesson') == null) backFromLab();
}

/** Returns to the button that was pressed to look at the lab; false if there is none. */
export function backFromLab(): boolean {
  document.removeEventListener('keydown', backByEscape);
  if (left?.isConnected !== true) return false;
  left.scrollIntoView({ block: 'center' });
  left.focus({ preventScroll: true });
  return true;
}

/** Scrolls to a part of the lab, focuses and highlights it; false if it is not on the page. */
function lookAt(name: string, from: HTMLElement): boolean {
  if (!isPlace(name)) return false;
  const found = document.querySelector<HTMLElement>(`main [data-testid="${places[name]}"]`);
  if (found === null) return false;
  left = from;
  document.addEventListener('keydown', backByEscape);
  // The top bar is sticky.
  const bar = document.querySelector<HTMLElement>('.top')?.offsetHeight ?? 0;
  found.style.scrollMarginTop = `${bar + GAP_PX}px`;
  found.scrollIntoView({ block: 'start', behavior: scrolling() });
  if (!found.hasAttribute('tabindex')) found.tabIndex = -1;
  found.focus({ preventScroll: true });
  found.animate([{ outline: '3px solid var(--p-ochre)' }, { outline: '3px solid transparent' }], {
    duration: 2400,
    easing: 'ease-in',
  });
  return true;
}

interface LookProps {
  readonly at: string;
  readonly children?: ReactNode;
}

export function Look({ at, children }: LookProps) {
  return (
    <div className="lesson-part">
      <LookButton at={at}>{children}</LookButton>
    </div>
  );
}

export function LookButton({ at, children }: LookProps) {
  const [missing, setMissing] = useState(false);
  return (
    <>
      <button
        type="button"
        className="as-link lesson-look"
        onClick={(event) => setMissing(!lookAt(at, event.currentTarget))}
      >
        <IconEye size={15} aria-hidden /> {children ?? 'Show in the lab'}
      </button>
      {missing ? <span role="status"> Not available yet. Start the run above first.</span> : null}
    </>
  );
}

interface OpenerProps {
  readonly icon: ReactNode;
  readonly testId: string;
  readonly onOpen: () => void;
  readonly children?: ReactNode;
}

/** A button that opens a part of the lab. */
function Opener({ icon, testId, onOpen, children }: OpenerProps) {
  return (
    <div className="lesson-part">
      <Button size="sm" leftSection={icon} data-testid={testId} onClick={onOpen}>
        {children}
      </Button>
    </div>
  );
}

interface WalkProps {
  readonly with?: string;
  readonly children?: ReactNode;
}

export function Walk({ with: more, children }: WalkProps) {
  const lesson = useOpenLesson();
  const walk = async () => {
    const address = addressOf(lesson.run, more);
    // A finished run has no further iteration.
    if (isOver(useLab.getState()) || (more !== undefined && !isRunOf(lesson.name, address))) {
      const runId = await beginRun(address, true);
      if (runId !== null) noteLessonRun({ lesson: lesson.name, runId });
    }
    openStepThrough();
  };
  return (
    <Opener icon={<IconStairs size={16} />} testId="lesson-walk" onOpen={() => void walk()}>
      {children}
    </Opener>
  );
}

/** Whether the current run was started by this lesson and uses the method of the address. */
function isRunOf(lesson: string, address: string): boolean {
  const { runId, config } = useLab.getState();
  const { run } = useLessonRun.getState();
  return (
    run?.lesson === lesson &&
    run.runId === runId &&
    matchMethod(config) === matchMethod(readAddress(address).config)
  );
}

export function Draw({ children }: { readonly children?: ReactNode }) {
  return (
    <Opener
      icon={<IconPencil size={16} />}
      testId="lesson-draw"
      onOpen={() => openPanel('maze-editor')}
    >
      {children}
    </Opener>
  );
}

export function Inside({ children }: { readonly children?: ReactNode }) {
  return (
    <Opener
      icon={<IconBinaryTree size={16} />}
      testId="lesson-network"
      onOpen={() => openPanel('network')}
    >
      {children}
    </Opener>
  );
}
