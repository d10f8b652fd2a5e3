/** The buttons that begin runs, and where those stand. */
import { Button } from '@mantine/core';
import { IconPencil, IconPlayerPlayFilled } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { recentMean } from '../../../diagnosis/trend.ts';
import { percent } from '../../../runs/numbers.ts';
import type { Row } from '../../../runs/row.ts';
import { useLab } from '../../lab/store.ts';
import { useTwins } from '../../twins/state.ts';
import { useLessonContext } from '../context.ts';
import { addressOf, beginPair, beginRun, beginSketch } from '../run.ts';
import { LookButton } from './look.tsx';

interface BeginProps {
  readonly icon: ReactNode;
  readonly label: ReactNode;
  /** Gives the id of the run; null where nothing can train. */
  readonly begin: () => Promise<string | null>;
  /** The part of the lab in which it is to be seen. */
  readonly at: string;
}

function Begin({ icon, label, begin, at }: BeginProps) {
  const [begun, setBegun] = useState<string | null>(null);
  const present = useLab((lab) => lab.runId);
  return (
    <div className="lesson-part">
      <Button
        size="sm"
        leftSection={icon}
        onClick={() => void begin().then(setBegun)}
        data-testid="lesson-begin"
      >
        {label}
      </Button>
      {begun !== null && begun === present ? (
        <p className="lesson-standing" data-testid="lesson-standing">
          <Standing /> <LookButton at={at} />
        </p>
      ) : null}
    </div>
  );
}

/** Success of the newest of so many iterations. */
const lately = (rows: readonly Row[], end: number) =>
  percent(recentMean(rows.slice(0, end), 'rollout/success_rate'));

/** Where the present run stands, or both of a pair after as many iterations. */
function Standing() {
  const { words } = useLessonContext();
  const rows = useLab((lab) => lab.rows);
  const playing = useTwins((twins) => twins.playing);
  const done = Math.min(rows.length, playing?.beside.rows.length ?? rows.length);
  if (done === 0) return words.starting;
  const at = rows[done - 1]?.iteration ?? done;
  if (playing === null) return words.standing(at, lately(rows, done));
  const shares = [rows, playing.beside.rows].map(
    (both, place) => `${playing.names[place]} ${lately(both, done)}`,
  );
  return words.standings(at, shares);
}

const play = <IconPlayerPlayFilled size={14} />;

interface StartProps {
  readonly with?: string;
  readonly children?: ReactNode;
}

export function Start({ with: more, children }: StartProps) {
  const { lesson } = useLessonContext();
  const begin = () => beginRun(addressOf(lesson.run, more));
  return <Begin icon={play} label={children} begin={begin} at="stage" />;
}

interface PairProps {
  readonly compare: string;
  readonly children?: ReactNode;
}

export function Pair({ compare, children }: PairProps) {
  const { lesson } = useLessonContext();
  const begin = () => beginPair(addressOf(lesson.run), compare);
  return <Begin icon={play} label={children} begin={begin} at="twins" />;
}

export function SketchFirst({ children }: { readonly children?: ReactNode }) {
  const { lesson } = useLessonContext();
  return (
    <>
      <Begin
        icon={<IconPencil size={15} />}
        label={children}
        begin={() => beginSketch(addressOf(lesson.run))}
        at="predict"
      />
      <div className="lesson-axes" aria-hidden />
    </>
  );
}
