import type { Environment } from '../../../envs/types.ts';
import { WordTokenizer } from '../../../policy/tokenizer.ts';
import type { GenerateRequest, Generation } from '../../../policy/types.ts';
import type { Agent } from '../../agent.ts';
import { TabularPolicy } from '../../testing/tabular-policy.ts';
import type { Criticizable } from '../prompts.ts';

/** A prompt as text, and the key of the draw that a real policy would make. */
export interface Asked {
  readonly prompt: string;
  readonly iteration: number;
  readonly episode: number;
}

/** A policy that follows a script. */
class ScriptedPolicy extends TabularPolicy {
  readonly #speak: (asked: Asked) => string;
  readonly #tokenizer: WordTokenizer;

  constructor(tokenizer: WordTokenizer, speak: (asked: Asked) => string) {
    super(
      {
        vocabulary: tokenizer.size,
        ...{ layers: 1, width: 4, heads: 1, kvHeads: 1, ffnWidth: 4 },
        ...{ tiedEmbeddings: false, valueHead: false },
      },
      { tokens: 4096, rows: 64, lossRows: 4096, updateRows: 4096, episodes: 64, context: 256 },
    );
    this.#tokenizer = tokenizer;
    this.#speak = speak;
  }

  override async generate(request: GenerateRequest): Promise<Generation> {
    const { maxNewTokens, newTokens, newTokenStarts, random } = request;
    const { obs, act, end } = this.#tokenizer;
    const episodes = request.slots.length;
    const written = new Uint32Array(episodes * maxNewTokens).fill(end);
    const lengths = Uint32Array.from({ length: episodes }, (_, e) => {
      const read = newTokens.subarray(newTokenStarts[e], newTokenStarts[e + 1]);
      const prompt = this.#tokenizer.decode([...read].filter((id) => id !== obs && id !== act));
      const [iteration = -1, episode = -1] = [random.iterations[e], random.episodes[e]];
      const ids = this.#tokenizer.encode(this.#speak({ prompt, iteration, episode }));
      if (ids.length >= maxNewTokens)
        throw new RangeError(`the scripted reply is too long: ${ids.length} tokens`);
      written.set([...ids, end], e * maxNewTokens);
      return ids.length + 1;
    });
    return {
      tokens: written,
      logps: new Float32Array(written.length),
      entropies: new Float32Array(written.length),
      lengths,
      version: this.version,
    };
  }
}

/** An agent for an environment's conversations that follows a script. */
export function scripted(
  environment: Environment & Pick<Criticizable, 'criticism'>,
  speak: (asked: Asked) => string,
  temperature = 1,
): Agent {
  const tokenizer = new WordTokenizer([...environment.lexicon, ...environment.criticism.lexicon]);
  const policy = new ScriptedPolicy(tokenizer, speak);
  return {
    policy,
    tokenizer,
    window: { historyWindow: 1, contextLength: 256, maxActionTokens: 64, keepTask: false },
    format: 'bare',
    temperature,
    seed: 1,
  };
}
