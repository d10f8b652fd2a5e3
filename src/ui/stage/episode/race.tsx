import './race.css';
import { SegmentedControl } from '@mantine/core';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { several } from '../../../runs/numbers.ts';
import { chooseEpisode } from '../../shell/episode/playback.ts';
import { useLab } from '../../shell/lab/store.ts';
import { type Rival, type RivalName, type Rivals, useTally } from './race.ts';

interface ScoreboardProps {
  /** Null until known. */
  readonly rivals: Rivals | null;
  readonly against: RivalName;
  readonly onAgainst: (name: RivalName) => void;
  /** The user's episode so far. */
  readonly record: EpisodeRecord;
}

/** User and agent, each with its turns. */
export function Scoreboard({ rivals, against, onAgainst, record }: ScoreboardProps) {
  const runId = useLab((lab) => lab.runId);
  const tally = useTally();
  const rival = rivalOf(rivals, against);
  const { you, agent, even } = tally.ended;
  const raced = tally.runId === runId && you + agent + even > 0;
  return (
    <div className="row race" data-testid="race">
      <p className="race-side race-you">
        <span className="race-mark" aria-hidden /> You <b>{record.turns.length}</b>
      </p>
      {rival === null ? (
        <p className="race-note">
          {rivals === null ? '' : 'The agent has not played this task recently.'}
        </p>
      ) : (
        <>
          <p className="race-side race-agent">
            <span className="race-mark" aria-hidden /> Agent{' '}
            <b>{Math.min(record.turns.length, rival.episode.record.turns.length)}</b>
            <small>{howItEnds(rival)}</small>
          </p>
          {rivals?.best == null ? null : (
            <SegmentedControl
              aria-label="Episode of the agent to play against"
              value={against}
              onChange={onAgainst}
              data={[
                { value: 'newest', label: 'Newest' },
                { value: 'best', label: 'Best' },
              ]}
            />
          )}
        </>
      )}
      {raced ? (
        <p className="race-note" data-testid="tally">
          Won: you {you}, agent {agent}
          {even > 0 ? `, tied ${even}` : ''}
        </p>
      ) : null}
    </div>
  );
}

/** The selected episode; the newest if the agent has not solved the task. */
export function rivalOf(rivals: Rivals | null, against: RivalName): Rival | null {
  return rivals?.[against] ?? rivals?.newest ?? null;
}

function howItEnds({ iteration, episode }: Rival): string {
  const { success, turns } = episode.record;
  return success
    ? `solved in ${several(turns.length, 'turn')}, iteration ${iteration}`
    : `not solved after ${several(turns.length, 'turn')}, iteration ${iteration}`;
}

/** Replays the agent's episode. */
export function watchRival({ iteration, episode: { record } }: Rival): void {
  chooseEpisode({
    key: `race ${iteration} ${record.taskId}`,
    record,
    replay: { kind: 'exact' },
    iteration,
    name: record.taskId,
  });
}
