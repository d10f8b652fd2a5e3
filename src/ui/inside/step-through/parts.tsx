/** Building blocks of the phases. */

import type { ReactNode } from 'react';
import type { FactsOf, FollowedToken } from '../../../runs/phase-facts.ts';
import { useStepThrough } from '../../shell/lab/step-through.ts';
import { heatStyle, useTokenKeys } from '../inspector/token.tsx';
import { Members } from './members.tsx';
import { tellingMember, tellingToken } from './telling.ts';

interface PartProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}

/** A phase: its explanation, then its numbers. */
export function Part({ title, lead, children }: PartProps) {
  return (
    <>
      <header className="step-lead">
        <h2>{title}</h2>
        <p>{lead}</p>
      </header>
      {children}
    </>
  );
}

/** Labeled numbers. */
export function Numbers({
  of,
}: {
  readonly of: readonly (readonly [name: string, value: ReactNode])[];
}) {
  return (
    <dl className="step-numbers">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Index of the selected episode in the followed group. */
export function useFollowed({ members }: Pick<FactsOf<'rollout'>, 'members'>): number {
  const member = useStepThrough((state) => state.member);
  return member ?? tellingMember(members.map(({ record }) => record));
}

/** The token followed through all phases: the user's choice, or else the most informative one. */
export function useFollowedToken(rollout: Pick<FactsOf<'rollout'>, 'members'>): FollowedToken {
  const member = useFollowed(rollout);
  const chosen = useStepThrough((state) => state.token);
  const written = rollout.members[member];
  const token =
    chosen ?? (written === undefined ? 0 : tellingToken(written.record, written.tokens));
  return { member, token };
}

export const followToken = (token: FollowedToken) =>
  useStepThrough.setState({ ...token, lossToken: null });

/** The episodes of the followed group. */
export function GroupMembers({
  rollout,
  say,
}: {
  readonly rollout: FactsOf<'rollout'>;
  readonly say: (member: number) => ReactNode;
}) {
  const chosen = useFollowed(rollout);
  const members = rollout.members.map(({ record }, place) => ({
    place,
    record,
    name: `Episode ${place + 1}`,
    say: say(place),
  }));
  return <Members label="Episodes of the group" of={members} chosen={chosen} />;
}

/** Tokens as buttons with one Tab stop: blue for positive values, ochre for negative ones. */
export function TokenChips({
  tokens,
  chosen,
  label,
  onChoose,
}: {
  readonly tokens: readonly {
    readonly text: string;
    readonly says: string;
    readonly value: number;
    readonly turn: number;
  }[];
  readonly chosen: number;
  readonly label: string;
  readonly onChoose: (place: number) => void;
}) {
  const most = tokens.reduce((size, { value }) => Math.max(size, Math.abs(value)), 1e-9);
  const stopAt = tokens[chosen] === undefined ? 0 : chosen;
  const { stop, ...keys } = useTokenKeys(tokens, stopAt, onChoose);
  return (
    <fieldset className="itokens step-tokens" aria-label={label} {...keys}>
      {tokens.map(({ text, says, value }, place) => (
        <button
          key={place}
          {...(place === stopAt ? { ref: stop } : { tabIndex: -1 })}
          type="button"
          aria-pressed={place === chosen}
          className={`itoken heat-${value < 0 ? 'down' : 'up'}${place === chosen ? ' itoken-chosen' : ''}`}
          style={heatStyle(Math.round((46 * Math.abs(value)) / most))}
          onClick={() => onChoose(place)}
        >
          <span className="itoken-text" translate="no">
            {text}
          </span>
          <span className="itoken-number">{says}</span>
        </button>
      ))}
    </fieldset>
  );
}
