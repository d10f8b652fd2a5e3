import './rounds.css';
import { titleOf } from '../../envs/registry.ts';
import type { EnvironmentResult } from '../../runs/details.ts';
import { percent, thousands } from '../../runs/numbers.ts';
import type { Row } from '../../runs/row.ts';
import { useLab } from '../lab/store.ts';

/** A round of evolution in one environment. */
export interface RoundLine {
  readonly round: number;
  readonly id: string;
  readonly explored: number;
  readonly kept: number;
  /** Greedy success on the evaluation tasks; null where it was not evaluated by environment. */
  readonly before: number | null;
  readonly after: number | null;
}

/** The rounds that have ended, with the evaluation of the agent before and after each. */
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

/** Rounds that are shown, the newest. */
const MOST_ROUNDS = 8;

/** What each round of evolution explored and kept, and what it made of the agent. */
export function Rounds() {
  const rows = useLab((lab) => lab.rows);
  const all = roundLines(rows);
  const newest = all.at(-1)?.round ?? 0;
  const lines = all.filter(({ round }) => round > newest - MOST_ROUNDS);
  if (lines.length === 0) return null;
  const say = (share: number | null) => (share === null ? '–' : percent(share));
  return (
    <section className="rounds" data-testid="rounds" aria-label="Rounds of evolution">
      <h3>Rounds</h3>
      <p>What each round explored and kept, and greedy success before and after it.</p>
      <table>
        <thead>
          <tr>
            {['Round', 'Environment', 'Explored', 'Kept', 'Before', 'After'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ round, id, explored, kept, before, after }) => (
            <tr key={`${round} ${id}`}>
              <td>{round}</td>
              <th scope="row">{titleOf(id)}</th>
              <td>{thousands(explored)}</td>
              <td>{thousands(kept)}</td>
              <td>{say(before)}</td>
              <td>{say(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
