/** An episode with a number for each turn. */

import { useMemo } from 'react';
import { environmentView, PAINT_STEP_MS } from '../../../envs/views.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { reenact } from '../../../runs/reenact.ts';
import { environmentOf } from '../../shell/episode/environments.ts';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { Boundary } from '../../shell/page/boundary.tsx';
import { exact } from '../inspector/measures.ts';
import { View } from '../inspector/view.tsx';

interface PaintedEpisodeProps {
  readonly record: EpisodeRecord;
  /** (T) by turn. */
  readonly values: readonly number[];
  /** A number in few characters. */
  readonly say: (value: number) => string;
  /** Index of the selected turn. */
  readonly turn: number | null;
  /** Whether the numbers appear one after the other, from the last turn back. */
  readonly backwards: boolean;
  /** Meaning of the numbers and their colors. */
  readonly children: string;
}

/** Shown if the numbers are placed in the environment's image. */
const inPlaces = 'A cell that was entered several times shows the mean.';

/** The episode in its environment with its numbers, and below it a bar per turn. */
export function PaintedEpisode({ children, ...props }: PaintedEpisodeProps) {
  const { record } = props;
  useWorlds([record.environment.id]);
  const placed = environmentView(record.environment.id)?.Painted !== undefined;
  return (
    <figure className="step-picture">
      <Boundary
        resetKey={`${record.taskId} ${record.turns.length}`}
        fallback={(message) => (
          <p className="stage-text">This episode cannot be drawn. {message}</p>
        )}
      >
        <World {...props} />
      </Boundary>
      <Bars {...props} />
      <figcaption>
        {children}
        {placed ? ` ${inPlaces}` : ''}
      </figcaption>
    </figure>
  );
}

function World(props: Omit<PaintedEpisodeProps, 'children'>) {
  const { record, turn } = props;
  const ready = useWorlds([record.environment.id]);
  const painted = ready && environmentView(record.environment.id)?.Painted !== undefined;
  return painted ? (
    <Painted {...props} />
  ) : (
    <View record={record} turn={turn ?? record.turns.length} />
  );
}

function Painted({ record, values, say, turn, backwards }: Omit<PaintedEpisodeProps, 'children'>) {
  const { environment, taskId } = record;
  const { states } = useMemo(
    () => reenact(environmentOf(environment), record),
    [environment, record],
  );
  const Component = environmentView(environment.id)?.Painted;
  return Component === undefined ? null : (
    <Component
      environmentId={environment.id}
      options={environment.options}
      taskId={taskId}
      states={states}
      values={values}
      say={say}
      turn={turn}
      backwards={backwards}
    />
  );
}

/** Height of the bars, and the gap between them. */
const HEIGHT = 44;
const WIDTH = 400;

/** A bar per turn, upwards if positive and downwards if negative. */
function Bars({ values, turn, backwards }: Omit<PaintedEpisodeProps, 'children'>) {
  const high = Math.max(0, ...values);
  const low = Math.min(0, ...values);
  const span = Math.max(1e-9, high - low);
  const pitch = WIDTH / Math.max(1, values.length);
  const zero = (high / span) * HEIGHT;
  return (
    <svg
      className="step-bars"
      viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
      role="img"
      aria-label={`Turn by turn: ${values.map(exact).join(', ')}.`}
    >
      <path className="step-zero" d={`M0 ${zero}H${WIDTH}`} />
      {values.map((value, t) => {
        const height = (Math.abs(value) / span) * HEIGHT;
        return (
          <rect
            // The turns of an episode keep their order.
            key={`${values.length} ${t}`}
            className={`step-bar step-bar-${value < 0 ? 'below' : 'above'}${t === turn ? ' step-bar-chosen' : ''}${backwards ? ' step-bar-coming' : ''}`}
            x={t * pitch + 0.12 * pitch}
            width={0.76 * pitch}
            y={value < 0 ? zero : zero - height}
            height={Math.max(0.8, height)}
            style={{ animationDelay: `${PAINT_STEP_MS * (values.length - 1 - t)}ms` }}
          />
        );
      })}
    </svg>
  );
}
