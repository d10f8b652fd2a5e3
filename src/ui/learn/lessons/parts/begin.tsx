/** Buttons that start runs, with their progress. */
import { Button } from '@mantine/core';
import { IconPencil, IconPlayerPlayFilled } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { recentMean } from '../../../../diagnosis/trend.ts';
import { percent } from '../../../../runs/numbers.ts';
import type { Row } from '../../../../runs/row.ts';
import { useLab } from '../../../shell/lab/store.ts';
import { useTwins } from '../../twins/state.ts';
import { useOpenLesson } from '../context.ts';
import { addressOf, beginPair, beginRun, beginSketch } from '../run.ts';
import { noteLessonRun } from '../store.ts';
import { LookButton } from './look.tsx';

interface BeginProps {
  readonly icon: ReactNode;
  readonly label: ReactNode;
  /** Returns the run’s id, or null if no device can train. */
  readonly begin: () => Promise<string | null>;
  /** The part of the lab that shows the run. */
  readonly at: string;
}

function Begin({ icon, label, begin, at }: BeginProps) {
  const lesson = useOpenLesson();
  const [begun, setBegun] = useState<string | null>(null);
  const present = useLab((lab) => lab.runId);
  return (
    <div className="lesson-part">
      <Button
        variant="filled"
        size="sm"
        leftSection={icon}
        onClick={() =>
          void begin().then((runId) => {
            setBegun(runId);
            if (runId !== null) noteLessonRun({ lesson: lesson.name, runId });
          })
        }
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

/** Mean success of the most recent rows before `end`. */
const recentSuccess = (rows: readonly Row[], end: number) =>
  percent(recentMean(rows.slice(0, end), 'rollout/success_rate'));

/** Progress of the current run, or of both runs of a pair after the same number of iterations. */
function Standing() {
  const rows = useLab((lab) => lab.rows);
  const paused = useLab(({ status }) => status === 'paused');
  const playing = useTwins((twins) => twins.playing);
  const done = Math.min(rows.length, playing?.beside.rows.length ?? rows.length);
  if (done === 0) return <>{paused ? 'Ready. Press Start to begin.' : 'Starting …'}</>;
  const at = rows[done - 1]?.iteration ?? done;
  if (playing === null) {
    return <>{`Iteration ${at}: ${recentSuccess(rows, done)} of the episodes succeed.`}</>;
  }
  const shares = [rows, playing.beside.rows].map(
    (both, place) => `${playing.names[place]} ${recentSuccess(both, done)}`,
  );
  return <>{`Iteration ${at}: ${shares.join(', ')}.`}</>;
}

const play = <IconPlayerPlayFilled size={14} />;

interface StartProps {
  readonly with?: string;
  readonly paused?: string;
  readonly children?: ReactNode;
}

export function Start({ with: more, paused, children }: StartProps) {
  const lesson = useOpenLesson();
  const begin = () => beginRun(addressOf(lesson.run, more), paused !== undefined);
  return <Begin icon={play} label={children} begin={begin} at="stage" />;
}

interface PairProps {
  readonly compare: string;
  readonly children?: ReactNode;
}

export function Pair({ compare, children }: PairProps) {
  const lesson = useOpenLesson();
  const begin = () => beginPair(addressOf(lesson.run), compare);
  return <Begin icon={play} label={children} begin={begin} at="twins" />;
}

export function SketchFirst({ children }: { readonly children?: ReactNode }) {
  const lesson = useOpenLesson();
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
