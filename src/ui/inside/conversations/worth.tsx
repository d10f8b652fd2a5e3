import { discriminationReward, indirectRewards } from '../../../algorithms/critique-rewards.ts';
import type { Config } from '../../../config/schema.ts';
import type { KeptConversation } from '../../../runs/conversation.ts';
import { useLab } from '../../shell/lab/store.ts';
import { exact, signed } from '../inspector/measures.ts';
import type { Seen } from './reading.ts';
import { Turn } from './steps.tsx';
import { useConversations } from './store.ts';

export const rewardNames = {
  refine: 'r_refine',
  delta: 'r_Δ',
  correction: 'r_correction',
  none: 'no other reward',
} as const satisfies Readonly<Record<Config['critique']['reward'], string>>;

const rewardLines = {
  refine: '1 if the refinement is correct',
  delta: 'refinement minus answer, each 1 if correct',
  correction: '1 for wrong → correct, 0.2 for correct → correct',
  none: 'the refinement is not rewarded',
} as const satisfies Readonly<Record<Config['critique']['reward'], string>>;

/** A critique's reward, compared with the other critiques of the same answer. */
export function Worth({
  said,
  seen,
  group,
}: {
  readonly said: KeptConversation;
  readonly seen: Seen;
  /** The conversations about the same answer, including this one. */
  readonly group: readonly KeptConversation[];
}) {
  const { learned } = said;
  const critique = useLab((lab) => lab.config.critique);
  if (learned === null || seen.verdict === 'none') return null;
  const { stage, reward, advantage } = learned;
  const verdict = seen.read?.right ?? null;
  const discrimination = discriminationReward({ right: seen.right, verdict });
  const refined = seen.refined ?? false;
  const indirect = indirectRewards[critique.reward]({ right: seen.right, verdict, refined });
  return (
    <Turn
      title="The critique’s reward"
      line={
        stage === 1
          ? 'Stage I rewards the critic for its verdict alone: 1 if it is true.'
          : 'Stage II rewards the critic for the actor’s refinement and for a true verdict.'
      }
    >
      <dl className="conv-worth">
        <div>
          <dt>
            r_dis <small>1 if the verdict is true</small>
          </dt>
          <dd>{discrimination}</dd>
        </div>
        {stage === 1 ? null : (
          <div>
            <dt>
              {rewardNames[critique.reward]} <small>{rewardLines[critique.reward]}</small>
            </dt>
            <dd>{exact(indirect)}</dd>
          </div>
        )}
        <div>
          <dt>
            reward{' '}
            <small>
              {stage === 1
                ? 'r_dis'
                : critique.reward_form === 'sum'
                  ? `${rewardNames[critique.reward]} + ${exact(critique.discrimination)} · r_dis`
                  : `${rewardNames[critique.reward]} + ${exact(critique.discrimination)} if the verdict is true, else −1`}
            </small>
          </dt>
          <dd>{exact(reward)}</dd>
        </div>
        <div>
          <dt>
            advantage{' '}
            <small>
              compared with the other critiques of this answer; above 0, this critique becomes more
              probable
            </small>
          </dt>
          <dd className={advantage < 0 ? 'conv-down' : advantage > 0 ? 'conv-up' : ''}>
            {signed(advantage)}
          </dd>
        </div>
      </dl>
      <Group said={said} group={group} />
    </Turn>
  );
}

/** The critiques of one answer, each with its reward; pressing one opens it. */
function Group({
  said,
  group,
}: {
  readonly said: KeptConversation;
  readonly group: readonly KeptConversation[];
}) {
  if (group.length < 2) return null;
  return (
    <fieldset className="conv-group">
      <legend>The {group.length} critiques of this answer</legend>
      {group.map(({ number, learned }, place) => (
        <button
          key={number}
          type="button"
          aria-pressed={number === said.number}
          onClick={() => useConversations.setState({ chosen: number })}
        >
          {place + 1}
          <b>{learned === null ? '–' : exact(learned.reward)}</b>
          <small>{learned === null ? '' : signed(learned.advantage)}</small>
        </button>
      ))}
    </fieldset>
  );
}
