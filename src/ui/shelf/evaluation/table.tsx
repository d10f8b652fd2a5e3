import type { Estimate } from '../../../algorithms/confidence.ts';
import {
  decimal,
  type EnvironmentReport,
  type EvaluationReport,
  environmentTitle,
  type PlayerResult,
  percent,
  playerTitles,
  shownK,
  tasksPlayed,
} from '../../../runs/evaluation-report.ts';
import { several } from '../../../runs/numbers.ts';

/** Results of all players in all environments. */
export function ReportTable({ report }: { readonly report: EvaluationReport }) {
  const ks = shownK(report);
  return (
    <section
      className="table-scroll evaluation-scroll"
      aria-label="Results by player"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard.
      tabIndex={0}
    >
      <table className="data-table evaluation-table" aria-labelledby="evaluation-title">
        <thead>
          <tr>
            <th scope="col">Player</th>
            <th scope="col">Success</th>
            <th scope="col">Score</th>
            <th scope="col" className="amount">
              Turns
            </th>
            <th scope="col" className="amount">
              Episodes
            </th>
            {ks.map((k) => (
              <th scope="col" key={k}>
                pass@{k}
              </th>
            ))}
          </tr>
        </thead>
        {report.environments.map((environment) => (
          <EnvironmentRows
            key={environmentTitle(environment.environment)}
            environment={environment}
            ks={ks}
          />
        ))}
      </table>
    </section>
  );
}

interface EnvironmentRowsProps {
  readonly environment: EnvironmentReport;
  readonly ks: readonly number[];
}

function EnvironmentRows({ environment: of, ks }: EnvironmentRowsProps) {
  const columns = 5 + ks.length;
  return (
    <tbody>
      <tr className="evaluation-environment">
        <th scope="rowgroup" colSpan={columns}>
          <span className="evaluation-asks">
            {environmentTitle(of.environment)}
            <small>
              {tasksPlayed(of)}, at most {several(of.horizon, 'turn')} each. {of.asks}
            </small>
          </span>
        </th>
      </tr>
      {of.agentUnable === null ? null : (
        <tr className="evaluation-unable">
          <th scope="row">Agent</th>
          <td colSpan={columns - 1}>It did not play: {of.agentUnable}</td>
        </tr>
      )}
      {of.results.map((result) => (
        <ResultRow key={result.player} result={result} tasks={of.tasks} ks={ks} />
      ))}
    </tbody>
  );
}

interface ResultRowProps {
  readonly result: PlayerResult;
  readonly tasks: number;
  readonly ks: readonly number[];
}

function ResultRow({ result, tasks, ks }: ResultRowProps) {
  const { player, success, score, turns, episodesPerTask, passAtK } = result;
  return (
    <tr data-player={player}>
      <th scope="row">{playerTitles[player]}</th>
      <td>
        <Share estimate={success} />
      </td>
      <td>
        <Numbers estimate={score} format={decimal} />
      </td>
      <td className="amount">{turns.toFixed(1)}</td>
      <td className="amount">{tasks * episodesPerTask}</td>
      {ks.map((k) => {
        const estimate = passAtK[k - 1];
        return (
          <td key={k}>
            {estimate === undefined ? (
              <span className="none">–</span>
            ) : (
              <Share estimate={estimate} />
            )}
          </td>
        );
      })}
    </tr>
  );
}

/** A share and its interval, as text and as a bar from 0 to 1. */
function Share({ estimate }: { readonly estimate: Estimate }) {
  const { mean, low, high } = estimate;
  const at = (share: number) => `${100 * share}%`;
  return (
    <div className="share">
      <Numbers estimate={estimate} format={percent} />
      <span className="share-bar" aria-hidden>
        <span className="share-interval" style={{ left: at(low), width: at(high - low) }} />
        <span className="share-mean" style={{ left: at(mean) }} />
      </span>
    </div>
  );
}

interface NumbersProps {
  readonly estimate: Estimate;
  readonly format: (value: number) => string;
}

/** A mean with its interval, if any. */
function Numbers({ estimate: { mean, low, high }, format }: NumbersProps) {
  const bound = (value: number) => format(value).replace('%', '');
  return (
    <span className="estimate">
      {format(mean)}
      {Number.isFinite(low) ? (
        <small>
          <span className="visually-hidden">, 95% confidence interval </span>
          {bound(low)} to {bound(high)}
        </small>
      ) : null}
    </span>
  );
}
