import type { Alternatives, InspectedToken, Inspection } from '../../../runs/inspection.ts';
import { chance, several, significant } from '../../../runs/numbers.ts';
import { exact, measureText } from './measures.ts';
import { LossWorking, TokenWorking } from './worked.tsx';

interface DetailsProps {
  readonly inspection: Inspection;
  /** Counted over the episode; null for no selection. */
  readonly token: number | null;
  readonly alternatives: Alternatives | null;
  readonly withoutAlternatives: string | null;
}

/** All recorded data of one token. */
export function Details({ inspection, token, alternatives, withoutAlternatives }: DetailsProps) {
  const chosen = token === null ? undefined : inspection.tokens[token];
  if (chosen === undefined || token === null) {
    return (
      <p className="details-none">
        {inspection.tokens.length === 0
          ? 'No token of this episode was recorded.'
          : 'Choose a token of the agent to see its alternatives and what was learned from it.'}
      </p>
    );
  }
  return (
    <section className="details" aria-label="The chosen token" data-testid="token-details">
      <h3>
        <span className="itoken-plain" translate="no">
          {chosen.text}
        </span>
        <small>
          token {token + 1} of {inspection.tokens.length}, turn {chosen.turn + 1}
        </small>
      </h3>
      <dl className="details-facts">
        <div>
          <dt>Probability</dt>
          <dd>{measureText(chosen, 'probability')}</dd>
        </div>
        <div>
          <dt>Log-probability</dt>
          <dd>{exact(chosen.logp)}</dd>
        </div>
        <div>
          <dt>Entropy</dt>
          <dd>
            {significant(chosen.entropy)} <small>nats</small>
          </dd>
        </div>
        <div>
          <dt>Written by version</dt>
          <dd>{chosen.version}</dd>
        </div>
      </dl>
      <h4>Alternatives</h4>
      <Choices
        written={chosen}
        place={token}
        alternatives={alternatives}
        without={withoutAlternatives}
      />
      <Learned inspection={inspection} token={chosen} />
    </section>
  );
}

/** The most probable tokens at this position under the current weights. */
function Choices({
  written,
  place,
  alternatives,
  without,
}: {
  readonly written: InspectedToken;
  readonly place: number;
  readonly alternatives: Alternatives | null;
  readonly without: string | null;
}) {
  const found = alternatives?.tokens[place];
  if (alternatives === null || found === undefined) {
    return (
      <p className="details-wait">
        {without ?? 'Asking the agent; while it trains, it answers after the current iteration.'}
      </p>
    );
  }
  const { top, probability, rank } = found;
  const later = alternatives.version - written.version;
  const listed = top.some(({ text }) => text === written.text);
  return (
    <>
      <p className="details-note">
        {later === 0
          ? 'By the policy that wrote it.'
          : `By the current policy, version ${alternatives.version}: ${several(later, 'update')} after the one that wrote it.`}
      </p>
      <table className="choices" aria-label="Most probable tokens here">
        <tbody>
          {top.map(({ text, probability: p }) => (
            <Choice key={text} text={text} probability={p} written={text === written.text} />
          ))}
          {listed ? null : (
            <Choice text={written.text} probability={probability} written rank={rank} />
          )}
        </tbody>
      </table>
    </>
  );
}

function Choice({
  text,
  probability,
  written,
  rank,
}: {
  readonly text: string;
  readonly probability: number;
  readonly written: boolean;
  readonly rank?: number;
}) {
  return (
    <tr className={written ? 'choice-written' : ''}>
      <th scope="row" translate="no">
        {text}
        {written ? <small> written{rank === undefined ? '' : `, rank ${rank}`}</small> : null}
      </th>
      <td className="choice-bar" aria-hidden>
        <span style={{ width: `${100 * probability}%` }} />
      </td>
      <td className="choice-p">{chance(probability)}</td>
    </tr>
  );
}

/** From reward to loss, as recorded by the trainer. */
function Learned({
  inspection: { group, number, tokens },
  token,
}: {
  readonly inspection: Inspection;
  readonly token: InspectedToken;
}) {
  const { worked, update } = token;
  if (group === null || worked === null) {
    return (
      <>
        <h4>What was learned from it</h4>
        <p className="details-note">
          {tokens.every((one) => one.worked === null)
            ? 'No data kept: the episode belongs to an evaluation, its group was left out because all rewards were equal, or the run was reopened and kept data only for its newest episodes.'
            : 'Nothing was learned from this token.'}
        </p>
      </>
    );
  }
  const member = group.members.find((one) => one.number === number);
  return (
    <>
      <h4>Its advantage</h4>
      <TokenWorking
        worked={worked}
        next={tokens[tokens.indexOf(token) + 1]?.worked ?? null}
        group={group}
        member={member}
      />
      <h4>{update === null ? 'Its loss' : `Its loss in update ${update.update}`}</h4>
      {update === null ? (
        <p className="details-note">No update has learned from it yet.</p>
      ) : (
        <LossWorking update={update} advantage={worked.advantage} surrogate={group.surrogate} />
      )}
    </>
  );
}
