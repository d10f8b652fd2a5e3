import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEnvironment } from '../../../envs/registry.ts';
import { FileWorkerInProcess } from '../../../exchange/testing/worker.ts';
import { writeAgentTraj } from '../../../exchange/trajectories/agent-traj.ts';
import elsewhere from '../../../exchange/trajectories/testing/maze-elsewhere.json';
import { fileLimits } from '../../../files/limits.ts';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { EpisodeSummary } from '../../../runs/kept-episodes.ts';
import { expertEpisode } from '../../../runs/reenact.ts';
import { chosenFilm } from '../../shell/episode/chosen-film.ts';
import { usePlayback } from '../../shell/episode/playback.ts';
import { useLab } from '../../shell/lab/store.ts';
import { PAGE_ROWS, pageOf } from '../../shell/page/page-of.ts';
import { everything, filterRows, type SortColumn, sortRows, type TrajectoryRow } from './list.ts';
import {
  exportRows,
  importFiles,
  openTrajectory,
  removeImported,
  rowsOf,
  useTrajectories,
} from './store.ts';
import { nextSorting } from './table.tsx';

const summary = (number: number, about: Partial<EpisodeSummary> = {}): EpisodeSummary => ({
  number,
  iteration: 1,
  kind: 'train',
  environmentId: 'maze/double-t-v1',
  taskId: `maze_${number}`,
  turns: 4,
  score: 0,
  success: false,
  truncated: false,
  ...about,
});

beforeEach(() => void vi.stubGlobal('Worker', FileWorkerInProcess));

const file = (name: string, contents: unknown): File =>
  new File([typeof contents === 'string' ? contents : JSON.stringify(contents)], name);

const expert = (id: string, task: string): EpisodeRecord => {
  const source = { id, options: {} };
  return expertEpisode(createEnvironment(id), source, task).record;
};

const present = (): readonly TrajectoryRow[] =>
  rowsOf(useTrajectories.getState(), useLab.getState().runId);

afterEach(() => {
  removeImported();
  useTrajectories.setState({ kept: [], runId: null });
  usePlayback.setState({ source: 'latest', chosen: null });
});

describe('the list of episodes', () => {
  const kept = [
    summary(1, { score: 1, success: true }),
    summary(10, { truncated: true, iteration: 2, turns: 30 }),
    summary(9, { iteration: 2 }),
    summary(11, { kind: 'eval' }),
  ];
  const rows = rowsOf({ kept, runId: 'a', imported: [] }, 'a');
  const tasks = (found: readonly TrajectoryRow[]) => found.map(({ taskId }) => taskId);

  it('shows the newest iteration first, and no episodes of other runs', () => {
    expect(tasks(rows)).toEqual(['maze_9', 'maze_10', 'maze_11', 'maze_1']);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'cut', 'failed', 'solved']);
    expect(rowsOf({ kept, runId: 'a', imported: [] }, 'b')).toEqual([]);
  });

  it('filters by kind, environment and outcome', () => {
    expect(filterRows(rows, everything)).toEqual(rows);
    expect(tasks(filterRows(rows, { ...everything, kind: 'eval' }))).toEqual(['maze_11']);
    expect(tasks(filterRows(rows, { ...everything, outcome: 'cut' }))).toEqual(['maze_10']);
    expect(filterRows(rows, { ...everything, environmentId: 'wordle/wordle-v1' })).toEqual([]);
    const all = { kind: 'train', environmentId: 'maze/double-t-v1', outcome: 'failed' } as const;
    expect(tasks(filterRows(rows, all))).toEqual(['maze_9']);
  });

  it('sorts numbers numerically, with missing values at the end', () => {
    expect(tasks(sortRows(rows, { column: 'taskId', descending: false }))).toEqual([
      ...['maze_1', 'maze_9', 'maze_10', 'maze_11'],
    ]);
    const [first] = rows;
    if (first === undefined) throw new Error('no rows');
    const unknown = { ...first, iteration: null, score: Number.NaN, taskId: 'x' };
    for (const descending of [true, false]) {
      for (const column of ['iteration', 'score'] as const) {
        expect(tasks(sortRows([unknown, ...rows], { column, descending })).at(-1)).toBe('x');
      }
    }
  });

  it('sorts stably, without losing rows', () => {
    const columns = fc.constantFrom<SortColumn>('turns', 'score', 'iteration', 'outcome');
    const some = fc.array(
      fc.record({ turns: fc.nat(3), score: fc.constantFrom(0, 1, Number.NaN), i: fc.nat(2) }),
    );
    fc.assert(
      fc.property(some, columns, fc.boolean(), (plans, column, descending) => {
        const kept = plans.map(({ turns, score, i }, n) =>
          summary(n, { turns, score, iteration: i }),
        );
        const all = rowsOf({ kept, runId: 'a', imported: [] }, 'a');
        const sorted = sortRows(all, { column, descending });
        expect(new Set(sorted)).toEqual(new Set(all));
        const place = (row: TrajectoryRow | undefined) => (row ? all.indexOf(row) : -1);
        for (const [n, row] of sorted.entries()) {
          const next = sorted[n + 1];
          if (next !== undefined && Object.is(next[column], row[column])) {
            expect(place(next)).toBeGreaterThan(place(row));
          }
        }
      }),
    );
  });

  it('sorts a column in one direction, then in the other, then restores the default order', () => {
    const first = nextSorting(null, 'turns', true);
    expect(first).toEqual({ column: 'turns', descending: true });
    const second = nextSorting(first, 'turns', true);
    expect(second).toEqual({ column: 'turns', descending: false });
    expect(nextSorting(second, 'turns', true)).toBeNull();
    expect(nextSorting(second, 'taskId', false)).toEqual({ column: 'taskId', descending: false });
  });

  it('shows every row on exactly one page', () => {
    const long = rowsOf(
      { kept: Array.from({ length: 34 }, (_, n) => summary(n)), runId: 'a', imported: [] },
      'a',
    );
    const { pages } = pageOf(long, 0);
    expect(pages).toBe(Math.ceil(34 / PAGE_ROWS));
    const all = Array.from({ length: pages }, (_, page) => pageOf(long, page).rows).flat();
    expect(all).toEqual(long);
    expect(pageOf(long, 99).page).toBe(pages - 1);
    expect(pageOf([], 3)).toEqual({ page: 0, pages: 1, rows: [] });
  });
});

describe('importing and exporting files', () => {
  it('imports, lists and replays episodes, and exports them unchanged', async () => {
    const records = [expert('maze/double-t-v1', 'maze_4'), expert('maze/generated-v2', 'maze_8')];
    const text = [...writeAgentTraj(records)].join('');
    await importFiles([file('a.json', text), file('b.json', elsewhere)]);
    const { problem, done } = useTrajectories.getState();
    expect([problem, done]).toEqual([null, '3 episodes imported.']);
    const rows = present();
    expect(rows).toMatchObject([
      { kind: 'imported', taskId: 'maze_4', environmentId: 'maze/double-t-v1', outcome: 'solved' },
      { kind: 'imported', taskId: 'maze_8', environmentId: 'maze/generated-v2', iteration: null },
      { kind: 'imported', taskId: 'lmrlgym_maze_3', environmentId: 'maze/double-t-v1' },
    ]);

    for (const row of rows) {
      await openTrajectory(row);
      const { source, chosen, turn } = usePlayback.getState();
      expect([source, chosen?.key, chosen?.name, turn]).toEqual(['chosen', row.key, row.taskId, 0]);
      if (chosen === null) throw new Error('nothing was chosen');
      const { episode, why } = chosenFilm(chosen);
      expect(why).toBeNull();
      expect(episode.states).toHaveLength(row.turns + 1);
    }

    const own = await exportRows(rows.slice(0, 2), 'agent-traj');
    expect(own?.pieces.join('')).toBe(text);
    const foreign = await exportRows(rows.slice(2), 'agent-traj');
    const [item] = JSON.parse(foreign?.pieces.join('') ?? '');
    const said = elsewhere[0]?.conversations ?? [];
    expect(item.item_id).toBe('lmrlgym_maze_3');
    // The instruction comes from this page's environment; everything else from the file.
    expect(item.conversations.slice(2)).toEqual(said.slice(2));
    expect(useTrajectories.getState().done).toBe('1 episode exported.');
  });

  it('leaves episodes without a reward out of rollout logs', async () => {
    const conversations = [
      { from: 'human', loss: null, value: 'What is up?' },
      { from: 'gpt', loss: true, value: 'The sky.' },
    ];
    await importFiles([
      file('a.json', [{ item_id: 'talk_1', conversations }]),
      file('b.json', elsewhere),
    ]);
    const rows = present();
    expect(rows[0]).toMatchObject({ outcome: 'unknown', environmentId: 'talk' });
    const log = await exportRows(rows, 'rollout-log');
    expect(JSON.parse(log?.pieces.join('') ?? '')).toMatchObject([{ item_id: 3, reward: 1 }]);
    expect(useTrajectories.getState().done).toBe('1 episode exported; 1 could not be exported.');
    expect(await exportRows(rows.slice(0, 1), 'rollout-log')).toBeNull();
    expect(useTrajectories.getState().problem).toMatch(/has a reward/);

    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    await openTrajectory(row);
    const { chosen } = usePlayback.getState();
    expect(chosen && chosenFilm(chosen)).toMatchObject({
      episode: { states: [] },
      why: 'No environment has a task talk_1, so it is shown as text.',
    });
  });

  it('rejects malformed, oversized and unreadable files with an error that names the file, and imports nothing', async () => {
    await importFiles([file('good.json', elsewhere)]);
    const before = present();
    const large = Object.defineProperty(file('large.json', '[]'), 'size', {
      value: fileLimits.trajectories + 1,
    });
    const gone = Object.assign(file('gone.json', ''), {
      arrayBuffer: () => Promise.reject(new Error('moved')),
    });
    for (const [bad, message] of [
      [file('bad.json', '[{}]'), /^bad\.json: Item 0: item_id must be a string, got nothing\.$/],
      [file('empty.json', ''), /^empty\.json: The file is empty\.$/],
      [large, /^large\.json: The file is 201 MB; the limit is 200 MB/],
      [gone, /^gone\.json: The browser cannot read this file/],
    ] as const) {
      // A valid file selected with an invalid one is not imported either.
      await importFiles([file('good.json', elsewhere), bad]);
      expect(useTrajectories.getState().problem).toMatch(message);
      expect(present()).toEqual(before);
    }
  });

  it('reports an episode that is no longer kept', async () => {
    const [row] = rowsOf({ kept: [summary(3)], runId: null, imported: [] }, null);
    if (row === undefined) throw new Error('no row');
    await openTrajectory(row);
    expect(useTrajectories.getState().problem).toMatch(/no longer kept/);
    expect(usePlayback.getState().source).toBe('latest');
    expect(await exportRows([row], 'agent-traj')).toBeNull();
  });
});
