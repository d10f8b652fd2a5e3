import { describe, expect, it } from 'vitest';
import { importTrajectories } from '../../runs/trajectory-import.ts';
import alfworldDialogues from './testing/alfworld-elsewhere.json';
import sciworldDialogues from './testing/sciworld-elsewhere.json';

const imported = (dialogues: unknown) => importTrajectories(JSON.stringify(dialogues), []);

describe('AgentTraj files of ALFWorld', () => {
  const [original, own] = imported(alfworldDialogues);

  it('are shown as text where the room is none of these, with the reason', () => {
    expect(original?.replay).toEqual({
      kind: 'text',
      why: 'No environment here answers the actions of alfworld_15 as recorded, so it is shown as text.',
    });
    expect(original?.record.turns).toHaveLength(6);
    expect(original?.record.turns[3]).toMatchObject({
      thought: 'It works shut.',
      action: 'heat mug 1 with microwave 1',
    });
  });

  it('are replayed where the words are those of a task here', () => {
    expect(own?.replay).toEqual({ kind: 'exact' });
    expect(own?.record).toMatchObject({
      environment: { id: 'household/alfworld-v1', options: {} },
      taskId: 'alfworld_0',
      success: true,
      score: 1,
    });
  });
});

describe('AgentTraj files of SciWorld', () => {
  const [original, own] = imported(sciworldDialogues);

  it('are shown as text where the house is none of these, with the reason', () => {
    expect(original?.replay).toEqual({
      kind: 'text',
      why: 'No environment here answers the actions of sciworld_40 as recorded, so it is shown as text.',
    });
    expect(original?.record.turns).toHaveLength(9);
    expect(original?.record.turns[8]?.action).toBe('move dove to red box');
  });

  it('are replayed where the words are those of a task here', () => {
    expect(own?.replay).toEqual({ kind: 'exact' });
    expect(own?.record).toMatchObject({
      environment: { id: 'household/sciworld-v1', options: {} },
      taskId: 'sciworld_0',
      success: true,
      score: 1,
    });
  });
});
