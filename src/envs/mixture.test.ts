import { describe, expect, it } from 'vitest';
import { createMixture, MixtureError, mixtureTask, splitTask } from './mixture.ts';
import { createEnvironment, environmentFor } from './registry.ts';
import { UnknownTaskError } from './types.ts';

const doubleT = createEnvironment('maze/double-t-v1');
const generated = createEnvironment('maze/generated-v2', { size: 5 });
const mixture = createMixture([
  { environment: doubleT, share: 1 },
  { environment: generated, share: 3 },
]);

describe('a mixture', () => {
  it('has the tasks of its parts, prefixed with their environment ids', () => {
    expect(mixture.trainTasks).toHaveLength(
      doubleT.trainTasks.length + generated.trainTasks.length,
    );
    expect(mixture.evalTasks).toContain('maze/generated-v2:maze_100000');
    expect(new Set(mixture.trainTasks).size).toBe(mixture.trainTasks.length);
    expect(mixture.turnLimit).toBe(Math.max(doubleT.turnLimit, generated.turnLimit));
  });

  it('lists what each part holds out, and which parts evaluate on their training tasks', () => {
    const { sentence, sameTasks, aspects, cluster } = mixture.holdout;
    expect(sentence).toContain(`maze/double-t-v1: ${doubleT.holdout.sentence}`);
    expect(sentence).toContain(`maze/generated-v2: ${generated.holdout.sentence}`);
    expect([sameTasks, aspects[0].apart]).toEqual([true, false]);
    const task = 'maze/generated-v2:maze_100000';
    expect(aspects[0].asks(task)).toBe(
      `maze/generated-v2:${generated.holdout.aspects[0].asks('maze_100000')}`,
    );
    expect(cluster?.of(task)).toBe(
      `maze/generated-v2:${generated.holdout.cluster?.of('maze_100000')}`,
    );
    expect(cluster?.of('maze/double-t-v1:maze_3')).toBe('maze/double-t-v1:maze_3');
  });

  it('has one vocabulary without duplicate lexemes', () => {
    const all = [...mixture.lexicon, ...mixture.thoughtLexicon];
    expect(new Set(all).size).toBe(all.length);
    for (const { lexicon, thoughtLexicon } of [doubleT, generated]) {
      for (const lexeme of [...lexicon, ...thoughtLexicon]) expect(all).toContain(lexeme);
    }
  });

  it.each([doubleT, generated])('plays tasks of $id exactly as $id does', (environment) => {
    for (const task of environment.evalTasks.slice(0, 5)) {
      let alone = environment.reset(task);
      let mixed = mixture.reset(mixtureTask(environment.id, task));
      for (let over = false; !over; ) {
        expect(mixed.observation).toBe(alone.observation);
        expect(mixture.admissibleActions(mixed.state)).toEqual(
          environment.admissibleActions(alone.state),
        );
        const { action } = mixture.expert(mixed.state);
        const a = environment.step(alone.state, action);
        const m = mixture.step(mixed.state, action);
        expect({ ...m, state: m.state.state }).toEqual(a);
        expect(mixture.success(m.state)).toBe(environment.success(a.state));
        over = a.terminated;
        alone = a;
        mixed = m;
      }
      expect(mixture.success(mixed.state)).toBe(true);
    }
  });

  it('rejects tasks of other environments and duplicate environments', () => {
    expect(() => mixture.reset('maze_3')).toThrow(UnknownTaskError);
    expect(() => mixture.reset('maze/double-t-partial-v1:maze_3')).toThrow(UnknownTaskError);
    expect(() => mixture.reset('maze/double-t-v1:maze_300')).toThrow(UnknownTaskError);
    const twice = { environment: doubleT, share: 1 };
    expect(() => createMixture([twice, twice])).toThrow(MixtureError);
  });

  it('splits a task id into environment and task', () => {
    expect(splitTask('maze/double-t-v1:maze_3')).toEqual({
      environmentId: 'maze/double-t-v1',
      task: 'maze_3',
    });
    expect(splitTask('maze_3')).toEqual({ environmentId: null, task: 'maze_3' });
  });

  it('replaces the single environment if a config lists parts', () => {
    const part = { id: 'maze/double-t-v1', options: {}, share: 1, imitation_weight: 1 };
    const settings = { id: 'maze/generated-v2', options: {}, mixture: [part] };
    expect(environmentFor(settings).id).toBe('mixture');
    expect(environmentFor({ ...settings, mixture: [] }).id).toBe('maze/generated-v2');
  });
});
