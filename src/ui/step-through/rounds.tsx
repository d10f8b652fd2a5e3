import { titleOf } from '../../envs/registry.ts';
import type { EnvironmentResult } from '../../runs/details.ts';
import { percent, several, thousands } from '../../runs/numbers.ts';
import type { FactsOf, SiftedEpisode, ThrownWhy } from '../../runs/phase-facts.ts';
import { exact } from '../inspector/measures.ts';
import { useLab } from '../lab/store.ts';
import { FollowedEpisode, Members } from './members.tsx';
import { Numbers, Part } from './parts.tsx';
import { Shares } from './shares.tsx';
import { useStepThrough } from './store.ts';

export function ExploreFacts({ explore }: { readonly explore: FactsOf<'explore'> }) {
  const { round, part, parts, tasks, episodes, solved, turns, tokens, horizon } = explore;
  return (
    <Part
      title={`Explore, round ${round}${parts === 1 ? '' : `, part ${part} of ${parts}`}`}
      lead={`The agent, as it is now, tries training tasks of all its environments, most of which the expert never showed. An episode ends by itself or after ${several(horizon, 'turn')}.`}
    >
      <Numbers
        of={[
          ['Tasks', thousands(tasks)],
          ['Episodes', thousands(episodes)],
          ['Solved', `${thousands(solved)} (${percent(solved / Math.max(1, episodes))})`],
          ['Turns', thousands(turns)],
          ['Tokens written', thousands(tokens)],
        ]}
      />
      <Shares
        of={[
          { name: 'solved', count: solved, tone: 'good' },
          { name: 'not solved', count: episodes - solved, tone: 'bad' },
        ]}
      >
        What came of the {several(episodes, 'episode')}
      </Shares>
    </Part>
  );
}

const reasons: Readonly<Record<ThrownWhy, string>> = {
  unrewarded: 'no reward that counts',
  another: 'another try of its task is kept',
  unpaired: 'in no pair of a success and a failure',
};

export function SiftFacts({ sift }: { readonly sift: FactsOf<'sift'> }) {
  const { kept, thrown, shift, environments, shown } = sift;
  const member = useStepThrough((state) => state.member) ?? 0;
  const chosen = shown[member] ?? shown[0];
  return (
    <Part
      title="Keep or throw away"
      lead="Each episode’s reward says how much it counts when the agent learns. An episode that counts nothing is thrown away."
    >
      <Numbers
        of={[
          ['Kept', `${thousands(kept)} (${percent(kept / Math.max(1, kept + thrown))})`],
          ['Thrown away', thousands(thrown)],
          ...(shift > 0 ? ([['Rewards raised by', exact(shift)]] as const) : []),
        ]}
      />
      <table className="round-table">
        <thead>
          <tr>
            <th scope="col">Environment</th>
            <th scope="col">Explored</th>
            <th scope="col">Solved</th>
            <th scope="col">Kept</th>
          </tr>
        </thead>
        <tbody>
          {environments.map(({ id, explored, solved, kept: own }) => (
            <tr key={id}>
              <th scope="row">{titleOf(id)}</th>
              <td>{thousands(explored)}</td>
              <td>{thousands(solved)}</td>
              <td>{thousands(own)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {chosen === undefined ? null : (
        <>
          <Sifted title="Kept" count={kept} of={shown} chosen={member} isKept />
          <Sifted title="Thrown away" count={thrown} of={shown} chosen={member} isKept={false} />
          <p className="step-follow">
            <b>{chosen.record.taskId}</b>: reward {exact(chosen.reward)},{' '}
            {chosen.why === null
              ? `kept with weight ${exact(chosen.weight)}`
              : `thrown away: ${reasons[chosen.why]}`}
            .
          </p>
          <FollowedEpisode record={chosen.record} written={({ action }) => action} />
        </>
      )}
    </Part>
  );
}

/** Some episodes of a round, of those that are kept or of those that are not. */
function Sifted({
  title,
  count,
  of,
  chosen,
  isKept,
}: {
  readonly title: string;
  /** Of all such episodes. */
  readonly count: number;
  readonly of: readonly SiftedEpisode[];
  /** The place of the one that is looked at. */
  readonly chosen: number;
  readonly isKept: boolean;
}) {
  const members = of.flatMap(({ record, why, weight, reward }, place) =>
    (why === null) === isKept
      ? [
          {
            place,
            record,
            name: record.taskId,
            say: isKept ? `counts ${exact(weight)}` : `reward ${exact(reward)}`,
          },
        ]
      : [],
  );
  if (members.length === 0) return null;
  const shown =
    members.length < count ? `${members.length} of ${thousands(count)}` : thousands(count);
  return (
    <div className="step-group">
      <h3>
        {title} <small>{shown}</small>
      </h3>
      <Members label={`${title}: ${shown}`} of={members} chosen={chosen} />
    </div>
  );
}

export function LearnFacts({ learn }: { readonly learn: FactsOf<'learn'> }) {
  const { by, start, fresh, earlier, expert, updates, loss } = learn;
  const before = useLab(({ rows }) => rows.at(-1)?.evaluation?.environments);
  return (
    <Part
      title="Learn"
      lead={
        by === 'pairs'
          ? 'Of each pair, the words of the success become more probable than those of the failure.'
          : start === 'base'
            ? 'The agent begins anew from the weights before imitation and makes the words of all these episodes more probable, each as much as it counts.'
            : 'The agent that explored makes the words of all these episodes more probable, each as much as it counts.'
      }
    >
      <Numbers
        of={[
          ['Kept in this round', thousands(fresh)],
          ['Of earlier rounds', thousands(earlier)],
          ['Of the expert', thousands(expert)],
          ['Updates', thousands(updates)],
          ['Loss', loss === null ? '–' : exact(loss)],
        ]}
      />
      <Shares
        of={[
          { name: 'of this round', count: fresh, tone: 'good' },
          { name: 'of earlier rounds', count: earlier, tone: 'plain' },
          { name: 'of the expert', count: expert, tone: 'other' },
        ]}
      >
        What it learns from
      </Shares>
      {loss === null ? (
        <p className="details-note">The round kept nothing, so the agent stays as it is.</p>
      ) : null}
      {before === undefined ? null : <BeforeTable before={before} />}
    </Part>
  );
}

/** Greedy success in each environment by the agent of the round before. */
function BeforeTable({ before }: { readonly before: readonly EnvironmentResult[] }) {
  return (
    <table className="round-table">
      <thead>
        <tr>
          <th scope="col">Environment</th>
          <th scope="col">Success before this round</th>
        </tr>
      </thead>
      <tbody>
        {before.map(({ id, successRate }) => (
          <tr key={id}>
            <th scope="row">{titleOf(id)}</th>
            <td>{percent(successRate)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
