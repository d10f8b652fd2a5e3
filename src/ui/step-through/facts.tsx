import type { ReactNode } from 'react';
import { percent, significant, thousands } from '../../runs/numbers.ts';
import type { FactsOf } from '../../runs/phase-facts.ts';
import { exact, heldNames, signed } from '../inspector/measures.ts';
import { heatStyle } from '../inspector/token.tsx';
import {
  GroupWorking,
  Line,
  LossWorking,
  memberEquation,
  TokenWorking,
} from '../inspector/worked.tsx';
import { FollowedEpisode, Members } from './members.tsx';
import { useStepThrough } from './store.ts';

interface PartProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}

/** A phase: what it does, then its numbers. */
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

/** Numbers with their names. */
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

export const several = (count: number, one: string, many = `${one}s`) =>
  `${thousands(count)} ${count === 1 ? one : many}`;

/** The episodes of the followed group. */
function GroupMembers({
  rollout,
  say,
}: {
  readonly rollout: FactsOf<'rollout'>;
  readonly say: (member: number) => ReactNode;
}) {
  const members = rollout.members.map(({ record }, place) => ({
    place,
    record,
    name: `Episode ${place + 1}`,
    say: say(place),
  }));
  return <Members label="Episodes of the group" of={members} />;
}

export function RolloutFacts({ rollout }: { readonly rollout: FactsOf<'rollout'> }) {
  const member = useStepThrough((state) => state.member);
  const { groups, episodes, solved, turns, tokens, horizon, paused, members } = rollout;
  const shown = members[member] ?? members[0];
  return (
    <Part
      title="Roll out"
      lead={`The policy writes one token after the other, each drawn from its own probabilities, until the episode ends or ${several(horizon, 'turn')} are over. Every task is played several times, so that its episodes can be compared.`}
    >
      <Numbers
        of={[
          ['Tasks', thousands(groups)],
          ['Episodes', thousands(episodes)],
          ['Solved', thousands(solved)],
          ['Turns', thousands(turns)],
          ['Tokens written', thousands(tokens)],
          ...(paused > 0 ? ([['To be continued', thousands(paused)]] as const) : []),
        ]}
      />
      {shown === undefined ? (
        <p className="details-note">No group of episodes came to its end in this iteration.</p>
      ) : (
        <>
          <p className="step-follow">
            From here on we follow the {several(members.length, 'episode')} of{' '}
            <b>{shown.record.taskId}</b>.
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
                    <span key={place} className="itoken-plain">
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
    </Part>
  );
}

export function ScoreFacts({
  rollout,
  score,
}: {
  readonly rollout: FactsOf<'rollout'>;
  readonly score: FactsOf<'score'>;
}) {
  const member = useStepThrough((state) => state.member);
  const { gamma, rewards, leftOut, members } = score;
  const shown = members[member] ?? members[0];
  const turnOf = rollout.members[member]?.tokens ?? [];
  const terms = (shown?.rewards ?? []).flatMap((reward, t) =>
    reward === 0 ? [] : [`${exact(gamma)}^${turnOf[t]?.turn ?? 0}·${exact(reward)}`],
  );
  return (
    <Part
      title="Score"
      lead="The environment says what each episode was worth. Rewards that come later count a little less: by γ for every turn."
    >
      <Numbers
        of={[
          ['Episodes to learn from', thousands(rewards.count)],
          ['Mean reward', exact(rewards.mean)],
          ['Standard deviation', exact(rewards.std)],
          ...(leftOut > 0 ? ([['Groups left out', thousands(leftOut)]] as const) : []),
        ]}
      />
      {shown === undefined ? (
        <p className="details-note">
          The followed group is left out: all its rewards are equal, so that comparing them teaches
          nothing.
        </p>
      ) : (
        <>
          <GroupMembers rollout={rollout} say={(place) => `R = ${exact(members[place]?.reward)}`} />
          <ul className="working">
            <Line note={`γ = ${gamma}; t counts turns from 0`}>
              R = Σ γ<sup>t</sup>·r<sub>t</sub> = {terms.length === 0 ? '0' : terms.join(' + ')} ={' '}
              <b>{exact(shown.reward)}</b>
            </Line>
            {shown.greedyReward === null ? null : (
              <Line note="of the same task, played with the most probable token at every turn">
                R<sub>greedy</sub> = <b>{exact(shown.greedyReward)}</b>
              </Line>
            )}
            {shown.values === null ? null : (
              <Line note="what the value head expects at each token, from the first to the last">
                V = {shown.values.map(exact).join(', ')}
              </Line>
            )}
            {shown.bootstrap === null || shown.bootstrap === 0 ? null : (
              <Line note="the horizon cut the episode; the value head says what was still to come">
                V after the cut = <b>{exact(shown.bootstrap)}</b>
              </Line>
            )}
          </ul>
        </>
      )}
    </Part>
  );
}

export function AdvantagesFacts({
  rollout,
  advantages,
}: {
  readonly rollout: FactsOf<'rollout'>;
  readonly advantages: FactsOf<'advantages'>;
}) {
  const { member, token } = useStepThrough();
  const { group, worked, positive, zero, negative } = advantages;
  const own = worked[member] ?? [];
  const tokens = rollout.members[member]?.tokens ?? [];
  const chosen = own[token] ?? own[0];
  const numbers = group?.members[member];
  return (
    <Part
      title="Advantages"
      lead="An advantage says how much better than expected a token turned out. Above zero it is to become more probable, below zero less."
    >
      <Numbers
        of={[
          ['Tokens above zero', thousands(positive)],
          ['At zero', thousands(zero)],
          ['Below zero', thousands(negative)],
        ]}
      />
      {group === null ? (
        <p className="details-note">The followed group is left out; nothing is learned from it.</p>
      ) : (
        <>
          <GroupWorking group={group} />
          <GroupMembers
            rollout={rollout}
            say={(place) => {
              const one = group.members[place];
              return one === undefined
                ? ''
                : (memberEquation(one, group.equal) ?? `mean A = ${signed(one.advantage)}`);
            }}
          />
          <p className="step-follow">Tokens of episode {member + 1}, each with its advantage:</p>
          <TokenChips
            label="Tokens of the episode"
            chosen={Math.min(token, own.length - 1)}
            onChoose={(place) => useStepThrough.setState({ token: place })}
            tokens={own.map(({ advantage }, place) => ({
              text: tokens[place]?.text ?? '',
              says: signed(advantage),
              value: advantage,
            }))}
          />
          {chosen === undefined ? null : (
            <TokenWorking
              worked={chosen}
              next={own[own.indexOf(chosen) + 1] ?? null}
              group={group}
              member={numbers}
            />
          )}
        </>
      )}
    </Part>
  );
}

/** The chosen token of an update; a token that was held back tells the most. */
function useLossToken({ shown }: FactsOf<'loss'>): number {
  const chosen = useStepThrough((state) => state.lossToken);
  const held = shown.findIndex(({ update }) => update.held !== null);
  return chosen ?? Math.max(0, held);
}

export function LossFacts({ loss }: { readonly loss: FactsOf<'loss'> }) {
  const lossToken = useLossToken(loss);
  const { index, of, episodes, tokens, clipLow, clipHigh, held, shown, surrogate } = loss;
  const chosen = shown[lossToken] ?? shown[0];
  const followed = shown.some(({ member }) => member !== null);
  return (
    <Part
      title={`Loss of update ${index} of ${of}`}
      lead="An iteration makes several updates, each from a part of the episodes. A token’s loss is its advantage times the ratio r of its probability now to what it was when it was written; the bounds keep one update from going too far. In the first update nothing has changed yet, so that r is 1."
    >
      <Numbers
        of={[
          ['Episodes in this part', thousands(episodes)],
          ['Tokens', thousands(tokens)],
          ['Bounds of r', `${exact(clipLow)} … ${exact(clipHigh)}`],
          ['Held back', `${thousands(held)} (${percent(held / Math.max(1, tokens))})`],
          ['Loss', exact(loss.loss)],
        ]}
      />
      <p className="step-follow">
        {followed
          ? 'Tokens of the followed group in this part, each with its ratio:'
          : `None of the followed episodes is in this part. Tokens of another episode${chosen?.taskId ? `, of ${chosen.taskId}` : ''}, each with its ratio:`}
      </p>
      <TokenChips
        label="Tokens of the update"
        chosen={Math.min(lossToken, shown.length - 1)}
        onChoose={(place) => useStepThrough.setState({ lossToken: place })}
        tokens={shown.map(({ text, update }) => ({
          text,
          says: `×${update.ratio.toFixed(3)}${update.held === null ? '' : `, ${heldNames[update.held]}`}`,
          value: Math.log(update.ratio),
        }))}
      />
      {chosen === undefined ? null : (
        <ul className="working">
          <Line
            note={
              chosen.member === null
                ? `turn ${chosen.turn + 1}`
                : `episode ${chosen.member + 1}, turn ${chosen.turn + 1}`
            }
          >
            <span className="itoken-plain">{chosen.text}</span> with A ={' '}
            <b>{signed(chosen.advantage)}</b>
          </Line>
        </ul>
      )}
      {chosen === undefined ? null : (
        <LossWorking update={chosen.update} advantage={chosen.advantage} surrogate={surrogate} />
      )}
      <ul className="working">
        <Line note="each token with its weight, entropy, KL and value terms included">
          Σ w·loss over {several(tokens, 'token')} = <b>{exact(loss.loss)}</b>
        </Line>
      </ul>
    </Part>
  );
}

export function UpdateFacts({
  loss,
  update,
}: {
  readonly loss: FactsOf<'loss'>;
  readonly update: FactsOf<'update'>;
}) {
  const lossToken = useLossToken(loss);
  const { index, of, detail, learningRate, maxGradNorm, shown, biggest, meanChange } = update;
  const { gradNorm, skipped } = detail;
  const factor = Math.min(1, maxGradNorm / gradNorm);
  const chosen = shown[lossToken] ?? shown[0];
  return (
    <Part
      title={`Update ${index} of ${of}`}
      lead="The gradient of the loss says in which direction to move every weight. AdamW takes one step that way, as long as the learning rate allows, and every probability shifts a little."
    >
      <Numbers
        of={[
          ['Update of the run', thousands(detail.update)],
          ['Gradient norm', exact(gradNorm)],
          ['Learning rate', exact(learningRate)],
          ['Mean change', `${significant(100 * meanChange)} percentage points`],
        ]}
      />
      {skipped ? (
        <p className="details-note">
          The gradient was not finite, so that the weights were left as they were.
        </p>
      ) : (
        <ul className="working">
          <Line
            note={
              factor < 1
                ? 'the gradient is longer than allowed and is scaled down'
                : 'the gradient is no longer than allowed and is taken whole'
            }
          >
            min(1, {exact(maxGradNorm)} / {exact(gradNorm)}) = <b>{exact(factor)}</b>
          </Line>
          {biggest === null ? null : (
            <Line
              note={`the biggest change of a probability; its advantage is ${signed(biggest.advantage)}`}
            >
              <span className="itoken-plain">{biggest.text}</span> {exact(biggest.before)} →{' '}
              <b>{exact(biggest.after)}</b>
            </Line>
          )}
        </ul>
      )}
      <p className="step-follow">The tokens of before, by how their probability changed:</p>
      <TokenChips
        label="Tokens of the update"
        chosen={Math.min(lossToken, shown.length - 1)}
        onChoose={(place) => useStepThrough.setState({ lossToken: place })}
        tokens={shown.map(({ text, before, after }) => ({
          text,
          says: `${percent(before)} → ${percent(after)}`,
          value: after - before,
        }))}
      />
      {chosen === undefined ? null : (
        <ul className="working">
          <Line
            note={
              loss.shown[lossToken]?.update.held != null
                ? 'its own gradient was held back; it moved with the others'
                : 'tokens share their weights: one may move against its advantage when others pull harder'
            }
          >
            <span className="itoken-plain">{chosen.text}</span> with A = {signed(chosen.advantage)}:
            π = {exact(chosen.before)} → <b>{exact(chosen.after)}</b>
          </Line>
        </ul>
      )}
    </Part>
  );
}

/** Tokens as buttons, blue for more and ochre for less. */
function TokenChips({
  tokens,
  chosen,
  label,
  onChoose,
}: {
  readonly tokens: readonly {
    readonly text: string;
    readonly says: string;
    readonly value: number;
  }[];
  readonly chosen: number;
  readonly label: string;
  readonly onChoose: (place: number) => void;
}) {
  const most = tokens.reduce((size, { value }) => Math.max(size, Math.abs(value)), 1e-9);
  return (
    <fieldset className="itokens" aria-label={label}>
      {tokens.map(({ text, says, value }, place) => (
        <button
          key={place}
          type="button"
          aria-pressed={place === chosen}
          className={`itoken heat-${value < 0 ? 'down' : 'up'}${place === chosen ? ' itoken-chosen' : ''}`}
          style={heatStyle(Math.round((46 * Math.abs(value)) / most))}
          onClick={() => onChoose(place)}
        >
          <span className="itoken-text">{text}</span>
          <span className="itoken-number">{says}</span>
        </button>
      ))}
    </fieldset>
  );
}
