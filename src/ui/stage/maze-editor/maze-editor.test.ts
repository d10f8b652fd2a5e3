import { describe, expect, it } from 'vitest';
import { readDrawing, writeDrawing } from '../../../envs/drawn/drawing.ts';
import '../../../envs/testing/load-all.ts';
import { readAddress, writeAddress } from '../../shell/address/address.ts';
import { EditorFileError } from '../editor-files/error.ts';
import { rowsOf } from './draft.ts';
import { begin, brushFrom, change, extend, paint, redo, resize, undo } from './edit.ts';
import { readMazeFile, writeMazeFile } from './file.ts';
import { templates } from './templates.ts';
import { factsOf, PRESET, trainingConfig } from './train.ts';

const rows = rowsOf('S.../.##./...G');

describe('the maze editor', () => {
  it('undoes and redoes a whole stroke', () => {
    const first = change(begin(rows), paint(rows, 1, 'wall'));
    const stroke = extend(first, paint(first.rows, 2, 'wall'));
    expect(writeDrawing(stroke.rows)).toBe('S##./.##./...G');
    const undone = undo(stroke);
    expect(undone.rows).toBe(rows);
    expect(redo(undone).rows).toBe(stroke.rows);
    expect(undo(undo(undone))).toEqual(undone);
    expect(change(undone, paint(rows, 0, 'start'))).toEqual(undone);
  });

  it('undoes a stroke whose first square does not change', () => {
    const undone = undo(change(begin(rows), paint(rows, 1, 'wall')));
    const still = change(undone, paint(rows, 1, 'free'));
    const stroke = extend(still, paint(rows, 2, 'wall'));
    expect(stroke.after).toEqual([]);
    expect(undo(extend(stroke, paint(stroke.rows, 3, 'wall'))).rows).toEqual(rows);
  });

  it('moves the goal, and erases a square that already has the painted kind', () => {
    expect(writeDrawing(paint(rows, 3, 'goal'))).toBe('S..G/.##./....');
    expect(brushFrom(rows, 5, 'wall')).toBe('free');
    expect(brushFrom(rows, 4, 'wall')).toBe('wall');
  });

  it('keeps a goal when the maze shrinks, and limits each side to 3–15 squares', () => {
    expect(writeDrawing(resize(rows, 3, 3))).toBe('S../.##/..G');
    expect(resize(rows, 1, 99)).toHaveLength(3);
    expect(resize(rows, 1, 99)[0]).toHaveLength(15);
  });
});

describe('a maze template', () => {
  it.each(templates)('can be trained on: $name', ({ drawing }) => {
    const { starts, farthest } = factsOf(drawing);
    expect(starts).toBeGreaterThan(0);
    const { rollout, horizon } = trainingConfig(drawing, '');
    expect(rollout.tasks_per_iteration * rollout.group_size).toBeGreaterThan(150);
    expect(horizon.rounds.at(-1)).toBeGreaterThan(farthest);
  });
});

describe('a link to a drawn maze', () => {
  it('contains the drawing and its name', () => {
    const config = trainingConfig(writeDrawing(rows), 'Ring & co.');
    const address = writeAddress({ preset: PRESET, config });
    expect(address.length).toBeLessThan(400);
    expect(readAddress(address)).toEqual({ preset: PRESET, config, notes: [] });
  });

  it('discards an unplayable drawing and gives the reason', () => {
    const { config, notes } = readAddress(
      '?env.id=maze/drawn-v1&env.options.drawing=S%23G/%23%23./...',
    );
    expect(notes.join()).toContain('the goal cannot be reached');
    expect(config.env.options).not.toHaveProperty('drawing');
  });
});

describe('a maze file', () => {
  it('round-trips a maze and its name', () => {
    const text = writeMazeFile('Ring', writeDrawing(rows));
    expect(text).toBe('name: Ring\nS...\n.##.\n...G\n');
    expect(readMazeFile(text)).toEqual({ name: 'Ring', rows });
    expect(readMazeFile(writeMazeFile('', writeDrawing(rows))).name).toBe('');
    expect(readDrawing(text.slice(11))).toEqual(rows);
  });

  it('may contain an unfinished maze, but no other text', () => {
    expect(readMazeFile('.../.../...').name).toBe('');
    expect(() => readMazeFile('name: x\nhello')).toThrow(EditorFileError);
  });
});
