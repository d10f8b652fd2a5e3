import './reenactment.css';
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { percent, several } from '../../../runs/numbers.ts';
import type { Row } from '../../../runs/row.ts';
import { openModeCard } from '../../charts/findings/card-store.ts';
import { modeTitle } from '../../charts/findings/mode-title.ts';
import { endReenactment } from '../../charts/reenactment/play.ts';
import { type Reenactment, useReenactment } from '../../charts/reenactment/state.ts';
import { isOver, useLab } from '../../shell/lab/store.ts';

/** The re-enactment of a failure: the failing run, the run with the remedy, and the overlaid original. */
export function ReenactmentCard() {
  const playing = useReenactment((state) => state.playing);
  return playing === null ? null : <Shown playing={playing} />;
}

function Shown({ playing }: { readonly playing: Reenactment }) {
  const { mode, preset, cause, cure, of, beside } = playing;
  const rows = useLab((lab) => lab.rows);
  const over = useLab(isOver);
  const last = useLab(({ config }) => config.stopping.iterations);
  return (
    <section
      className="card reenactment"
      aria-labelledby="reenactment-title"
      data-testid="reenactment"
    >
      <h2 id="reenactment-title">
        Re-enacted:{' '}
        <button type="button" className="as-link" onClick={() => openModeCard(mode)}>
          {modeTitle(mode)}
        </button>
      </h2>
      <p>
        Two runs of the preset <i>{preset}</i> with the same seed. The first is made to fail; the
        second differs only in the remedy.
      </p>
      <dl>
        <Run color="var(--p-run-1)" name="Failing run" set={cause} rows={rows} last={last} />
        <Run
          color="var(--p-run-2)"
          name="With the remedy"
          set={cure}
          rows={beside.rows}
          last={last}
        />
        <div>
          <dt>
            <span className="reenactment-foreign" aria-hidden /> {of}
          </dt>
          <dd>overlaid on the charts, with separate axes at the top and on the right</dd>
        </div>
      </dl>
      {beside.problem === null ? null : <p role="alert">{beside.problem}</p>}
      <div className="row reenactment-end">
        <p role="status" data-testid="reenactment-verdict">
          {over && beside.status === 'finished' ? verdict(rows, beside.rows) : ''}
        </p>
        <Button size="compact-sm" leftSection={<IconX size={14} />} onClick={endReenactment}>
          End the re-enactment
        </Button>
      </div>
    </section>
  );
}

interface RunProps {
  readonly color: string;
  readonly name: string;
  /** The settings that distinguish it. */
  readonly set: string;
  readonly rows: readonly Row[];
  /** Its last iteration, unless it stops earlier. */
  readonly last: number;
}

function Run({ color, name, set, rows, last }: RunProps) {
  const newest = rows.at(-1);
  return (
    <div>
      <dt>
        <span className="swatch" style={{ color: color }} aria-hidden /> {name}: <code>{set}</code>
      </dt>
      <dd>
        {newest === undefined
          ? 'starting'
          : `iteration ${newest.iteration} of at most ${last}, solves ${percent(successOf(rows))}`}
      </dd>
    </div>
  );
}

/** Number of iterations that are averaged. */
const LATELY = 3;

/** Mean success in training over the last `LATELY` iterations. */
function successOf(rows: readonly Row[]): number {
  const values = rows
    .slice(-LATELY)
    .flatMap(({ metrics }) => metrics['rollout/success_rate'] ?? []);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Success of the last evaluation, in parentheses; empty before the first. */
function greedily(rows: readonly Row[]): string {
  const evaluated = rows.findLast(({ metrics }) => metrics['eval/success_rate'] !== undefined);
  const share = evaluated?.metrics['eval/success_rate'];
  return share === undefined ? '' : ` (greedy: ${percent(share)})`;
}

function verdict(failing: readonly Row[], cured: readonly Row[]): string {
  const end = (rows: readonly Row[]) =>
    `${percent(successOf(rows))} after ${several(rows.at(-1)?.iteration ?? 0, 'iteration')}${greedily(rows)}`;
  return `The failing run solves ${end(failing)}; with the remedy it solves ${end(cured)}.`;
}
