import { expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { beginRun } from '../lab/store.ts';
import { type ChosenEpisode, choose, chooseEpisode, chooseTask, usePlayback } from './playback.ts';

const chosenFrom = (iteration: number | null) =>
  ({ key: 'episode', name: 'task', iteration }) as ChosenEpisode;

it('drops the chosen episode of a run when another run starts', () => {
  const config = presetConfig('maze');
  beginRun('first', config, 'maze');
  chooseEpisode(chosenFrom(3));
  beginRun('second', config, 'maze');
  expect(usePlayback.getState()).toMatchObject({ source: null, chosen: null });

  chooseEpisode(chosenFrom(3));
  choose('latest');
  beginRun('third', config, 'maze');
  expect(usePlayback.getState().chosen).toBeNull();

  chooseEpisode(chosenFrom(null));
  beginRun('fourth', config, 'maze');
  expect(usePlayback.getState()).toMatchObject({ source: 'chosen', chosen: { iteration: null } });
  usePlayback.setState({ source: null, chosen: null });
});

it('drops the chosen task when the environment changes', () => {
  beginRun('first', presetConfig('maze'), 'maze');
  chooseTask('maze_5');
  beginRun('second', structuredClone(presetConfig('maze')), 'maze');
  expect(usePlayback.getState().task).toBe('maze_5');
  beginRun('third', presetConfig('wordle'), 'wordle');
  expect(usePlayback.getState()).toMatchObject({ task: null, environmentId: null });
});
