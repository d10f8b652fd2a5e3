import { titleOf } from '../../../envs/registry.ts';
import type { EnvironmentResult } from '../../../runs/details.ts';
import { percent, several, thousands } from '../../../runs/numbers.ts';
import type { FactsOf, SiftedEpisode, ThrownWhy } from '../../../runs/phase-facts.ts';
import { useStepThrough } from '../../shell/lab/step-through.ts';
import { useLab } from '../../shell/lab/store.ts';
import { exact } from '../inspector/measures.ts';
import { FollowedEpisode, Members } from './members.tsx';
import { Numbers, Part } from './parts.tsx';
import { Shares } from './shares.tsx';

export function ExploreFacts({ explore }: { readonly explore: FactsOf<'explore'> }) {
  const { round, part, parts, tasks, episodes, solved, turns, tokens, horizon } = explore;
  return (
    <Part
      title={`Explore, round ${round}${parts === 1 ? '' : `, part ${part} of ${parts}`}`}
      lead={`The current agent tries training tasks of all its environments, most of them never demonstrated. An episode ends on its own or after ${several(horizon, 'turn')}.`}
    >
      <Numbers
        of={[
          ['Tasks', thousands(tasks)],
          ['Episodes', thousands(episodes)],
          ['Solved', `${thousands(solved)} (${percent(solved / Math.max(1, episodes))})`],
          ['Turns', thousands(turns)],
          ['Tokens generated', thousands(tokens)],
        ]}
      />
      <Shares
        of={[
          { name: 'solved', count: solved, tone: 'good' },
          { name: 'not solved', count: episodes - solved, tone: 'bad' },
        ]}
      >
        Outcomes of the {several(episodes, 'episode')}
      </Shares>
    </Part>
  );
}

const reasons: Readonly<Record<ThrownWhy, string>> = {
  unrewarded: 'no positive reward',
  another: 'another attempt at its task is kept',
  unpaired: 'not selected for a pair of a success and a failure',
};

export function SiftFacts({ sift }: { readonly sift: FactsOf<'sift'> }) {
  const { kept, thrown, shift, environments, shown } = sift;
  const member = useStepThrough((state) => state.member) ?? 0;
  const chosen = shown[member] ?? shown[0];
  return (
    <Part
      title="Keep or drop"
      lead="Each episode’s reward determines its weight in training. An episode with weight 0 is dropped."
    >
      <Numbers
        of={[
          ['Kept', `${thousands(kept)} (${percent(kept / Math.max(1, kept + thrown))})`],
          ['Dropped', thousands(thrown)],
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
          <Sifted title="Dropped" count={thrown} of={shown} chosen={member} isKept={false} />
          <p className="step-follow">
            <b>{chosen.record.taskId}</b>: reward {exact(chosen.reward)},{' '}
            {chosen.why === null
              ? `kept with weight ${exact(chosen.weight)}`
              : `dropped: ${reasons[chosen.why]}`}
            .
          </p>
          <FollowedEpisode
            record={chosen.record}
            written={({ action }) => <span translate="no">{action}</span>}
          />
        </>
      )}
    </Part>
  );
}

/** Some episodes of a round, kept or dropped. */
function Sifted({
  title,
  count,
  of,
  chosen,
  isKept,
}: {
  readonly title: string;
  /** Total number of such episodes in the round. */
  readonly count: number;
  readonly of: readonly SiftedEpisode[];
  /** Index of the selected one. */
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
            say: isKept ? `weight ${exact(weight)}` : `reward ${exact(reward)}`,
          },
        ]
      : [],
  );
  if (members.length === 0) return null;
  const shown =
    members.length < count ? `${members.length} of ${thousands(count)} shown` : thousands(count);
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
          ? 'In each pair, the tokens of the success become more probable relative to the tokens of the failure.'
          : start === 'base'
            ? 'The agent restarts from the weights before imitation and makes the tokens of all these episodes more probable, in proportion to their weights.'
            : 'The agent that explored makes the tokens of all these episodes more probable, in proportion to their weights.'
      }
    >
      <Numbers
        of={[
          ['Kept in this round', thousands(fresh)],
          ['From earlier rounds', thousands(earlier)],
          ['From the expert', thousands(expert)],
          ['Updates', thousands(updates)],
          ['Loss', loss === null ? '–' : exact(loss)],
        ]}
      />
      <Shares
        of={[
          { name: 'from this round', count: fresh, tone: 'good' },
          { name: 'from earlier rounds', count: earlier, tone: 'plain' },
          { name: 'from the expert', count: expert, tone: 'other' },
        ]}
      >
        Training data
      </Shares>
      {loss === null ? (
        <p className="details-note">The round kept nothing, so the agent stays unchanged.</p>
      ) : null}
      {before === undefined ? null : <BeforeTable before={before} />}
    </Part>
  );
}

/** The greedy success of the previous round's agent in each environment. */
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
