import { Slider } from '@mantine/core';
import { useMemo } from 'react';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { reenact } from '../../../runs/reenact.ts';
import { environmentOf } from '../../shell/episode/environments.ts';
import { showInspectedTurn } from '../../shell/episode/inspection.ts';
import { Picture } from '../../shell/episode/picture.tsx';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { Boundary } from '../../shell/page/boundary.tsx';

interface ViewProps {
  readonly record: EpisodeRecord;
  readonly turn: number;
}

/** The environment's image before a turn. */
export function View(props: ViewProps) {
  const { record } = props;
  return (
    <Boundary
      resetKey={`${record.taskId} ${record.turns.length}`}
      fallback={(message) => <p className="stage-text">This episode cannot be drawn. {message}</p>}
    >
      <Reenacted {...props} />
    </Boundary>
  );
}

function Reenacted(props: ViewProps) {
  const ready = useWorlds([props.record.environment.id]);
  return ready ? <Drawn {...props} /> : <div className="inspector-view" />;
}

function Drawn({ record, turn }: ViewProps) {
  const film = useMemo(() => reenact(environmentOf(record.environment), record), [record]);
  const at = Math.min(turn, record.turns.length);
  return (
    <div className="inspector-view">
      <Picture
        env={record.environment}
        taskId={record.taskId}
        state={film.states[at]}
        glide={0}
        text={record.turns[at]?.observation ?? record.finalObservation}
      />
    </div>
  );
}

/** Navigation through the turns. */
export function Scrub({
  turn,
  length,
  onTurn = showInspectedTurn,
}: {
  readonly turn: number;
  readonly length: number;
  readonly onTurn?: (turn: number) => void;
}) {
  const where = turn < length ? `turn ${turn + 1} of ${length}` : 'the end';
  return (
    <div className="inspector-scrub">
      <Slider
        min={0}
        max={Math.max(1, length)}
        value={turn}
        label={null}
        thumbLabel="Turn"
        thumbValueText={where}
        onChange={onTurn}
      />
      <span className="transport-turn">{where}</span>
    </div>
  );
}
