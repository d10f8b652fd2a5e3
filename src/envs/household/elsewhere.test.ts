import { describe, expect, it } from 'vitest';
import { importTrajectories } from '../../exchange/trajectories/trajectory-import.ts';
import alfworldDialogues from './testing/alfworld-elsewhere.json';
import sciworldDialogues from './testing/sciworld-elsewhere.json';

const imported = (dialogues: unknown) => importTrajectories(JSON.stringify(dialogues), []);

describe('AgentTraj import of ALFWorld', () => {
  const [original, own] = imported(alfworldDialogues);

  it('shows a dialogue as text and gives the reason if the room is not from this environment', () => {
    expect(original?.replay).toEqual({
      kind: 'text',
      why: 'No environment reproduces the recorded dialogue of alfworld_15, so it is shown as text.',
    });
    expect(original?.record.turns).toHaveLength(6);
    expect(original?.record.turns[3]).toMatchObject({
      thought: 'It works shut.',
      action: 'heat mug 1 with microwave 1',
    });
  });

  it('replays dialogues whose text matches a task', () => {
    expect(own?.replay).toEqual({ kind: 'exact' });
    expect(own?.record).toMatchObject({
      environment: { id: 'household/alfworld-v1', options: {} },
      taskId: 'alfworld_0',
      success: true,
      score: 1,
    });
  });
});

describe('AgentTraj import of SciWorld', () => {
  const [original, own] = imported(sciworldDialogues);

  it('shows a dialogue as text and gives the reason if the house is not from this environment', () => {
    expect(original?.replay).toEqual({
      kind: 'text',
      why: 'No environment reproduces the recorded dialogue of sciworld_40, so it is shown as text.',
    });
    expect(original?.record.turns).toHaveLength(9);
    expect(original?.record.turns[8]?.action).toBe('move dove to red box');
  });

  it('replays dialogues whose text matches a task', () => {
    expect(own?.replay).toEqual({ kind: 'exact' });
    expect(own?.record).toMatchObject({
      environment: { id: 'household/sciworld-v1', options: {} },
      taskId: 'sciworld_0',
      success: true,
      score: 1,
    });
  });
});
