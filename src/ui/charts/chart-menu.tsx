import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { memo, type RefObject } from 'react';
import { download } from '../files/download.ts';
import { chartData } from './chart-data.ts';
import { chartCsv, chartFile, chartPng, chartSvg, fileStem } from './chart-file.ts';
import { toggle, useChartSettings } from './chart-settings.ts';
import { nameOf } from './crosshair.tsx';
import type { Line } from './lines.ts';
import type { ScaleKind } from './scale.ts';
import type { Series } from './series.ts';

interface ChartMenuProps {
  readonly title: string;
  readonly testId: string;
  readonly unit: string;
  /** Of its y axis. */
  readonly kind: ScaleKind;
  readonly figure: RefObject<HTMLElement | null>;
  readonly series: readonly Series[];
  /** As drawn; a reference, so that the menu need not be drawn again with every iteration. */
  readonly lines: RefObject<readonly Line[]>;
}

/** What can be done with one chart. */
export const ChartMenu = memo(function ChartMenu(props: ChartMenuProps) {
  const { title, testId, kind } = props;
  const asTable = useChartSettings((settings) => settings.tables.has(testId));
  return (
    <Menu position="bottom-end" withinPortal shadow="md" width={214}>
      <Menu.Target>
        <ActionIcon
          className="chart-menu"
          size={26}
          variant="subtle"
          color="gray"
          aria-label={`${title}: view and save`}
        >
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Choice chosen={kind === 'log'} onChoose={() => toggle('logY', testId)}>
          Logarithmic y axis
        </Choice>
        <Choice chosen={asTable} onChoose={() => toggle('tables', testId)}>
          Values as a table
        </Choice>
        <Menu.Divider />
        <Menu.Label>Save all points</Menu.Label>
        <Menu.Item onClick={() => saveNumbers(props, 'csv')}>CSV table</Menu.Item>
        <Menu.Item onClick={() => saveNumbers(props, 'json')}>JSON</Menu.Item>
        <Menu.Label>Save as it is shown</Menu.Label>
        <Menu.Item disabled={asTable} onClick={() => savePicture(props, 'svg')}>
          SVG picture
        </Menu.Item>
        <Menu.Item disabled={asTable} onClick={() => savePicture(props, 'png')}>
          PNG picture
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
});

interface ChoiceProps {
  readonly chosen: boolean;
  readonly onChoose: () => void;
  readonly children: string;
}

function Choice({ chosen, onChoose, children }: ChoiceProps) {
  return (
    <Menu.CheckboxItem checked={chosen} onChange={onChoose}>
      {children}
    </Menu.CheckboxItem>
  );
}

function saveNumbers({ title, unit, series }: ChartMenuProps, type: 'csv' | 'json'): void {
  const { hiddenRuns } = useChartSettings.getState();
  const runs = chartData().groups.flatMap((group) => (hiddenRuns.has(group.key) ? [] : group.runs));
  const file = chartFile(title, unit, runs, series);
  const [text, media] =
    type === 'csv' ? [chartCsv(file), 'text/csv'] : [JSON.stringify(file), 'application/json'];
  download({ name: `${fileStem(title)}.${type}`, parts: [text], type: media });
}

async function savePicture(props: ChartMenuProps, type: 'svg' | 'png'): Promise<void> {
  const { title, figure, lines } = props;
  if (figure.current === null) return;
  const drawn = lines.current;
  const legend = drawn.map((line) => ({ ...line, name: nameOf(line, drawn) }));
  const picture = chartSvg(figure.current, title, legend);
  if (picture === null) return;
  const part = type === 'svg' ? picture.svg : await chartPng(picture);
  const media = type === 'svg' ? 'image/svg+xml' : 'image/png';
  download({ name: `${fileStem(title)}.${type}`, parts: [part], type: media });
}
