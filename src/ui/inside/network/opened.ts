/** Questions about an agent from a file, answered by its own worker. */

import { agentOf, keptAgentOf } from '../../../exchange/agent.ts';
import type { AnswerOf, AskOf, NetworkReply, NetworkRequest } from '../../../lab/questions.ts';
import type { KeptAgent } from '../../../runs/checkpoint.ts';
import { readAgent } from '../../shell/files/file-reader.ts';
import { QuestionRefusedError } from '../../shell/lab/questions.ts';

export type NetworkQuestion = 'read-network' | 'read-embeddings';

export interface OpenedNetwork {
  readonly name: string;
  readonly agent: KeptAgent;
  readonly ask: <Name extends NetworkQuestion>(
    name: Name,
    ask: AskOf<Name>,
  ) => Promise<AnswerOf<Name>>;
  readonly close: () => void;
}

/** @throws {FileRefusedError} {AgentFileError} {QuestionRefusedError} for a file that cannot be examined */
export async function openNetwork(file: File): Promise<OpenedNetwork> {
  const agent = keptAgentOf(await readAgent(file));
  const worker = new Worker(new URL('../../../lab/network-worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-network',
  });
  const waiting = new Map<number, (reply: NetworkReply) => void>();
  worker.onmessage = ({ data }: MessageEvent<NetworkReply>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    for (const [id, resolve] of waiting) {
      resolve({ id, problem: 'The worker has stopped. Open the file again.' });
    }
    waiting.clear();
  };
  let last = 0;
  const request = async (message: (id: number) => NetworkRequest) => {
    last += 1;
    const id = last;
    const reply = await new Promise<NetworkReply>((resolve) => {
      waiting.set(id, resolve);
      worker.postMessage(message(id));
    });
    if (reply.problem !== undefined) throw new QuestionRefusedError(reply.problem);
    return reply.answer;
  };
  const { shape } = agentOf(agent);
  await request((id) => ({ id, kind: 'agent', agent: { ...agent, shape } }));
  return {
    name: file.name,
    agent,
    // The worker answers each question with its own type.
    ask: async (name, ask) =>
      (await request((id) => ({ id, kind: name, ask }) as NetworkRequest)) as never,
    close: () => worker.terminate(),
  };
}
