import { describe, expect, it } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import { createEnvironment, environmentFamilies } from '../../../envs/registry.ts';
import { act, beginTask, expertEpisode, isOver, reenact } from '../../../runs/reenact.ts';
import { maze, mixed, wordle } from '../../../runs/testing/rows.ts';
import { outcome } from '../../shell/episode/dialogue.tsx';
import { environmentOf, environmentsOf } from '../../shell/episode/environments.ts';
import { choose, usePlayback } from '../../shell/episode/playback.ts';
import { isGlued, partTokens, startOf } from '../../shell/episode/tokens.ts';
import { beginRun, useLab } from '../../shell/lab/store.ts';
import { choiceOf, matching, meantAction } from './actions.ts';
import { expertResult } from './expert.ts';

const config = presetConfig('maze');

describe('an episode on the stage', () => {
  it.each(environmentFamilies.map(({ id }) => id))('lets the expert reach the goal in %s', (id) => {
    const environment = createEnvironment(id);
    const source = { id, options: {} };
    const task = environment.evalTasks[0] ?? '';
    const episode = expertEpisode(environment, source, task);
    expect(episode.record.success).toBe(true);
    expect(episode.states).toHaveLength(episode.record.turns.length + 1);
    for (const { thought } of episode.record.turns) expect(thought).not.toBe('');
    expect(outcome(episode.record)).toMatch(/^Solved in \d+ turns?\. Reward \d/);
    expect(reenact(environment, episode.record).states).toEqual(episode.states);
  });

  it('lets a user act until the turn limit, including invalid actions', () => {
    const id = 'maze/double-t-v1';
    const environment = createEnvironment(id);
    let episode = reenact(environment, beginTask(environment, { id, options: {} }, 'maze_0'));
    episode = act(environment, episode, 'sing');
    expect(episode.record.turns[0]?.understood).toBe(false);
    while (!isOver(environment, episode)) episode = act(environment, episode, 'move up');
    expect(episode.record.success).toBe(false);
    expect(episode.record.turns).toHaveLength(environment.turnLimit);
  });
});

describe('the result of the expert', () => {
  const env = { id: maze, options: {} };
  const environment = createEnvironment(maze);
  const { signal } = new AbortController();

  it('says whether it solves the task, and in how many turns', async () => {
    const task = environment.evalTasks[0] ?? '';
    const { turns } = expertEpisode(environment, env, task).record;
    expect(await expertResult(environment, env, task, signal)).toEqual({
      success: true,
      turns: turns.length,
    });
    const lost = { ...environment, expert: () => ({ action: 'sing', thought: '' }) };
    expect(await expertResult(lost, env, task, signal)).toEqual({
      success: false,
      turns: environment.turnLimit,
    });
  });

  it('is null if the expert fails', async () => {
    const expert = () => {
      throw new Error('there is no way');
    };
    expect(await expertResult({ ...environment, expert }, env, 'maze_0', signal)).toBeNull();
  });
});

describe('the stage', () => {
  it('plays the parts of a mixture and creates each environment once', () => {
    expect(environmentsOf(config.env)).toEqual([{ id: maze, options: {} }]);
    expect(environmentsOf(mixed.env).map(({ id }) => id)).toEqual([maze, wordle]);
    const small = environmentOf({ id: wordle, options: {} });
    expect(environmentOf({ id: wordle, options: {} })).toBe(small);
    expect(environmentOf({ id: wordle, options: { list: 'medium' } })).not.toBe(small);
  });

  it('creates user code again after it has exceeded a limit', async () => {
    const code = `export const turns = 3;
export const words = ['go'];
export const reset = () => ({ state: 0, text: 'go' });
export const actions = () => ['go'];
export function step() { for (;;) {} }`;
    const ref = { id: 'written/code-v1', options: { code } };
    const environment = environmentOf(ref);
    expect(environmentOf(ref)).toBe(environment);
    const { state } = environment.reset('task_0');
    expect(() => environment.step(state, 'go')).toThrow();
    // The interpreter restarts.
    expect(environmentOf(ref)).toBe(environment);
    await expect.poll(() => environmentOf(ref)).not.toBe(environment);
  });

  it('splits tokens into thought and action', () => {
    const token = (text: string) => ({ text, probability: 0.5 });
    const words = (tokens: readonly { readonly text: string }[]) => tokens.map(({ text }) => text);
    const react = partTokens(
      ['Thought:', 'go', 'down', '.', 'Action:', 'move down', '<end>'].map(token),
    );
    expect(words(react.thought)).toEqual(['go', 'down', '.']);
    expect(words(react.action)).toEqual(['move down', '<end>']);
    expect(words(partTokens([token('move up')]).action)).toEqual(['move up']);
    // If an agent writes `Action:` again, the last one counts.
    const twice = partTokens(['Action:', 'a', 'Action:', 'b'].map(token));
    expect(words(twice.thought)).toEqual(['Action:', 'a']);
    expect(words(twice.action)).toEqual(['b']);
    expect(isGlued(token('.'), token('down'))).toBe(true);
    expect(isGlued(token('Gravik'), token('<search>'))).toBe(true);
    expect(isGlued(token('down'), token('go'))).toBe(false);
  });

  it('collapses long texts at a word boundary', () => {
    expect(startOf('short', 320)).toBeNull();
    const text = Array.from({ length: 200 }, () => 'word').join(' ');
    const start = startOf(text, 100);
    expect(start).toHaveLength(99);
    expect(text.startsWith(`${start} `)).toBe(true);
    expect(startOf('x'.repeat(500), 100)).toHaveLength(100);
  });

  it('offers keys, buttons or a list, depending on the actions', () => {
    const keys = { ArrowUp: 'move up', w: 'move up', ArrowDown: 'move down' };
    const walk = choiceOf(keys, ['move down']);
    expect(walk.pad).toEqual([
      { key: 'ArrowUp', action: 'move up' },
      { key: 'ArrowDown', action: 'move down' },
    ]);
    expect(walk.padAlone).toBe(true);
    expect(choiceOf(keys, ['move up', 'pick up ball'])).toMatchObject({
      others: ['pick up ball'],
      padAlone: false,
    });
    // Without keys there is always a text field.
    expect(choiceOf({}, []).padAlone).toBe(false);
  });

  it('accepts typed actions without spaces or in capitals', () => {
    const actions = ['a p p l e', 'g r a p e', 'get 1 oak logs'];
    expect(meantAction(' Apple ', actions)).toBe('a p p l e');
    expect(meantAction('GET 1 oak  logs', actions)).toBe('get 1 oak logs');
    expect(meantAction('<search>Gravik</search>', actions)).toBe('<search>Gravik</search>');
    expect(matching('ap', actions)).toEqual(['a p p l e', 'g r a p e']);
    expect(matching('g', actions)).toEqual(['g r a p e', 'get 1 oak logs']);
    expect(matching('', actions)).toEqual(actions);
  });
});

describe('the source of the stage', () => {
  it("returns to the run's episodes when a new run starts after a game", () => {
    beginRun('first', useLab.getState().config, 'maze');
    choose('play');
    beginRun('second', useLab.getState().config, 'maze');
    expect(usePlayback.getState().source).toBeNull();
    choose('expert');
    beginRun('third', useLab.getState().config, 'maze');
    expect(usePlayback.getState().source).toBe('expert');
  });
});
