import './rounds.css';
import { titleOf } from '../../envs/registry.ts';
import type { EnvironmentResult } from '../../runs/details.ts';
import { percent, thousands } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import { grouped } from '../shell/environments/families.ts';
import { useLab } from '../shell/lab/store.ts';

/** One round of evolution in one environment. */
interface RoundLine {
  readonly round: number;
  readonly id: string;
  readonly explored: number;
  readonly kept: number;
  /** Greedy success on the evaluation tasks; null if not evaluated by environment. */
  readonly before: number | null;
  readonly after: number | null;
}

/** The finished rounds, with the agent's evaluation before and after each. */
export function roundLines(rows: readonly Row[]): readonly RoundLine[] {
  let evaluated: readonly EnvironmentResult[] | undefined;
  let before: readonly EnvironmentResult[] | undefined;
  return rows.flatMap(({ details: { round }, evaluation }) => {
    if (round === undefined) return [];
    before ??= round.imitated ?? evaluated;
    evaluated = evaluation?.environments;
    if (!round.learned) return [];
    const was = before;
    before = evaluated;
    const success = (results: typeof before, id: string) =>
      results?.find((result) => result.id === id)?.successRate ?? null;
    return round.environments.map((counts) => ({
      round: round.round,
      ...counts,
      before: success(was, counts.id),
      after: success(evaluated, counts.id),
    }));
  });
}

/** Maximum number of rounds shown, the newest first. */
const MOST_ROUNDS = 8;

/** What each evolution round explored and kept, and its effect on success. */
export function Rounds() {
  const rows = useLab((lab) => lab.rows);
  const rounds = grouped(roundLines(rows), ({ round }) => String(round));
  if (rounds.length === 0) return null;
  return (
    <section className="card rounds" data-testid="rounds" aria-label="Rounds of evolution">
      <h3>Rounds</h3>
      <p>
        Number of episodes that each round kept, and greedy success on the evaluation tasks before
        and after the round.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">Round</th>
            <th scope="col">Environment</th>
            <th scope="col" className="rounds-number">
              Kept
            </th>
            <th scope="col" className="rounds-number">
              Success
            </th>
          </tr>
        </thead>
        {rounds.slice(-MOST_ROUNDS).map(({ group: round, items: lines }) => (
          <tbody key={round}>
            {lines.map(({ id, explored, kept, before, after }, place) => (
              <tr key={id}>
                {place > 0 ? null : (
                  <th scope="rowgroup" rowSpan={lines.length}>
                    {round}
                  </th>
                )}
                <th scope="row">{titleOf(id)}</th>
                <td className="rounds-number">
                  {thousands(kept)} <small>of {thousands(explored)}</small>
                </td>
                <td className="rounds-number">
                  <Change before={before} after={after} />
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

/** Percentage points between two shares, computed from the displayed whole percentages. */
export function gain(before: number, after: number): number {
  return Math.round(100 * after) - Math.round(100 * before);
}

/** Greedy success before and after a round, and its gain in percentage points. */
function Change({ before, after }: Pick<RoundLine, 'before' | 'after'>) {
  const say = (share: number | null) => (share === null ? '–' : percent(share));
  const points = before === null || after === null ? null : gain(before, after);
  return (
    <>
      {say(before)} → {say(after)}{' '}
      {points === null ? null : points === 0 ? (
        <b className="rounds-same">±0</b>
      ) : (
        <b className={points > 0 ? 'rounds-up' : 'rounds-down'}>
          {points > 0 ? '+' : '−'}
          {Math.abs(points)}
        </b>
      )}
    </>
  );
}
