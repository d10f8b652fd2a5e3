import type { ReactNode } from 'react';
import { estimators } from '../../../algorithms/advantages.ts';
import { type Surrogate, traitsOf } from '../../../algorithms/surrogates.ts';
import type { WorkedToken } from '../../../algorithms/worked-advantages.ts';
import type { GroupMember, InspectedGroup, TokenUpdate } from '../../../runs/inspection.ts';
import { thousands } from '../../../runs/numbers.ts';
import { dualClipOf, exact, heldName, signed } from './measures.ts';

/** One line of a derivation: an equation and its symbols. */
export function Line({
  children,
  note,
}: {
  readonly children: ReactNode;
  readonly note?: ReactNode;
}) {
  return (
    <li className="working-line">
      <span className="equation">{children}</span>
      {note === undefined ? null : <span className="working-note">{note}</span>}
    </li>
  );
}

/** The part of an estimator that all tokens share, with the group's numbers. */
export function GroupWorking({ group }: { readonly group: InspectedGroup }) {
  const { estimator, rewards, equal, whitening, members } = group;
  const list = members.map(({ reward }) => exact(reward)).join(' + ');
  switch (estimator) {
    case 'grpo':
    case 'dr_grpo':
      return (
        <ul className="working">
          <Line note="mean of the group’s rewards">
            mean(R) = ({list}) / {rewards.count} = <b>{exact(rewards.mean)}</b>
          </Line>
          {estimator === 'grpo' ? (
            <Line note="their standard deviation, with divisor n − 1">
              std(R) = <b>{exact(rewards.std)}</b>
            </Line>
          ) : null}
          {equal ? <EqualRewards /> : null}
        </ul>
      );
    case 'rloo':
      return (
        <ul className="working">
          <Line note="each episode is compared with the mean of the others">
            R = {members.map(({ reward }) => exact(reward)).join(', ')}
          </Line>
          {equal ? <EqualRewards /> : null}
        </ul>
      );
    case 'remax':
      return (
        <ul className="working">
          <Line note="the same task, played greedily">
            R<sub>greedy</sub> = <b>{exact(members[0]?.baseline)}</b>
          </Line>
        </ul>
      );
    case 'reinforce':
      return (
        <ul className="working">
          <Line note="each episode is weighted by its own reward">
            R = {members.map(({ reward }) => exact(reward)).join(', ')}
          </Line>
        </ul>
      );
    case 'gae':
    case 'reinforce_plus_plus':
      return (
        <ul className="working">
          {estimator === 'gae' ? (
            <>
              <Line note="how much better the next step is than the value head expected">
                δ = r + γ·V′ − V
              </Line>
              <Line
                note={`later TD errors, discounted by γ = ${group.gamma} per turn and λ = ${group.lambda} per token`}
              >
                Â = δ + γλ·Â′
              </Line>
            </>
          ) : (
            <Line note={`reward to go, with γ = ${group.gamma} per turn`}>G = r + γ·G′</Line>
          )}
          <Line note={`over the ${thousands(whitening?.count)} tokens of the iteration`}>
            mean = <b>{exact(whitening?.mean)}</b>, std = <b>{exact(whitening?.std)}</b>
          </Line>
        </ul>
      );
    default:
      return estimator satisfies never;
  }
}

function EqualRewards() {
  return (
    <Line note="the group has no learning signal">
      All rewards are equal, so every advantage is <b>0</b>.
    </Line>
  );
}

/**
 * One episode's advantage as an equation with the group's numbers; null if each token is estimated
 * separately.
 */
export function memberEquation(
  { reward, baseline, scale, advantage }: GroupMember,
  { equal, estimator }: Pick<InspectedGroup, 'equal' | 'estimator'>,
): string | null {
  if (baseline === null) return null;
  if (equal && estimators[estimator].against === 'group') return '0';
  const difference = `${exact(reward)} − ${exact(baseline).replace(/^−(.*)$/, '(−$1)')}`;
  return scale === null
    ? `${difference} = ${signed(advantage)}`
    : `(${difference}) / ${exact(scale)} = ${signed(advantage)}`;
}

/** From a token's reward to its advantage. */
export function TokenWorking({
  worked,
  next,
  group,
  member,
}: {
  readonly worked: WorkedToken;
  /** The next token of the episode; null for the last one. */
  readonly next: WorkedToken | null;
  readonly group: InspectedGroup;
  readonly member: GroupMember | undefined;
}) {
  const { reward, discount, value, nextValue, delta, estimate, advantage } = worked;
  const { whitening } = group;
  if (whitening === null) {
    const equation = member === undefined ? null : memberEquation(member, group);
    return (
      <ul className="working">
        <Line note="the same for every token of the episode">
          A = {equation ?? exact(advantage)}
        </Line>
      </ul>
    );
  }
  return (
    <ul className="working">
      {delta === null ? null : (
        <Line note="reward plus next value, minus this value">
          δ = {exact(reward)} + {exact(discount)}·{bracketed(nextValue)} − {bracketed(value)} ={' '}
          <b>{exact(delta)}</b>
        </Line>
      )}
      <Line note={delta === null ? 'the reward to go' : 'with the TD errors of later tokens'}>
        {delta === null
          ? `G = ${exact(reward)} + ${exact(discount)}·${bracketed(next?.estimate ?? 0)}`
          : `Â = ${exact(delta)} + ${exact(discount * group.lambda)}·${bracketed(next?.estimate ?? 0)}`}{' '}
        = <b>{exact(estimate)}</b>
      </Line>
      <Line note="normalized over all tokens of the iteration">
        A = ({exact(estimate)} − {bracketed(whitening.mean)}) / {exact(whitening.std)} ={' '}
        <b>{signed(advantage)}</b>
      </Line>
    </ul>
  );
}

const bracketed = (value: number | null): string => {
  const text = exact(value);
  return text.startsWith('−') ? `(${text})` : text;
};

/** The derivation of a token's loss in the last update that used it. */
export function LossWorking({
  update,
  advantage,
  surrogate,
}: {
  readonly update: TokenUpdate;
  readonly advantage: number;
  readonly surrogate: Surrogate;
}) {
  const { logp, oldLogp, ratio, importance, clipLow, clipHigh, held, policyLoss } = update;
  const A = bracketed(advantage);
  const clipped = Math.min(Math.max(ratio, clipLow), clipHigh);
  const { label, equation, bounds, looksAt } = traitsOf(surrogate);
  const byEpisode = looksAt === 'episode';
  const bounded = (bounds === 'tokens' || bounds === 'episodes') && held !== 'picked';
  const dualClip = dualClipOf(update, advantage);
  const note = held === null ? 'not clipped' : heldName(held, surrogate);
  return (
    <ul className="working">
      <Line
        note={
          byEpisode
            ? `the mean over the episode’s tokens, as in ${label}`
            : 'its probability just before the update, divided by its probability when it was generated'
        }
      >
        r = {byEpisode ? '' : `${exact(Math.exp(logp))} / ${exact(Math.exp(oldLogp))} = `}
        <b>{exact(ratio)}</b>
      </Line>
      {importance === 1 ? null : (
        <Line note="importance weight, not affected by clipping">
          w = <b>{exact(importance)}</b>
        </Line>
      )}
      {dualClip !== null ? (
        <Line note={note}>
          loss = −{importance === 1 ? '' : 'w·'}c·A = −
          {importance === 1 ? '' : `${exact(importance)}·`}
          {exact(dualClip)}·{A} = <b>{exact(policyLoss)}</b>
        </Line>
      ) : bounded ? (
        <>
          <Line note={`within [${exact(clipLow)}, ${exact(clipHigh)}]`}>
            clip(r) = <b>{exact(clipped)}</b>
          </Line>
          <Line note={note}>
            loss = −{importance === 1 ? '' : 'w·'}min(r·A, clip(r)·A) = −
            {importance === 1 ? '' : `${exact(importance)}·`}min({exact(ratio)}·{A},{' '}
            {exact(clipped)}·{A}) = <b>{exact(policyLoss)}</b>
          </Line>
        </>
      ) : (
        <Line note={note}>
          <span>loss</span> ({equation === '' ? label : `${label}: ${equation}`}) ={' '}
          <b>{exact(policyLoss)}</b>
        </Line>
      )}
    </ul>
  );
}
