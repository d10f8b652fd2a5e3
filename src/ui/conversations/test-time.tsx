import './test-time.css';
import { Button, SegmentedControl, Select, Slider } from '@mantine/core';
import { IconDice5 } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { Estimate } from '../../algorithms/confidence.ts';
import { percent, thousands } from '../../runs/numbers.ts';
import type { DrawName, DrawnTasks } from '../../runs/test-time.ts';
import { useLab } from '../lab/store.ts';
import { ProblemNotice } from '../notices/notices.tsx';
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
import { WholeInput } from './whole-input.tsx';

/** What more samples of a task are worth, with the critic and without. */
export function TestTime() {
  const runId = useLab((lab) => lab.runId);
  const { drawn, runId: asked, problem } = useTestTime();
  return (
    <div className="conv-data" data-testid="test-time">
      <p className="conv-line">
        An agent can write more instead of learning more. Drawn again and again, the most frequent
        answer counts. With a critic every answer is criticised and refined, side by side, or one
        after the other. Here you see which of these comes further with as many tokens.
      </p>
      <Ways />
      <ProblemNotice problem={problem} onClose={() => useTestTime.setState({ problem: null })} />
      <Waiting />
      {drawn === null || asked !== runId ? null : <Drawn drawn={drawn} />}
    </div>
  );
}

/** Samples of a task at most, as the page offers them. */
const offered = [4, 8, 16, 32, 64] as const;
/** Evaluation tasks at most. */
const MOST_TASKS = 100;

function Ways() {
  const [tasks, setTasks] = useState(20);
  const [samples, setSamples] = useState<number>(16);
  const busy = useTestTime((state) => state.giveUp !== null);
  const hasAgent = useHasAgent();
  return (
    <div className="conv-actions">
      <WholeInput
        label="Evaluation tasks"
        value={tasks}
        min={1}
        max={MOST_TASKS}
        onChange={setTasks}
      />
      <Select
        size="xs"
        label="Samples of each, up to"
        value={String(samples)}
        allowDeselect={false}
        data={offered.map(String)}
        onChange={(value) => setSamples(Number(value))}
      />
      <Button
        size="xs"
        leftSection={<IconDice5 size={15} />}
        disabled={!hasAgent || busy}
        onClick={() => void drawForPage(tasks, samples)}
      >
        Draw them
      </Button>
      {hasAgent ? null : (
        <span className="conv-waiting" role="status">
          The actor can be asked once it has been taught: after the first iteration.
        </span>
      )}
    </div>
  );
}

function Waiting() {
  const giveUp = useTestTime((state) => state.giveUp);
  if (giveUp === null) return <p className="conv-waiting" role="status" />;
  return (
    <AskedWork
      phase="draw"
      doing="The actor answers, the critic criticises, the actor answers anew."
      giveUp={giveUp}
    />
  );
}

const readings: Readonly<Record<Reading, string>> = {
  chosen: 'The answer that is given',
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
        <figcaption className="tt-head">
          <h3>Right answers by tokens written</h3>
          <SegmentedControl
            size="xs"
            aria-label="What is counted"
            value={reading}
            onChange={(value) =>
              useTestTime.setState({ reading: value === 'any' ? 'any' : 'chosen' })
            }
            data={Object.entries(readings).map(([value, label]) => ({ value, label }))}
          />
        </figcaption>
        <TestTimeChart {...{ curves, rows, reading, shown }} />
        <div className="tt-k">
          <span>Samples of each task</span>
          <Slider
            size="sm"
            min={1}
            max={most}
            value={Math.min(k, most)}
            onChange={(value) => useTestTime.setState({ k: value })}
            label={null}
            thumbLabel="Samples of each task"
          />
          <output data-testid="test-time-k">{Math.min(k, most)}</output>
        </div>
        <Numbers rows={rows} reading={reading} />
        <p className="chart-meaning">
          {reading === 'chosen'
            ? 'Given is the majority’s answer where samples stand side by side, ties broken by chance, and the last one where each follows from the one before.'
            : 'A task counts where at least one of its samples is right: what a perfect judge could pick.'}{' '}
          {thousands(drawn.tasks.length)} evaluation {drawn.tasks.length === 1 ? 'task' : 'tasks'},
          after iteration {asOf}; brackets are 95% intervals over tasks, and so is the shade, of the
          draw that is shown sample by sample.
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
      className="conv-scroll"
      aria-label="Right answers by the way of drawing"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by keyboard too.
      tabIndex={0}
    >
      <table data-testid="test-time-table">
        <thead>
          <tr>
            <th>How they are drawn</th>
            <th className="amount">Tokens a task</th>
            <th className="amount">Right</th>
            <th className="amount" title="More than plain answers of as many tokens come to">
              Over plain answers
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ how, title, point, gain }) => (
            <tr key={how} data-draw={how}>
              <td>
                <i className={`tt-swatch tt-${how}`} aria-hidden />
                {title[0]?.toUpperCase()}
                {title.slice(1)}
              </td>
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
  if (gain === null) return 'more than were drawn';
  const points = Math.round(1000 * gain) / 10;
  return `${points > 0 ? '+' : points < 0 ? '−' : ''}${Math.abs(points)} points`;
}

/** The samples themselves, a row a task. */
function Tasks({ drawn, k }: { readonly drawn: DrawnTasks; readonly k: number }) {
  const shown = useTestTime((state) => state.shown);
  const draw = drawn.draws.find(({ plan }) => plan.how === shown);
  const rows = useMemo(
    () => (draw === undefined ? [] : taskSamples(drawn, draw, k)),
    [drawn, draw, k],
  );
  return (
    <section className="tt-tasks">
      <header className="tt-head">
        <h3>Sample by sample</h3>
        <SegmentedControl
          size="xs"
          aria-label="Whose samples are shown"
          value={shown}
          onChange={(value) =>
            useTestTime.setState({
              shown: drawn.draws.find(({ plan }) => plan.how === value)?.plan.how ?? 'answers',
            })
          }
          data={drawn.draws.map(({ plan: { how } }) => ({ value: how, label: shortNames[how] }))}
        />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached by keyboard too. */}
      <ol data-testid="test-time-tasks" tabIndex={0}>
        {rows.map(({ task, samples, given, right }) => (
          <li key={task} data-right={right}>
            <span className={right === 1 ? 'conv-up' : right === 0 ? 'conv-down' : ''}>
              {given.map((answer) => answer ?? 'none').join(' or ') || 'none'}
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
        A row a task, a dot a sample, full where it is right. Before them stands the answer that is
        given.
      </p>
    </section>
  );
}

const shortNames: Readonly<Record<DrawName, string>> = {
  answers: 'Answers',
  chains: 'Refined',
  rounds: 'Again and again',
  retries: 'Until content',
  debate: 'Debate',
};

function inWords(samples: readonly { readonly right: boolean }[]): string {
  const right = samples.filter((sample) => sample.right).length;
  return `${right} of ${samples.length} ${samples.length === 1 ? 'sample' : 'samples'} right`;
}
