import { describe, expect, it } from 'vitest';
import type { Agent } from '../agents/agent.ts';
import { greedy } from '../agents/agent.ts';
import { play } from '../agents/play.ts';
import { TabularPolicy } from '../agents/testing/tabular-policy.ts';
import type { CreatePolicy } from '../policy/types.ts';
import {
  CheckpointError,
  decodeCheckpoint,
  encodeCheckpoint,
  keptAgent,
} from '../runs/checkpoint.ts';
import { restoreAgent } from './restore-agent.ts';
import { corridorRun, iterate, quietCorridor } from './testing/corridor-run.ts';

const createPolicy: CreatePolicy = async (shape, capacity) => new TabularPolicy(shape, capacity);

describe('a checkpoint', () => {
  it('restores an agent that plays like the saved one', async () => {
    const { run } = await corridorRun();
    await iterate(run, 3);
    const kept = await run.checkpoint();
    expect(kept).toMatchObject({ iteration: 3, turns: run.turns, tokens: run.tokens });
    const again = decodeCheckpoint(encodeCheckpoint(kept));
    const agent = await restoreAgent(keptAgent(again), createPolicy);
    expect(agent.tokenizer.tokens).toEqual(run.agent.tokenizer.tokens);

    const tasks = quietCorridor.evalTasks.map((task) => ({ task, horizon: 20 }));
    const actions = async (player: Agent) =>
      (await play(greedy(player), quietCorridor, tasks)).map(({ turns }) =>
        turns.map(({ action }) => action),
      );
    expect(await actions(agent)).toEqual(await actions(run.agent));
  });

  it('is rejected if its vocabulary is invalid or its tensors do not fit', async () => {
    const { run } = await corridorRun();
    await iterate(run, 1);
    const kept = keptAgent(await run.checkpoint());
    const { vocabulary } = kept;
    const restored = (change: Partial<typeof kept>) =>
      restoreAgent({ ...kept, ...change }, createPolicy);
    await expect(restored({ vocabulary: vocabulary.slice(1) })).rejects.toThrow(
      new CheckpointError('in its vocabulary, token 0 must be <pad>, got "<unk>"'),
    );
    await expect(restored({ vocabulary: [...vocabulary, 'two  spaces'] })).rejects.toThrow(
      CheckpointError,
    );
    await expect(restored({ vocabulary: [...vocabulary, 'more'] })).rejects.toThrow(
      /the tensor .* must have/,
    );
  });
});
