import type { ReactNode } from 'react';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import { useStepThrough } from '../../shell/lab/step-through.ts';
import { OutcomeMark } from '../inspector/sheet.tsx';
import { Scrub, View } from '../inspector/view.tsx';

/** An episode that can be selected. */
export interface Member {
  /** Its index in the phase. */
  readonly place: number;
  readonly record: EpisodeRecord;
  readonly name: ReactNode;
  readonly say: ReactNode;
}

/** Episodes as buttons; one is selected. */
export function Members({
  label,
  of,
  chosen,
}: {
  readonly label: string;
  readonly of: readonly Member[];
  /** The index of the selected one. */
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

/** The selected episode: its image at a turn, and the text of every turn. */
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
      <div className="panel inspector-picture">
        <View record={record} turn={at} />
        <Scrub
          turn={at}
          length={record.turns.length}
          onTurn={(to) => useStepThrough.setState({ turn: to })}
        />
      </div>
      <ol className="step-turns" aria-label="Text">
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
