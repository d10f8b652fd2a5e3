import type { ReactNode } from 'react';
import type { EpisodeRecord } from '../../runs/episode.ts';
import { OutcomeMark } from '../inspector/sheet.tsx';
import { Scrub, View } from '../inspector/view.tsx';
import { useStepThrough } from './store.ts';

/** An episode that can be chosen to be looked at. */
export interface Member {
  /** Its place among those of the phase. */
  readonly place: number;
  readonly record: EpisodeRecord;
  readonly name: ReactNode;
  readonly say: ReactNode;
}

/** Episodes as buttons, one of which is looked at. */
export function Members({
  label,
  of,
  chosen,
}: {
  readonly label: string;
  readonly of: readonly Member[];
  /** The place of the one that is looked at. */
  readonly chosen: number;
}) {
  return (
    <fieldset className="step-members" aria-label={label}>
      {of.map(({ place, record, name, say }) => (
        <button
          key={place}
          type="button"
          aria-pressed={place === chosen}
          className={place === chosen ? 'step-member step-chosen' : 'step-member'}
          onClick={() => useStepThrough.setState({ member: place, token: null, turn: null })}
        >
          <span>
            {name}{' '}
            <OutcomeMark
              member={{
                success: record.success,
                truncated: record.truncated,
                turns: record.turns.length,
              }}
            />
          </span>
          <b>{say}</b>
        </button>
      ))}
    </fieldset>
  );
}

/** The episode that is looked at: its picture at a turn, and what was written in every turn. */
export function FollowedEpisode({
  record,
  written,
}: {
  readonly record: EpisodeRecord;
  /** What is shown of a turn. */
  readonly written: (turn: EpisodeRecord['turns'][number], index: number) => ReactNode;
}) {
  const turn = useStepThrough((state) => state.turn);
  const at = Math.min(turn ?? record.turns.length, record.turns.length);
  return (
    <div className="step-columns">
      <div className="inspector-picture">
        <View record={record} turn={at} />
        <Scrub
          turn={at}
          length={record.turns.length}
          onTurn={(to) => useStepThrough.setState({ turn: to })}
        />
      </div>
      <ol className="step-turns" aria-label="What was written">
        {record.turns.map((entry, index) => (
          <li key={index} className={index === at ? 'iturn-current' : ''}>
            <small>{index + 1}</small>
            <span>{written(entry, index)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
