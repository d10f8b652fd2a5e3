import { expect, it, vi } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { beginRun } from '../shell/lab/store.ts';
import { chartData } from './chart-data.ts';
import { saveNumbers } from './chart-save.ts';
import { useChartSettings } from './chart-settings.ts';
import { recipeCharts } from './charts.tsx';

const config = presetConfig('maze');

it('shows the whole x axis of another run', () => {
  beginRun('first', config, 'maze');
  useChartSettings.setState({ zoom: [40, 60] });
  beginRun('second', config, 'maze');
  expect(useChartSettings.getState().zoom).toBeNull();
});

it('unpins a chart when a run of another recipe starts', () => {
  beginRun('first', config, 'maze');
  const [pinned = null] = recipeCharts.reinforcement.details;
  useChartSettings.setState({ pinned });
  beginRun('second', { ...config, seed: 2 }, 'maze');
  expect(useChartSettings.getState().pinned).toBe(pinned);
  beginRun('third', { ...config, recipe: 'evolution' }, 'maze');
  expect(useChartSettings.getState().pinned).toBeNull();
});

it('saves a hidden run if it is the only one, because it has no toggle', async () => {
  beginRun('only', config, 'maze', 'The only run');
  const [group] = chartData().groups;
  useChartSettings.setState({ hiddenRuns: new Set([group?.key ?? '']) });
  const files: Blob[] = [];
  vi.stubGlobal('document', { createElement: () => ({ click: () => {} }) });
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    files.push(file as Blob);
    return '';
  });
  saveNumbers('Success', '', [], 'json');
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  useChartSettings.setState({ hiddenRuns: new Set() });
  expect(await files[0]?.text()).toContain('The only run');
});
