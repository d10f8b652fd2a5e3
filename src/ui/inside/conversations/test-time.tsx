import './test-time.css';
import { Button, SegmentedControl, Select, Slider } from '@mantine/core';
import { IconDice5 } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Estimate } from '../../../algorithms/confidence.ts';
import { percent, several, thousands } from '../../../runs/numbers.ts';
import type { DrawName, DrawnTasks } from '../../../runs/test-time.ts';
import { useLab } from '../../shell/lab/store.ts';
import { ProblemNotice } from '../../shell/notices/notices.tsx';
import { WholeInput } from '../../shell/page/whole-input.tsx';
import { AskedWork } from './asked-work.tsx';
import { useHasAgent } from './has-agent.ts';
import { TestTimeChart } from './test-time-chart.tsx';
import {
  type AtSamples,
  atSamples,
  curvesOf,
  type Reading,
  read,
  samplesOf,
  taskSamples,
} from './test-time-curves.ts';
import { drawForPage, useTestTime } from './test-time-store.ts';

/** Benefit of more samples per task, with and without the critic. */
export function TestTime() {
  const runId = useLab((lab) => lab.runId);
  const { drawn, runId: asked, problem } = useTestTime();
  return (
    <div className="conv-data" data-testid="test-time">
      <p className="conv-line">
        Instead of training longer, an agent can use more tokens per task. Without a critic, it
        samples several answers and gives the most frequent one. With a critic, every answer is
        critiqued and refined, in parallel or in sequence. This view compares these methods at the
        same number of tokens.
      </p>
      <Ways />
      <ProblemNotice problem={problem} onClose={() => useTestTime.setState({ problem: null })} />
      <Waiting />
      {drawn === null || asked !== runId ? null : <Drawn drawn={drawn} />}
    </div>
  );
}

/** Maximum samples per task on the page. */
const offered = [4, 8, 16, 32, 64] as const;
/** Maximum number of evaluation tasks. */
const MOST_TASKS = 100;

function Ways() {
  const [tasks, setTasks] = useState(20);
  const [samples, setSamples] = useState<number>(16);
  const busy = useTestTime((state) => state.giveUp !== null);
  const hasAgent = useHasAgent();
  return (
    <div className="row">
      <WholeInput
        label="Evaluation tasks"
        value={tasks}
        min={1}
        max={MOST_TASKS}
        onChange={setTasks}
      />
      <Select
        label="Maximum samples per task"
        value={String(samples)}
        data={offered.map(String)}
        onChange={(value) => setSamples(Number(value))}
      />
      <Button
        variant="filled"
        leftSection={<IconDice5 size={15} />}
        disabled={!hasAgent || busy}
        onClick={() => void drawForPage(tasks, samples)}
      >
        Draw samples
      </Button>
      {hasAgent ? null : (
        <span className="conv-waiting" role="status">
          The actor can answer after its supervised training, from the first iteration on.
        </span>
      )}
    </div>
  );
}

function Waiting() {
  const giveUp = useTestTime((state) => state.giveUp);
  return (
    <AskedWork
      phase="draw"
      doing="The actor answers, the critic critiques, the actor answers again."
      giveUp={giveUp}
    />
  );
}

const readings: Readonly<Record<Reading, string>> = {
  chosen: 'Final answer',
  any: 'Any answer',
};

function Drawn({ drawn }: { readonly drawn: DrawnTasks }) {
  const { k, reading, asOf, shown } = useTestTime();
  const curves = useMemo(() => curvesOf(drawn), [drawn]);
  const most = samplesOf(drawn, 'chains');
  const rows = useMemo(() => atSamples(drawn, curves, k, reading), [drawn, curves, k, reading]);
  return (
    <div className="tt-drawn">
      <figure className="tt-curves">
        <figcaption className="row tt-head">
          <h3>Correct answers by tokens generated</h3>
          <SegmentedControl
            aria-label="Criterion"
            value={reading}
            onChange={(value) =>
              useTestTime.setState({ reading: value === 'any' ? 'any' : 'chosen' })
            }
            data={Object.entries(readings).map(([value, label]) => ({ value, label }))}
          />
        </figcaption>
        <TestTimeChart {...{ curves, rows, reading, shown }} />
        <div className="tt-k">
          <span>Samples per task</span>
          <Slider
            min={1}
            max={most}
            value={Math.min(k, most)}
            onChange={(value) => useTestTime.setState({ k: value })}
            label={null}
            thumbLabel="Samples per task"
          />
          <output data-testid="test-time-k">{Math.min(k, most)}</output>
        </div>
        <Numbers rows={rows} reading={reading} />
        <p className="chart-meaning">
          {reading === 'chosen'
            ? 'The final answer is the majority vote for parallel samples, with ties broken at random, and the last answer for sequential samples.'
            : 'A task counts if at least one of its samples is correct: the share that a perfect verifier could reach.'}{' '}
          {several(drawn.tasks.length, 'evaluation task')}, after iteration {asOf}; brackets and
          shading are 95% intervals over tasks. The shaded curve is the one shown sample by sample.
        </p>
      </figure>
      <Tasks drawn={drawn} k={k} />
    </div>
  );
}

const between = ({ mean, low, high }: Estimate) =>
  `${percent(mean)} [${percent(low)}, ${percent(high)}]`;

function Numbers({
  rows,
  reading,
}: {
  readonly rows: readonly AtSamples[];
  readonly reading: Reading;
}) {
  return (
    <section
      className="table-scroll"
      aria-label="Correct answers by sampling method"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard.
      tabIndex={0}
    >
      <table className="data-table" data-testid="test-time-table">
        <thead>
          <tr>
            <th scope="col">Sampling method</th>
            <th scope="col" className="amount">
              Tokens per task
            </th>
            <th scope="col" className="amount">
              Correct
            </th>
            <th
              scope="col"
              className="amount"
              title="Gain over plain answers with the same number of tokens"
            >
              Over plain answers
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ how, title, point, gain }) => (
            <tr key={how} data-draw={how}>
              <th scope="row">
                <i className={`tt-swatch tt-${how}`} aria-hidden />
                {title[0]?.toUpperCase()}
                {title.slice(1)}
              </th>
              <td className="amount">{thousands(Math.round(point.tokens))}</td>
              <td className="amount">{between(read(point, reading))}</td>
              <td className="amount">{how === 'answers' ? '' : gainOf(gain)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function gainOf(gain: number | null): string {
  if (gain === null) return 'too few samples';
  const points = Math.round(1000 * gain) / 10;
  return `${points > 0 ? '+' : points < 0 ? '−' : ''}${several(Math.abs(points), 'point')}`;
}

/** The samples, one row per task. */
function Tasks({ drawn, k }: { readonly drawn: DrawnTasks; readonly k: number }) {
  const shown = useTestTime((state) => state.shown);
  const draw = drawn.draws.find(({ plan }) => plan.how === shown);
  const rows = useMemo(
    () => (draw === undefined ? [] : taskSamples(drawn, draw, k)),
    [drawn, draw, k],
  );
  return (
    <section className="tt-tasks">
      <header className="row tt-head">
        <h3>Sample by sample</h3>
        <SegmentedControl
          aria-label="Sampling method of the samples shown"
          value={shown}
          onChange={(how) => useTestTime.setState({ shown: how })}
          data={drawn.draws.map(({ plan: { how } }) => ({ value: how, label: shortNames[how] }))}
        />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard. */}
      <ol data-testid="test-time-tasks" tabIndex={0}>
        {rows.map(({ task, samples, given, right }) => (
          <li key={task} data-right={right}>
            <span className={right === 1 ? 'conv-up' : right === 0 ? 'conv-down' : ''}>
              {given.map((answer) => answer ?? 'no answer').join(' or ') || 'no answer'}
              {right === 1 ? ' ✓' : right === 0 ? ' ✗' : ' ?'}
            </span>
            <span className="tt-dots" role="img" aria-label={inWords(samples)}>
              {samples.map((sample, i) => (
                <i
                  key={i}
                  className={sample.right ? 'tt-right' : 'tt-wrong'}
                  title={sample.answer ?? 'no answer'}
                />
              ))}
            </span>
          </li>
        ))}
      </ol>
      <p className="chart-meaning">
        One row per task, one dot per sample, filled if correct. The final answer comes first.
      </p>
    </section>
  );
}

const shortNames: Readonly<Record<DrawName, string>> = {
  answers: 'Answers',
  chains: 'Refined',
  rounds: 'Independent',
  retries: 'Until accepted',
  debate: 'Debate',
};

function inWords(samples: readonly { readonly right: boolean }[]): string {
  const right = samples.filter((sample) => sample.right).length;
  return `${right} of ${several(samples.length, 'sample')} correct`;
}
