/**
 * Hugging Face's `LlamaForCausalLM` in plain float64, written from its documentation and independently of
 * the policy: separate projections stored (outputs, inputs), `rotate_half`, `repeat_kv`.
 */
import type { WeightTensor } from '../../policy/types.ts';

type Row = readonly number[];

const dot = (a: Row, b: Row) => a.reduce((sum, x, i) => sum + x * (b[i] ?? NaN), 0);

/** Logits (L, vocabulary) of one sequence. */
export function llamaForward(
  config: Readonly<Record<string, unknown>>,
  tensors: ReadonlyMap<string, WeightTensor>,
  tokens: readonly number[],
): number[][] {
  const number = (name: string) => Number(config[name]);
  const rows = (name: string): Row[] => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new RangeError(`no tensor ${name}`);
    const columns = tensor.shape.at(-1) ?? 0;
    return Array.from({ length: tensor.values.length / columns }, (_, r) =>
      Array.from(tensor.values.subarray(r * columns, (r + 1) * columns)),
    );
  };
  const linear = (name: string) => {
    const weight = rows(name);
    return (x: Row) => weight.map((row) => dot(row, x));
  };
  const norm = (name: string) => {
    const [gain = []] = rows(name);
    return (x: Row) => {
      const variance = dot(x, x) / x.length;
      return x.map(
        (value, i) => (gain[i] ?? NaN) * (value / Math.sqrt(variance + number('rms_norm_eps'))),
      );
    };
  };
  const add = (a: Row, b: Row) => a.map((x, i) => x + (b[i] ?? NaN));
  const headDim = number('head_dim');
  const heads = number('num_attention_heads');
  const repeats = heads / number('num_key_value_heads');

  /** x·cos + rotate_half(x)·sin, with both halves of a head at the same frequencies. */
  const rotary = (x: Row, position: number) =>
    x.map((value, i) => {
      const j = i % headDim;
      const half = headDim / 2;
      const angle = position / number('rope_theta') ** ((2 * (j % half)) / headDim);
      const partner = j < half ? -(x[i + half] ?? NaN) : (x[i - half] ?? NaN);
      return value * Math.cos(angle) + partner * Math.sin(angle);
    });
  const head = (x: Row, h: number) => x.slice(h * headDim, (h + 1) * headDim);

  const embedding = rows('model.embed_tokens.weight');
  let hidden: Row[] = tokens.map((token) => embedding[token] ?? []);
  for (let l = 0; l < number('num_hidden_layers'); l++) {
    const of = `model.layers.${l}`;
    const normed = hidden.map(norm(`${of}.input_layernorm.weight`));
    const q = normed.map(linear(`${of}.self_attn.q_proj.weight`)).map(rotary);
    const k = normed.map(linear(`${of}.self_attn.k_proj.weight`)).map(rotary);
    const v = normed.map(linear(`${of}.self_attn.v_proj.weight`));
    const attended = q.map((query, t) =>
      Array.from({ length: heads }, (_, h) => {
        const shared = Math.floor(h / repeats);
        const scores = k
          .slice(0, t + 1)
          .map((key) => dot(head(query, h), head(key, shared)) / Math.sqrt(headDim));
        const most = Math.max(...scores);
        const weights = scores.map((score) => Math.exp(score - most));
        const total = weights.reduce((sum, w) => sum + w, 0);
        return Array.from({ length: headDim }, (_, d) =>
          weights.reduce(
            (sum, w, s) => sum + (w / total) * (head(v[s] ?? [], shared)[d] ?? NaN),
            0,
          ),
        );
      }).flat(),
    );
    hidden = hidden.map((x, t) =>
      add(x, linear(`${of}.self_attn.o_proj.weight`)(attended[t] ?? [])),
    );
    const after = hidden.map(norm(`${of}.post_attention_layernorm.weight`));
    const gate = after.map(linear(`${of}.mlp.gate_proj.weight`));
    const up = after.map(linear(`${of}.mlp.up_proj.weight`));
    const fed = gate.map((row, t) =>
      row.map((g, i) => (g / (1 + Math.exp(-g))) * (up[t]?.[i] ?? NaN)),
    );
    hidden = hidden.map((x, t) => add(x, linear(`${of}.mlp.down_proj.weight`)(fed[t] ?? [])));
  }
  const last = hidden.map(norm('model.norm.weight'));
  const tied = config.tie_word_embeddings === true;
  return last.map(linear(tied ? 'model.embed_tokens.weight' : 'lm_head.weight'));
}
