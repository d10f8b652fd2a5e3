/** The model card of an exported agent: description, training, evaluation, usage. */

import { policyShape } from '../agents/shape.ts';
import { matchMethod } from '../config/methods.ts';
import { parameterLayout } from '../policy/layout.ts';
import type { KeptAgent } from '../runs/checkpoint.ts';
import { type EvaluationReport, formatReport } from '../runs/evaluation-report.ts';
import { rulesOf } from './agent.ts';
import { specialIds } from './tokenizer-json.ts';

interface CardOptions {
  readonly report: EvaluationReport | null;
  readonly license: string;
}

/** Markdown with the metadata block that model hubs read. */
export function modelCard(checkpoint: KeptAgent, { report, license }: CardOptions): string {
  const { config, vocabulary, iteration, turns } = checkpoint;
  const shape = policyShape(config, vocabulary.length);
  const bpe = rulesOf(checkpoint.bpe, vocabulary);
  const special = specialIds(bpe);
  const [obs, act, end] = [special.obs, special.act, special.end].map((id) => vocabulary[id] ?? '');
  // Byte-pair tokens contain their spaces.
  const space = bpe === null ? ' ' : '';
  const dialogue = ['observation', 'action', 'observation']
    .map((said, i) => `${i % 2 === 0 ? obs : act}${space}${said}${space}`)
    .join('');
  const prompt = `${JSON.stringify(obs + space)} + observation + ${JSON.stringify(space + act)}`;
  const environments = config.env.mixture.length === 0 ? [config.env] : config.env.mixture;
  const names = environments.map(({ id }) => `\`${id}\``).join(', ');
  const method = matchMethod(config)?.title ?? 'custom settings (see config.json)';
  const { parameterCount } = parameterLayout(shape);
  const { history_window: window, keep_task: keepTask, max_action_tokens: written } = config.agent;
  const read =
    window === 0 ? 'all turns' : window === 1 ? 'the current turn' : `the last ${window} turns`;
  return `---
license: ${license.toLowerCase()}
library_name: transformers
pipeline_tag: text-generation
tags:
  - reinforcement-learning
  - llama
  - palestra
---

# A Palestra agent for ${environments.map(({ id }) => id).join(', ')}

A small language agent, trained by reinforcement learning in Palestra to act in ${names}. It reads the environment's observation and writes the next action.

## Model

A Llama decoder with ${parameterCount} parameters: ${shape.layers} layers, width ${shape.width}, ${shape.heads} query heads, ${shape.kvHeads} key–value heads, a feed-forward width of ${shape.ffnWidth}, ${shape.tiedEmbeddings ? 'tied' : 'untied'} embeddings${shape.valueHead ? ', a value head' : ''}. ${
    bpe === null
      ? `Its vocabulary is closed: ${vocabulary.length} tokens, each a word or a phrase of its environments.

It can only act in these environments. It is not a chat model and was not trained on human-written text.`
      : `It reads and writes ${vocabulary.length} byte-pair tokens.

Training started from an imported checkpoint whose training data are unknown. The license of that checkpoint may add conditions to the license of this card.`
  }

## Training

| | |
| --- | --- |
| Environment | ${names} |
| Method | ${method} |
| Seed | ${config.seed} |
| Iterations | ${iteration} |
| Turns played | ${turns} |

All settings are in \`config.json\` under \`palestra.config\`.

## Evaluation

${report === null ? 'Not evaluated. Run `npm run evaluate` in Palestra.' : formatReport(report, 'markdown').trim()}

## Input and output

A dialogue is \`${dialogue}${act}\`, and the agent writes what follows the last \`${act}\`, at most ${written} ${written === 1 ? 'token' : 'tokens'}${written === 1 ? '' : `, up to \`${end}\``}. It reads ${read}${keepTask && window !== 0 ? ' after the first observation, which states the task' : ''}, at most ${config.agent.context_length} tokens including its own output. It was trained at temperature ${config.agent.temperature}.

## Use in Python

With transformers:

\`\`\`python
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("this-folder")
model = AutoModelForCausalLM.from_pretrained("this-folder")
ids = tokenizer(${prompt}, return_tensors="pt")
written = model.generate(**ids, max_new_tokens=${written}, do_sample=False)
print(tokenizer.decode(written[0, ids["input_ids"].shape[1]:]))
\`\`\`

With onnxruntime:

\`\`\`python
import json, numpy as np, onnxruntime
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file("tokenizer.json")
session = onnxruntime.InferenceSession("model.onnx")
ids = np.array([tokenizer.encode(${prompt}).ids])
inputs = {
    "input_ids": ids,
    "attention_mask": np.ones_like(ids),
    "position_ids": np.arange(ids.shape[1])[None],
}
logits = session.run(["logits"], inputs)[0][0, -1]
print(tokenizer.id_to_token(int(logits.argmax())))
\`\`\`

\`model_with_cache.onnx\` also takes \`past_key_values.N.key\` and \`past_key_values.N.value\` of the previous tokens (initially of length 0) and returns \`present.N.key\` and \`present.N.value\` for the next call.

## Use in the browser

Open the zip in Palestra's play mode, or run \`model.onnx\` with onnxruntime-web and the same inputs.
`;
}
