import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { memo, type RefObject } from 'react';
import type { NumbersType, PictureType } from './chart-save.ts';
import { toggle, useChartSettings } from './chart-settings.ts';
import type { ChartSpec } from './chart-spec.ts';
import type { Line } from './lines.ts';
import type { ScaleKind } from './scale.ts';
import type { Series } from './series.ts';

/** The code that saves a chart is loaded on demand. */
async function saveNumbers(props: ChartMenuProps, type: NumbersType): Promise<void> {
  const { spec, series } = props;
  (await import('./chart-save.ts')).saveNumbers(spec.title, spec.unit ?? '', series, type);
}

async function savePicture(props: ChartMenuProps, type: PictureType): Promise<void> {
  const { spec, figure, lines } = props;
  const { savePicture: save } = await import('./chart-save.ts');
  if (figure.current !== null) await save(spec.title, figure.current, lines.current, type);
}

interface ChartMenuProps {
  readonly spec: ChartSpec;
  /** Whether it is a small chart of a group, which can be enlarged and pinned. */
  readonly grouped: boolean;
  /** Scale of its y axis. */
  readonly kind: ScaleKind;
  readonly figure: RefObject<HTMLElement | null>;
  readonly series: readonly Series[];
  /** The drawn chart; a ref, so that the menu does not render with every iteration. */
  readonly lines: RefObject<readonly Line[]>;
}

/** Menu of one chart. */
export const ChartMenu = memo(function ChartMenu(props: ChartMenuProps) {
  const { spec, grouped, kind } = props;
  const { title, testId } = spec;
  const asTable = useChartSettings((settings) => settings.tables.has(testId));
  const enlarged = useChartSettings((settings) => settings.enlarged.has(testId));
  const pinned = useChartSettings((settings) => settings.pinned?.testId === testId);
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
        {grouped ? (
          <Choice chosen={enlarged} onChoose={() => toggle('enlarged', testId)}>
            Enlarge
          </Choice>
        ) : null}
        {grouped || pinned ? (
          <Choice
            chosen={pinned}
            onChoose={() => useChartSettings.setState({ pinned: pinned ? null : spec })}
          >
            Pin beside the stage
          </Choice>
        ) : null}
        <Menu.Divider />
        <Menu.Label>Save all points</Menu.Label>
        <Menu.Item onClick={() => void saveNumbers(props, 'csv')}>CSV table</Menu.Item>
        <Menu.Item onClick={() => void saveNumbers(props, 'json')}>JSON</Menu.Item>
        <Menu.Label>Save current view</Menu.Label>
        <Menu.Item disabled={asTable} onClick={() => void savePicture(props, 'svg')}>
          SVG image
        </Menu.Item>
        <Menu.Item disabled={asTable} onClick={() => void savePicture(props, 'png')}>
          PNG image
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
