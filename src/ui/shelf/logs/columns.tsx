import { Button, Modal, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { ShownLog } from '../../../exchange/logs/shown-log.ts';
import { isMetricKey, type MetricKey, metrics } from '../../../runs/metrics.ts';
import { chooseColumns, useLogs } from './store.ts';

/** Metrics of the diagnosis that other tools log. */
const offered: readonly MetricKey[] = [
  ...(['rollout/success_rate', 'rollout/score', 'rollout/turns', 'rollout/horizon'] as const),
  ...([
    'rollout/truncated',
    'rollout/group_zero_std',
    'policy/entropy',
    'policy/approx_kl',
  ] as const),
  ...(['policy/ref_kl', 'policy/clip_fraction', 'policy/clip_low', 'policy/clip_high'] as const),
  ...(['policy/grad_norm', 'policy/loss', 'value/explained_variance', 'value/loss'] as const),
  ...(['eval/success_rate', 'eval/score'] as const),
];

/** The row number as axis. */
const ROWS = ' rows';
/** No column. */
const NONE = '';

/** Maps the columns of a table to the axis and to known metrics. */
export function Columns({ log: { entry, series } }: { readonly log: ShownLog }) {
  const choosing = useLogs((logs) => logs.choosing);
  const [x, setX] = useState(entry.axis.key ?? ROWS);
  const [chosen, setChosen] = useState<Readonly<Record<string, MetricKey>>>(() =>
    Object.fromEntries(
      series.flatMap(({ key, metric }) => (metric === null ? [] : [[key, metric]])),
    ),
  );
  const names = [...new Set(series.map(({ key }) => key))].sort();
  const axes = [...new Set([...(entry.axis.key === null ? [] : [entry.axis.key]), ...names])];
  const columnOf = (metric: MetricKey) =>
    Object.entries(chosen).find(([, one]) => one === metric)?.[0] ?? null;
  const choose = (metric: MetricKey, column: string | null) => {
    const others = Object.entries(chosen).filter(([key, one]) => one !== metric && key !== column);
    setChosen(Object.fromEntries(column === null ? others : [...others, [column, metric]]));
  };
  const close = () => useLogs.setState({ choosing: false });
  return (
    <Modal
      opened={choosing}
      onClose={close}
      closeButtonProps={{ 'aria-label': 'Close' }}
      title="Assign columns"
      size="lg"
    >
      <div data-testid="log-columns">
        <p className="log-soft">
          Columns without a metric keep their own name and can still be charted.
        </p>
        <NativeSelect
          label="Axis"
          description="A column that increases from row to row, such as a step, or the row number."
          data={[{ value: ROWS, label: 'Row number, from 1' }, ...axes]}
          value={x}
          onChange={({ currentTarget }) => setX(currentTarget.value)}
        />
        <div className="log-columns">
          {metrics
            .filter(({ key }) => offered.includes(key))
            .map(({ key, title, meaning }) => (
              <NativeSelect
                key={key}
                label={title}
                description={meaning}
                data={[{ value: NONE, label: 'Not in this log' }, ...names]}
                value={columnOf(key) ?? NONE}
                onChange={({ currentTarget: { value } }) =>
                  choose(key, value === NONE ? null : value)
                }
              />
            ))}
        </div>
        <Button
          size="sm"
          variant="filled"
          onClick={() =>
            chooseColumns({
              x: x === ROWS ? null : x,
              metrics: Object.fromEntries(
                Object.entries(chosen).filter(([, one]) => isMetricKey(one)),
              ),
            })
          }
        >
          Apply
        </Button>
      </div>
    </Modal>
  );
}
