/** The worker that looks inside an agent from a file. The page loads it by URL. */

import { dialogueWindow } from '../agents/agent.ts';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import {
  type NetworkSource,
  readEmbeddings,
  readNetwork,
} from '../training/look/network-reading.ts';
import type { NetworkReply, NetworkRequest, OpenedAgent } from './questions.ts';

// The types of both a page and a worker apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;

let source: Promise<NetworkSource> | null = null;

async function open(opened: OpenedAgent): Promise<NetworkSource> {
  const { config, shape, vocabulary, bpe, iteration, weights } = opened;
  const { format, temperature } = config.agent;
  const tokenizer = await openTokenizer(vocabulary, bpe);
  const window = dialogueWindow(config);
  return {
    agent: { tokenizer, window, format, temperature },
    shape,
    kept: [{ iteration, weights }],
  };
}

async function answer(request: NetworkRequest): Promise<NetworkReply> {
  const { id } = request;
  if (request.kind === 'agent') {
    source = open(request.agent);
    await source;
    return { id };
  }
  if (source === null) throw new Error('No agent has been opened.');
  const network = await source;
  return {
    id,
    answer:
      request.kind === 'read-network'
        ? readNetwork(network, request.ask)
        : readEmbeddings(network, request.ask.iteration),
  };
}

scope.onmessage = async ({ data }: MessageEvent<NetworkRequest>) => {
  try {
    scope.postMessage(await answer(data));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    scope.postMessage({ id: data.id, problem } satisfies NetworkReply);
  }
};
