/** Questions about a network, answered by its own worker. */

import { agentOf, keptAgentOf } from '../../../exchange/agent.ts';
import type { NetworkReply, NetworkRequest, NetworkWeights } from '../../../lab/questions.ts';
import type { KeptAgent } from '../../../runs/checkpoint.ts';
import type {
  EmbeddingQuery,
  EmbeddingReading,
  NetworkQuery,
  NetworkReading,
} from '../../../runs/network-reading.ts';
import { readAgent } from '../../shell/files/file-reader.ts';
import { QuestionRefusedError } from '../../shell/lab/questions.ts';

/** A worker that holds a network's weights. Every method throws `QuestionRefusedError`. */
export interface NetworkWorker {
  readonly add: (network: NetworkWeights) => Promise<void>;
  readonly read: (ask: NetworkQuery) => Promise<NetworkReading>;
  readonly embeddings: (ask: EmbeddingQuery) => Promise<EmbeddingReading>;
  readonly close: () => void;
}

export function startNetworkWorker(): NetworkWorker {
  const worker = new Worker(new URL('../../../lab/network-worker.ts', import.meta.url), {
    type: 'module',
    name: 'palestra-network',
  });
  const waiting = new Map<number, (reply: NetworkReply) => void>();
  /** Why the worker no longer answers; null while it does. */
  let ended: string | null = null;
  const end = (problem: string) => {
    ended = problem;
    for (const [id, resolve] of waiting) resolve({ id, problem });
    waiting.clear();
  };
  worker.onmessage = ({ data }: MessageEvent<NetworkReply>) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end('The worker has stopped. Close the panel and open it again.');
  };
  let last = 0;
  const request = async (message: (id: number) => NetworkRequest) => {
    if (ended !== null) throw new QuestionRefusedError(ended);
    last += 1;
    const id = last;
    const reply = await new Promise<NetworkReply>((resolve) => {
      waiting.set(id, resolve);
      worker.postMessage(message(id));
    });
    if (reply.problem !== undefined) throw new QuestionRefusedError(reply.problem);
    return reply.answer;
  };
  return {
    add: async (network) => {
      await request((id) => ({ id, kind: 'weights', network }));
    },
    // Each kind of question has its own answer type.
    read: async (ask) =>
      (await request((id) => ({ id, kind: 'read-network', ask }))) as NetworkReading,
    embeddings: async (ask) =>
      (await request((id) => ({ id, kind: 'read-embeddings', ask }))) as EmbeddingReading,
    close: () => {
      worker.terminate();
      end('The network has been closed.');
    },
  };
}

/** An agent from a file. */
export interface OpenedNetwork {
  readonly name: string;
  readonly agent: KeptAgent;
  readonly worker: NetworkWorker;
}

/** @throws {FileRefusedError} {AgentFileError} {QuestionRefusedError} for a file that cannot be examined */
export async function openNetwork(file: File): Promise<OpenedNetwork> {
  const agent = keptAgentOf(await readAgent(file));
  const { config, vocabulary, bpe, iteration, weights } = agent;
  const { shape } = agentOf(agent);
  const worker = startNetworkWorker();
  try {
    await worker.add({
      ...{ config, shape, vocabulary, bpe },
      ...{ kept: [iteration], added: [{ iteration, weights }] },
    });
  } catch (error) {
    worker.close();
    throw error;
  }
  return { name: file.name, agent, worker };
}
