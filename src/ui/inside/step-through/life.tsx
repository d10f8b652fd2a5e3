/** Follows one token from its sampling to its probability after the update. */

import type { ReactNode } from 'react';
import { type Surrogate, traitsOf } from '../../../algorithms/surrogates.ts';
import type { TokenUpdate } from '../../../runs/inspection.ts';
import { type FactsOf, placeOf } from '../../../runs/phase-facts.ts';
import type { ShownStep } from '../../shell/lab/store.ts';
import { exact, heldName, isPenalized, signed } from '../inspector/measures.ts';
import { share } from './numbers.ts';
import { useFollowedToken } from './parts.tsx';

interface Stage {
  readonly name: string;
  /** Null until its phase has been computed. */
  readonly value: ReactNode;
  readonly note: string;
}

/** The followed token in every phase so far; nothing if the iteration follows no group. */
export function TokenLife({ step }: { readonly step: ShownStep }) {
  const { rollout } = step.facts;
  if (rollout === undefined || rollout.members.length === 0) return null;
  return <Life step={step} rollout={rollout} />;
}

interface LifeProps {
  readonly step: ShownStep;
  readonly rollout: FactsOf<'rollout'>;
}

function Life({ step, rollout }: LifeProps) {
  const followed = useFollowedToken(rollout);
  const { member, token } = followed;
  const written = rollout.members[member]?.tokens[token];
  if (written === undefined) return null;
  const { score, advantages } = step.facts;
  const reward = score?.members[member]?.reward;
  const advantage = advantages?.worked[member]?.[token]?.advantage;
  const leftOut = score !== undefined && reward === undefined;
  const own = step.updates.findLast(({ loss }) => placeOf(loss, followed) >= 0);
  const place = own === undefined ? -1 : placeOf(own.loss, followed);
  const update = own?.loss.shown[place]?.update;
  const changed = own?.update?.shown[place];
  const waiting = step.updates.length > 0 && own === undefined ? 'in another update' : '';
  const stages: readonly Stage[] = [
    {
      name: 'Sampled at',
      value: share(Math.exp(written.logp)),
      note: 'its probability',
    },
    {
      name: 'Reward R',
      value: reward === undefined ? null : exact(reward),
      note: leftOut ? 'group left out' : 'of its episode',
    },
    {
      name: 'Advantage A',
      value: advantage === undefined ? null : signed(advantage),
      note: advantage === undefined ? '' : wish(advantage),
    },
    {
      name: 'Ratio r',
      value: update === undefined ? null : `×${update.ratio.toFixed(3)}`,
      note: own === undefined ? waiting : `update ${own.loss.index} of ${own.loss.of}`,
    },
    {
      name: 'Clipped',
      value:
        update === undefined || own === undefined
          ? null
          : update.held === null || isPenalized(update.held, own.loss.surrogate)
            ? 'no'
            : 'yes',
      note: update === undefined || own === undefined ? '' : clipping(update, own.loss.surrogate),
    },
    {
      name: 'After update',
      value: changed === undefined ? null : share(changed.after),
      note: changed === undefined ? '' : `from ${share(changed.before)}`,
    },
  ];
  return (
    <section className="token-life" aria-label="The followed token" data-testid="token-life">
      <p>
        Followed token{' '}
        <span className="itoken-plain" translate="no">
          {written.text}
        </span>
        <small>
          episode {member + 1}, turn {written.turn + 1}
        </small>
      </p>
      <ol>
        {stages.map(({ name, value, note }) => (
          <li key={name} className={value === null ? 'token-life-later' : ''}>
            <small>{name}</small>
            <b>{value ?? '–'}</b>
            <small>{note}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The bound that clipped a token, or both bounds. */
function clipping({ held, clipLow, clipHigh }: TokenUpdate, surrogate: Surrogate): string {
  switch (held) {
    case null:
      return Number.isFinite(clipHigh) && traitsOf(surrogate).bounds !== 'nothing'
        ? `${exact(clipLow)} to ${exact(clipHigh)}`
        : '';
    case 'low':
      return `below ${exact(clipLow)}`;
    case 'high':
      return `above ${exact(clipHigh)}`;
    case 'dual':
      return 'by the dual clip';
    case 'picked':
      return isPenalized(held, surrogate) ? heldName(held, surrogate) : 'by its covariance';
    default:
      return held satisfies never;
  }
}

/** The direction in which an advantage pushes the probability. */
const wish = (advantage: number): string =>
  advantage > 0 ? 'more probable' : advantage < 0 ? 'less probable' : 'no change';
