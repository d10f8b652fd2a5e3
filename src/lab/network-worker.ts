/** The worker that inspects a network in parallel with training. The page loads it by URL. */

import { dialogueWindow } from '../agents/agent.ts';
import { openTokenizer } from '../policy/open-tokenizer.ts';
import {
  type NetworkSource,
  readEmbeddings,
  readNetwork,
} from '../training/look/network-reading.ts';
import type { NetworkReply, NetworkRequest, NetworkWeights } from './questions.ts';

// The DOM and worker typings both apply here; in a worker `postMessage` takes one argument.
const scope = self as unknown as DedicatedWorkerGlobalScope;

let source: NetworkSource | null = null;

/** Opens the network, or adds weights to it. */
async function take({ kept, added, ...network }: NetworkWeights): Promise<void> {
  const { config, shape, vocabulary, bpe } = network;
  const { format, temperature } = config.agent;
  const tokenizer = source?.agent.tokenizer ?? (await openTokenizer(vocabulary, bpe));
  const known = new Map(source?.kept.map((one) => [one.iteration, one]));
  for (const one of added) known.set(one.iteration, one);
  source = {
    agent: { tokenizer, window: dialogueWindow(config), format, temperature },
    shape,
    kept: kept.flatMap((iteration) => known.get(iteration) ?? []),
  };
}

async function answer(request: NetworkRequest): Promise<NetworkReply> {
  const { id } = request;
  if (request.kind === 'weights') {
    await take(request.network);
    return { id };
  }
  if (source === null) throw new Error('No network has been opened.');
  return {
    id,
    answer:
      request.kind === 'read-network'
        ? readNetwork(source, request.ask)
        : readEmbeddings(source, request.ask.iteration),
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
