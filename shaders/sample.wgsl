// Samples the next token of each episode from its row of logits, which episodes may share, with the
// counter-based generator Philox4x32-10 (Salmon et al., SC 2011), counter (position, episode,
// iteration, 0) and key (seed, 0).
//
// Writes column `step` of tokens, logps and entropies (rows, width), or the token ENDED for an
// episode that has already sampled an end token. next_tokens (rows) is the input of the following
// decode step.

const ENDED = 0xffffffffu;

struct Params {
  rows: u32,
  vocabulary: u32,
  stride: u32,
  step: u32,
  width: u32,
  // Tokens that end the turn; if there are fewer than four, the first is repeated.
  end_token: u32,
  end_token_2: u32,
  end_token_3: u32,
  end_token_4: u32,
  // 0 selects the most probable token, with ties broken by the lowest id, and computes its
  // log-probability at temperature 1.
  temperature: f32,
  seed: u32,
}

@group(0) @binding(0) var<storage, read> logits: array<f32>;
// (rows, 4): episode number, number of tokens the agent generated before this turn, row of logits,
// iteration in which the episode began.
@group(0) @binding(1) var<storage, read> draws: array<u32>;
@group(0) @binding(2) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(3) var<storage, read_write> logps: array<f32>;
@group(0) @binding(4) var<storage, read_write> entropies: array<f32>;
@group(0) @binding(5) var<storage, read_write> next_tokens: array<u32>;
@group(0) @binding(6) var<uniform> params: Params;

fn ends(token: u32) -> bool {
  return token == params.end_token || token == params.end_token_2
    || token == params.end_token_3 || token == params.end_token_4;
}

@compute @workgroup_size(64)
fn sample(@builtin(global_invocation_id) id: vec3u) {
  let row = global_index(id);
  if (row >= params.rows) {
    return;
  }
  let out = row * params.width + params.step;
  if (params.step > 0u) {
    let previous = tokens[out - 1u];
    if (previous == ENDED || ends(previous)) {
      tokens[out] = ENDED;
      logps[out] = 0.0;
      entropies[out] = 0.0;
      next_tokens[row] = params.end_token;
      return;
    }
  }
  let base = draws[row * 4u + 2u] * params.stride;
  let greedy = params.temperature == 0.0;
  let beta = 1.0 / select(params.temperature, 1.0, greedy);
  var highest = -3.0e38;
  var best = 0u;
  for (var v = 0u; v < params.vocabulary; v++) {
    let value = logits[base + v] * beta;
    if (value > highest) {
      highest = value;
      best = v;
    }
  }
  var total = 0.0;
  var weighted = 0.0;
  for (var v = 0u; v < params.vocabulary; v++) {
    let shifted = logits[base + v] * beta - highest;
    let e = exp(shifted);
    total += e;
    weighted += e * shifted;
  }
  var token = best;
  if (!greedy) {
    let position = draws[row * 4u + 1u] + params.step;
    let counter = vec4u(position, draws[row * 4u], draws[row * 4u + 3u], 0u);
    let bits = philox(counter, vec2u(params.seed, 0u));
    // 24 bits convert to a float in [0, 1) without rounding.
    let threshold = f32(bits.x >> 8u) * 0x1p-24f * total;
    var below = 0.0;
    for (var v = 0u; v < params.vocabulary; v++) {
      let e = exp(logits[base + v] * beta - highest);
      below += e;
      if (below > threshold) {
        token = v;
        break;
      }
    }
  }
  let log_total = log(total);
  tokens[out] = token;
  logps[out] = logits[base + token] * beta - highest - log_total;
  entropies[out] = log_total - weighted / total;
  next_tokens[row] = token;
}
