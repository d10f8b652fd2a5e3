/** An iteration's conversations of actor and critic, and the critic's reward. */

import '../conversations/conversations.css';
import type { ReactNode } from 'react';
import { environmentIds } from '../../../envs/registry.ts';
import type { ConversationRecord } from '../../../runs/conversation.ts';
import { percent, several, thousands } from '../../../runs/numbers.ts';
import type { FactsOf, VerdictCounts } from '../../../runs/phase-facts.ts';
import { useWorlds } from '../../shell/episode/worlds.ts';
import { useStepThrough } from '../../shell/lab/step-through.ts';
import { useLab } from '../../shell/lab/store.ts';
import { criticizableOf, type Seen, see } from '../conversations/reading.ts';
import { AnswerSteps, labelColumn } from '../conversations/steps.tsx';
import { flipLines, flipNames, rightness, verdictNames } from '../conversations/words.ts';
import { rewardNames } from '../conversations/worth.tsx';
import { exact, signed } from '../inspector/measures.ts';
import { GroupWorking, Line, memberEquation } from '../inspector/worked.tsx';
import { Numbers, Part } from './parts.tsx';
import { Shares } from './shares.tsx';

/** The run's environment, once it has loaded. */
function useWorld() {
  const environment = useLab((lab) => lab.config.env);
  const ready = useWorlds(environmentIds(environment));
  return { environment, world: ready ? criticizableOf(environment) : null };
}

export function AnswerFacts({ answer }: { readonly answer: FactsOf<'answer'> }) {
  const { answers, right, tokens, followed, stage } = answer;
  const { environment, world } = useWorld();
  return (
    <Part
      title="Answer"
      lead="The actor answers questions step by step. It is frozen while the critic learns, so only the critiques can improve its answers."
    >
      <Numbers
        of={[
          ...(stage === null ? [] : ([['Stage', stage === 1 ? 'I' : 'II']] as const)),
          ['Answers', thousands(answers)],
          ['Correct', `${thousands(right)} (${percent(right / Math.max(1, answers))})`],
          ['Tokens generated', thousands(tokens)],
        ]}
      />
      <Shares
        of={[
          { name: 'correct', count: right, tone: 'good' },
          { name: 'wrong', count: answers - right, tone: 'bad' },
        ]}
      >
        Correct and wrong answers
      </Shares>
      {followed === null || world === null ? null : (
        <>
          <p className="step-follow">
            From here on we follow an answer to <b>{followed.task}</b>. The ground truth comes from
            the oracle; the critic does not see it.
          </p>
          <AnswerSteps
            environment={environment}
            task={followed.task}
            answer={followed.answer}
            asked
            judged
          />
        </>
      )}
    </Part>
  );
}

const share = ({ heard, true: right }: VerdictCounts): string =>
  heard === 0 ? '–' : `${thousands(right)} of ${thousands(heard)} (${percent(right / heard)})`;

export function CriticizeFacts({ criticize }: { readonly criticize: FactsOf<'criticize'> }) {
  const { critiques, ofRight, ofWrong, malformed, tokens, followed } = criticize;
  return (
    <Part
      title="Critique"
      lead="The critic labels the steps of every answer, up to the first one it considers wrong, and judges the whole answer correct or wrong. It critiques each answer several times, so that its critiques can be compared."
    >
      <Numbers
        of={[
          ['Critiques', thousands(critiques)],
          ['Accuracy on correct answers', share(ofRight)],
          ['Accuracy on wrong answers', share(ofWrong)],
          ['Unreadable', thousands(malformed)],
          ['Tokens generated', thousands(tokens)],
        ]}
      />
      <Shares
        of={[
          { name: 'true', count: ofRight.true + ofWrong.true, tone: 'good' },
          {
            name: 'false',
            count: ofRight.heard + ofWrong.heard - ofRight.true - ofWrong.true,
            tone: 'bad',
          },
        ]}
      >
        Verdicts
      </Shares>
      <Followed
        all={followed}
        say={(_, seen) => verdictNames[seen.verdict]}
        show={(said, seen, environment) => (
          <AnswerSteps
            environment={environment}
            task={said.task}
            answer={said.answer}
            asked
            judged
            columns={[labelColumn('The critic', seen)]}
          />
        )}
      />
    </Part>
  );
}

export function RefineFacts({ refine }: { readonly refine: FactsOf<'refine'> }) {
  const { refinements, mended, stillWrong, kept, spoilt, tokens, followed } = refine;
  return (
    <Part
      title="Refine"
      lead="The actor reads its answer with each critique and answers again. A critique is good if it turns a wrong answer into a correct one, and bad if it does the opposite."
    >
      <Numbers
        of={[
          ['Refinements', thousands(refinements)],
          ['Wrong → correct', thousands(mended)],
          ['Wrong → wrong', thousands(stillWrong)],
          ['Correct → correct', thousands(kept)],
          ['Correct → wrong', thousands(spoilt)],
          ['Tokens generated', thousands(tokens)],
        ]}
      />
      <Shares
        of={[
          { name: 'corrected', count: mended, tone: 'good' },
          { name: 'still correct', count: kept, tone: 'plain' },
          { name: 'still wrong', count: stillWrong, tone: 'other' },
          { name: 'broken', count: spoilt, tone: 'bad' },
        ]}
      >
        Changes to the answers
      </Shares>
      <Followed
        all={followed}
        say={(_, seen) => flipNames[seen.flip]}
        show={(said, seen, environment) => (
          <>
            <AnswerSteps
              environment={environment}
              task={said.task}
              answer={said.refinement ?? ''}
              asked
              judged
              changed={seen.changed}
            />
            <p className={`conv-flip conv-${seen.flip}`}>{flipLines[seen.flip]}</p>
          </>
        )}
      />
    </Part>
  );
}

export function RewardFacts({
  reward,
  said,
}: {
  readonly reward: FactsOf<'reward'>;
  /** The followed answer with its critiques so far. */
  readonly said: readonly ConversationRecord[];
}) {
  const { stage, rewards, followed } = reward;
  const { discrimination, reward: indirect, reward_form } = useLab((lab) => lab.config.critique);
  const otherwise = reward_form === 'replace' ? ', or only −1 if the verdict is false' : '';
  return (
    <Part
      title="Reward"
      lead={
        stage === 1
          ? 'In stage I a critique earns 1 if its verdict is true, else 0. This teaches the critic to discriminate correct answers from wrong ones.'
          : `In stage II a critique earns the result of the actor’s refinement (${rewardNames[indirect]}) plus ${exact(discrimination)} for a true verdict${otherwise}. The critic learns to be helpful and keeps the ability to tell correct answers from wrong ones.`
      }
    >
      <Numbers
        of={[
          ['Critiques', thousands(rewards.count)],
          ['Mean reward', exact(rewards.mean)],
          ['Standard deviation', exact(rewards.std)],
        ]}
      />
      <Followed
        all={said}
        say={(place) => `R = ${exact(followed[place])}`}
        show={(_, seen, _environment, place) => (
          <ul className="working">
            <Line note={`the answer is ${rightness(seen.right)}`}>
              {verdictNames[seen.verdict]}
            </Line>
            {seen.refined === null ? null : (
              <Line note={flipLines[seen.flip]}>{flipNames[seen.flip]}</Line>
            )}
            <Line note="reward of this critique">
              R = <b>{exact(followed[place])}</b>
            </Line>
          </ul>
        )}
      />
    </Part>
  );
}

export function CritiqueAdvantages({
  advantages,
  said,
}: {
  readonly advantages: FactsOf<'advantages'>;
  readonly said: readonly ConversationRecord[];
}) {
  const { group, positive, zero, negative } = advantages;
  return (
    <Part
      title="Advantages"
      lead="A critique is compared with the other critiques of the same answer. If its advantage is positive, its tokens become more probable; if negative, less probable. If all critiques earned the same reward, there is nothing to learn."
    >
      <Numbers
        of={[
          ['Tokens with positive advantage', thousands(positive)],
          ['With zero advantage', thousands(zero)],
          ['With negative advantage', thousands(negative)],
        ]}
      />
      {group === null ? null : (
        <>
          <GroupWorking group={group} />
          <Followed
            all={said}
            say={(place) => `A = ${signed(group.members[place]?.advantage ?? Number.NaN)}`}
            show={(_, _seen, _environment, place) => {
              const member = group.members[place];
              const equation = member === undefined ? null : memberEquation(member, group);
              return equation === null ? null : (
                <ul className="working">
                  <Line note="its reward relative to the baseline for critiques of this answer">
                    A = {equation}
                  </Line>
                </ul>
              );
            }}
          />
        </>
      )}
    </Part>
  );
}

/** The critiques of the followed answer as buttons; one is selected. */
function Followed({
  all,
  say,
  show,
}: {
  readonly all: readonly ConversationRecord[];
  readonly say: (place: number, seen: Seen) => ReactNode;
  readonly show: (
    said: ConversationRecord,
    seen: Seen,
    environment: ReturnType<typeof useWorld>['environment'],
    place: number,
  ) => ReactNode;
}) {
  const member = useStepThrough((state) => state.member) ?? 0;
  const { environment, world } = useWorld();
  if (world === null) return null;
  if (all.length === 0) {
    return <p className="details-note">The followed answer has no critique.</p>;
  }
  const seen = all.map((said) => see(world, said));
  const at = Math.min(member, all.length - 1);
  const [chosen, chosenSeen] = [all[at], seen[at]];
  return (
    <>
      <p className="step-follow">The {several(all.length, 'critique')} of the followed answer:</p>
      <fieldset className="step-members" aria-label="Critiques of the answer">
        {seen.map((one, place) => (
          <button
            key={place}
            type="button"
            aria-pressed={place === at}
            className={place === at ? 'step-member step-chosen' : 'step-member'}
            onClick={() => useStepThrough.setState({ member: place })}
          >
            <span>Critique {place + 1}</span>
            <b>{say(place, one)}</b>
          </button>
        ))}
      </fieldset>
      {chosen === undefined || chosenSeen === undefined
        ? null
        : show(chosen, chosenSeen, environment, at)}
    </>
  );
}
