import { percent, several, thousands } from '../../../runs/numbers.ts';
import type { FactsOf } from '../../../runs/phase-facts.ts';
import { exact, signed } from '../inspector/measures.ts';
import { GroupWorking, Line, memberEquation, TokenWorking } from '../inspector/worked.tsx';
import { FollowedEpisode } from './members.tsx';
import { byTurn, inFew, raised, rewardsToCome, signedInFew } from './numbers.ts';
import { PaintedEpisode } from './painted.tsx';
import {
  followToken,
  GroupMembers,
  Numbers,
  Part,
  TokenChips,
  useFollowed,
  useFollowedToken,
} from './parts.tsx';

/** Shown if no group of the iteration has both a success and a failure. */
const ALIKE =
  'In this iteration, no task has both a successful and a failed episode. After a few more iterations there is more to compare.';

type Member = FactsOf<'rollout'>['members'][number];

const isLike =
  ({ record: { success } }: Member) =>
  ({ record }: Member) =>
    record.success === success;

export function RolloutFacts({ rollout }: { readonly rollout: FactsOf<'rollout'> }) {
  const { groups, episodes, solved, turns, tokens, horizon, paused, members } = rollout;
  const shown = members[useFollowed(rollout)] ?? members[0];
  return (
    <Part
      title="Roll out"
      lead={`The policy generates one token at a time, each sampled from its probabilities, until the episode ends or reaches ${several(horizon, 'turn')}. Every task is played several times, so that its episodes can be compared.`}
    >
      {shown === undefined ? (
        <p className="details-note">No group of episodes finished in this iteration.</p>
      ) : (
        <>
          <p className="step-follow">
            From here on we follow the {several(members.length, 'episode')} of{' '}
            <b>{shown.record.taskId}</b>. {members.every(isLike(shown)) ? ALIKE : ''}
          </p>
          <GroupMembers
            rollout={rollout}
            say={(place) => several(members[place]?.record.turns.length ?? 0, 'turn')}
          />
          <FollowedEpisode
            record={shown.record}
            written={(entry, index) => (
              <>
                {shown.tokens
                  .filter((token) => token.turn === index)
                  .map((token, place) => (
                    <span key={place} className="itoken-plain" translate="no">
                      {token.text} <small>{percent(Math.exp(token.logp))}</small>
                    </span>
                  ))}
                {entry.understood ? null : <small>not an action</small>}
                {entry.reward === 0 ? null : (
                  <span className="reward">reward {signed(entry.reward)}</span>
                )}
              </>
            )}
          />
        </>
      )}
      <Numbers
        of={[
          ['Tasks', thousands(groups)],
          ['Episodes', thousands(episodes)],
          ['Solved', thousands(solved)],
          ['Turns', thousands(turns)],
          ['Tokens generated', thousands(tokens)],
          ...(paused > 0 ? ([['Paused episodes', thousands(paused)]] as const) : []),
        ]}
      />
    </Part>
  );
}

interface ScoreProps {
  readonly rollout: FactsOf<'rollout'>;
  readonly score: FactsOf<'score'>;
}

export function ScoreFacts({ rollout, score }: ScoreProps) {
  const { rewards, leftOut, members } = score;
  return (
    <Part
      title="Score"
      lead="The environment rewards each episode. Later rewards count a little less: by a factor γ per turn."
    >
      {members.length === 0 ? (
        <p className="details-note">
          The followed group is left out: all its rewards are equal, so it has no learning signal.
        </p>
      ) : (
        <>
          <GroupMembers rollout={rollout} say={(place) => `R = ${exact(members[place]?.reward)}`} />
          <ScoredEpisode rollout={rollout} score={score} />
        </>
      )}
      <Numbers
        of={[
          ['Episodes to learn from', thousands(rewards.count)],
          ['Mean reward', exact(rewards.mean)],
          ['Standard deviation', exact(rewards.std)],
          ...(leftOut > 0 ? ([['Dropped groups', thousands(leftOut)]] as const) : []),
        ]}
      />
    </Part>
  );
}

/** Maximum number of value estimates listed. */
const MOST_VALUES = 12;

/** The reward to go of the followed episode, computed from its last turn back. */
function ScoredEpisode({ rollout, score }: ScoreProps) {
  const member = useFollowed(rollout);
  const [written, shown] = [rollout.members[member], score.members[member]];
  if (written === undefined || shown === undefined) return null;
  const { gamma } = score;
  const { record, tokens } = written;
  const earned = byTurn(tokens, shown.rewards, record.turns.length);
  const terms = earned.flatMap((reward, t) =>
    reward === 0 ? [] : [`${exact(gamma)}${raised(t)}·${exact(reward)}`],
  );
  const toCome = rewardsToCome(earned, gamma);
  const [before = 0, last = 0] = [earned.at(-2), toCome.at(-1)];
  return (
    <div className="step-columns">
      <PaintedEpisode record={record} values={toCome} say={inFew} turn={null} backwards>
        The reward to go after each turn, starting from the last: r + γ · the next turn’s.
      </PaintedEpisode>
      <ul className="working" data-testid="worked">
        <Line note={`γ = ${gamma}; t counts turns from 0`}>
          R = Σ γ<sup>t</sup>·r<sub>t</sub> = {terms.length === 0 ? '0' : terms.join(' + ')} ={' '}
          <b>{exact(shown.reward)}</b>
        </Line>
        {toCome.length < 2 || last === 0 ? null : (
          <Line note="for the second-to-last turn, and so on back to the first">
            r + γ·(next turn’s) = {exact(before)} + {exact(gamma)}·{exact(last)} ={' '}
            <b>{exact(toCome.at(-2))}</b>
          </Line>
        )}
        {shown.greedyReward === null ? null : (
          <Line note="of the same task, played greedily: always the most probable token">
            R<sub>greedy</sub> = <b>{exact(shown.greedyReward)}</b>
          </Line>
        )}
        {shown.values === null ? null : (
          <Line note="the value head’s estimate at each token, from the first on">
            V = {shown.values.slice(0, MOST_VALUES).map(exact).join(', ')}
            {shown.values.length > MOST_VALUES ? ' …' : ''}
          </Line>
        )}
        {shown.bootstrap === null || shown.bootstrap === 0 ? null : (
          <Line note="the horizon truncated the episode; the value head estimates the rest">
            V at the horizon = <b>{exact(shown.bootstrap)}</b>
          </Line>
        )}
      </ul>
    </div>
  );
}

interface AdvantagesProps {
  readonly rollout: FactsOf<'rollout'>;
  readonly advantages: FactsOf<'advantages'>;
}

export function AdvantagesFacts({ rollout, advantages }: AdvantagesProps) {
  const { group, positive, zero, negative } = advantages;
  return (
    <Part
      title="Advantages"
      lead="An advantage measures how much better than expected a token turned out. Tokens with positive advantage become more probable, tokens with negative advantage less probable."
    >
      {group === null ? (
        <p className="details-note">The followed group is left out; nothing is learned from it.</p>
      ) : (
        <>
          <GroupMembers
            rollout={rollout}
            say={(place) => {
              const one = group.members[place];
              return one === undefined
                ? ''
                : (memberEquation(one, group) ?? `mean ${signed(one.advantage)}`);
            }}
          />
          <WorkedEpisode rollout={rollout} advantages={advantages} />
          {group.whitening === null ? null : <GroupWorking group={group} />}
        </>
      )}
      <Numbers
        of={[
          ['Tokens with positive advantage', thousands(positive)],
          ['With zero advantage', thousands(zero)],
          ['With negative advantage', thousands(negative)],
        ]}
      />
    </Part>
  );
}

/** The followed episode with the advantage of every token, and the derivation for one of them. */
function WorkedEpisode({ rollout, advantages: { group, worked } }: AdvantagesProps) {
  const { member, token } = useFollowedToken(rollout);
  const [written, own] = [rollout.members[member], worked[member] ?? []];
  if (written === undefined || group === null) return null;
  const { record, tokens } = written;
  const all = own.map(({ advantage }) => advantage);
  const chosen = own[token];
  return (
    <div className="step-columns">
      <PaintedEpisode
        record={record}
        values={byTurn(tokens, all, record.turns.length, 'mean')}
        say={signedInFew}
        turn={tokens[token]?.turn ?? null}
        backwards={false}
      >
        Blue: better than expected. Ochre: worse.
      </PaintedEpisode>
      <div className="step-worked">
        <p className="step-follow">Tokens of episode {member + 1}, each with its advantage:</p>
        <TokenChips
          label="Tokens of the episode"
          chosen={token}
          onChoose={(place) => followToken({ member, token: place })}
          tokens={own.map(({ advantage }, place) => ({
            text: tokens[place]?.text ?? '',
            says: signed(advantage),
            value: advantage,
            turn: tokens[place]?.turn ?? 0,
          }))}
        />
        {chosen === undefined ? null : (
          <div data-testid="worked">
            {group.whitening === null ? <GroupWorking group={group} /> : null}
            <TokenWorking
              worked={chosen}
              next={own[token + 1] ?? null}
              group={group}
              member={group.members[member]}
            />
          </div>
        )}
      </div>
    </div>
  );
}
