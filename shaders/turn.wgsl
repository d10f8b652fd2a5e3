// One turn of a small agent in one dispatch: prefill, sampling, and decoding of the remaining tokens.
// src/kernels/unroll.ts expands #each.
//
// A workgroup owns one context and the episodes that draw from it, so it needs only workgroup
// barriers. Up to TOKENS tokens pass through the layers together, with their activations in
// workgroup memory; keys and values go to the episode's cache. Every sum uses the order of the
// training kernels (matmul.wgsl, rmsnorm.wgsl, attention.wgsl, layer.wgsl), so the bits are the
// same.

struct Params {
  // Offsets in `index` of the new tokens, which follow the contexts, and of the draws.
  tokens_at: u32,
  draws_at: u32,
  // Stride between the caches of consecutive layers, in vec4f.
  cache_stride: u32,
  // Tokens to generate per episode: columns of the outputs.
  width: u32,
  // Tokens that end the turn; if there are fewer than four, the first is repeated.
  end_token: u32,
  end_token_2: u32,
  end_token_3: u32,
  end_token_4: u32,
  // As in sample.wgsl.
  temperature: f32,
  seed: u32,
  // ε of RMSNorm.
  epsilon: f32,
}

@group(0) @binding(0) var<storage, read> parameters: array<vec4f>;
// (contexts, 6): first new token, number of new tokens, number of cached tokens, first cache row,
// first draw, number of draws. Then the new tokens. Then (episodes, 4), by context: episode number,
// number of tokens the agent generated before this turn, row of the outputs, iteration in which the
// episode began.
@group(0) @binding(1) var<storage, read> index: array<u32>;
@group(0) @binding(2) var<storage, read_write> caches: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(4) var<storage, read_write> logps: array<f32>;
@group(0) @binding(5) var<storage, read_write> entropies: array<f32>;
@group(0) @binding(6) var<uniform> params: Params;

const THREADS = 128u;
const ENDED = 0xffffffffu;
const WIDTH4 = WIDTH / 4u;
const DIM4 = HEAD_DIM / 4u;
const HALF4 = HEAD_DIM / 8u;
const GROUP = HEADS / KV_HEADS;
const QUERY4 = HEADS * DIM4;
const KV4 = 2u * KV_HEADS * DIM4;
const VALUE_OFFSET4 = KV_HEADS * DIM4;
const FFN4 = FFN / 4u;
const NOTHING_YET = -1.0e37;
const MASKED = -1.0e38;
// Rows that share each loaded weight.
const ROWS = 4u;

// Activations: x, norms, queries (then the outputs of attention) and h, each of TOKENS rows.
const NORM = TOKENS * WIDTH4;
const QUERY = NORM + TOKENS * WIDTH4;
const HIDDEN = QUERY + TOKENS * QUERY4;

var<workgroup> memory: array<vec4f, HIDDEN + TOKENS * FFN4>;
var<workgroup> scales: array<f32, TOKENS>;
var<workgroup> logits: array<f32, PADDED>;
var<workgroup> exponentials: array<f32, PADDED>;
var<workgroup> highest_logit: f32;
var<workgroup> next_token: u32;
var<workgroup> finished: u32;

var<private> sums: array<vec4f, ROWS>;

// sums = A · b, where A is up to ROWS rows, from `row` on, of the activations at `start` in
// `memory`, and b is column vector `column` of a parameter matrix.
fn product(start: u32, inner4: u32, row: u32, count: u32, matrix: u32, columns4: u32, column: u32) {
  #each r < 4
  let start{r} = start + min(row + {r}u, count - 1u) * inner4;
  var sum{r} = vec4f();
  #end
  for (var k = 0u; k < inner4; k++) {
    #each i < 4
    let b{i} = parameters[matrix + (k * 4u + {i}u) * columns4 + column];
    #end
    #each r < 4
    let a{r} = memory[start{r} + k];
    #each i < 4
    sum{r} = fma(vec4f(a{r}[{i}]), b{i}, sum{r});
    #end
    #end
  }
  #each r < 4
  sums[{r}] = sum{r};
  #end
}

// Rows of NORM = normalized rows of x, from row `first` on. Ends with a barrier.
fn normalize(first: u32, count: u32, gain: u32, local: u32) {
  if (local < count) {
    var squares = 0.0;
    for (var i = 0u; i < WIDTH4; i++) {
      let v = memory[(first + local) * WIDTH4 + i];
      squares += dot(v, v);
    }
    scales[local] = inverseSqrt(squares / f32(WIDTH) + params.epsilon);
  }
  workgroupBarrier();
  for (var i = local; i < count * WIDTH4; i += THREADS) {
    memory[NORM + i] = memory[first * WIDTH4 + i] * scales[i / WIDTH4] * parameters[gain + i % WIDTH4];
  }
  workgroupBarrier();
}

// Computes rotated queries, and writes keys and values to the cache. Ends with a barrier.
fn project(layer: u32, position: u32, row0: u32, count: u32, local: u32) {
  const pairs = (HEADS + 2u * KV_HEADS) * HALF4;
  let blocks = (count + ROWS - 1u) / ROWS;
  for (var item = local; item < blocks * pairs; item += THREADS) {
    let pair = item % pairs;
    let row = item / pairs * ROWS;
    let head = pair / HALF4;
    let within = pair % HALF4;
    var matrix = QUERY_MATRIX / 4u + layer * (MATRICES / 4u);
    var columns4 = QUERY4;
    var column = head * DIM4 + within;
    if (head >= HEADS) {
      matrix = KEY_VALUE_MATRIX / 4u + layer * (MATRICES / 4u);
      columns4 = KV4;
      column -= QUERY4;
    }
    product(NORM, WIDTH4, row, count, matrix, columns4, column);
    var low = sums;
    product(NORM, WIDTH4, row, count, matrix, columns4, column + HALF4);
    for (var r = 0u; r < min(ROWS, count - row); r++) {
      var first = low[r];
      var second = sums[r];
      if (head < HEADS + KV_HEADS) {
        var c = vec4f();
        var s = vec4f();
        for (var i = 0u; i < 4u; i++) {
          let frequency = frequency_of(within * 4u + i, HEAD_DIM / 2u);
          let turn = direction_of(f32(position + row + r) * frequency * 1.0);
          c[i] = turn.x;
          s[i] = turn.y;
        }
        first = low[r] * c - sums[r] * s;
        second = sums[r] * c + low[r] * s;
      }
      if (head < HEADS) {
        let at = QUERY + (row + r) * QUERY4 + column;
        memory[at] = first;
        memory[at + HALF4] = second;
      } else {
        let at = layer * params.cache_stride + (row0 + position + row + r) * KV4 + column;
        caches[at] = first;
        caches[at + HALF4] = second;
      }
    }
  }
  storageBarrier();
  workgroupBarrier();
}

// Replaces the queries with the outputs of attention. Ends with a barrier.
fn attend(layer: u32, position: u32, row0: u32, count: u32, local: u32) {
  for (var item = local; item < count * HEADS; item += THREADS) {
    let keys = position + item / HEADS + 1u;
    let start = layer * params.cache_stride + item % HEADS / GROUP * DIM4;
    let at = QUERY + item * DIM4;
    var highest = NOTHING_YET;
    var total = 0.0;
#each i < DIM4
    let q_{i} = memory[at + {i}u] * inverseSqrt(f32(HEAD_DIM));
    var sum_{i} = vec4f();
#end
    for (var j = 0u; j < keys; j += CHUNK) {
#each c < CHUNK
      let at{c} = start + (row0 + min(j + {c}u, keys - 1u)) * KV4;
      var t{c} = q_0 * caches[at{c}];
#each 1 <= i < DIM4
      t{c} = fma(q_{i}, caches[at{c} + {i}u], t{c});
#end
      let score{c} = select(MASKED, (t{c}.x + t{c}.y) + (t{c}.z + t{c}.w), j + {c}u < keys);
#end
      var higher = highest;
#each c < CHUNK
      higher = max(higher, score{c});
#end
      let shrink = select(exp(highest - higher), 1.0, highest == higher);
      highest = higher;
      total *= shrink;
#each i < DIM4
      sum_{i} *= shrink;
#end
#each c < CHUNK
      let weight{c} = exp(score{c} - higher);
      total += weight{c};
#each i < DIM4
      sum_{i} = fma(vec4f(weight{c}), caches[at{c} + VALUE_OFFSET4 + {i}u], sum_{i});
#end
#end
    }
#each i < DIM4
    memory[at + {i}u] = sum_{i} / total;
#end
  }
  workgroupBarrier();
}

// x += activations at `start` · a matrix. Ends with a barrier.
fn join(start: u32, inner4: u32, matrix: u32, count: u32, local: u32) {
  let blocks = (count + ROWS - 1u) / ROWS;
  for (var item = local; item < blocks * WIDTH4; item += THREADS) {
    let column = item % WIDTH4;
    let row = item / WIDTH4 * ROWS;
    product(start, inner4, row, count, matrix, WIDTH4, column);
    for (var r = 0u; r < min(ROWS, count - row); r++) {
      memory[(row + r) * WIDTH4 + column] += sums[r];
    }
  }
  workgroupBarrier();
}

// h = silu(gate) · up. Ends with a barrier.
fn gate(layer: u32, count: u32, local: u32) {
  let blocks = (count + ROWS - 1u) / ROWS;
  let matrix = GATE_UP_MATRIX / 4u + layer * (MATRICES / 4u);
  for (var item = local; item < blocks * FFN4; item += THREADS) {
    let column = item % FFN4;
    let row = item / FFN4 * ROWS;
    product(NORM, WIDTH4, row, count, matrix, 2u * FFN4, column);
    var low = sums;
    product(NORM, WIDTH4, row, count, matrix, 2u * FFN4, column + FFN4);
    for (var r = 0u; r < min(ROWS, count - row); r++) {
      memory[HIDDEN + (row + r) * FFN4 + column] = low[r] / (1.0 + exp(-low[r])) * sums[r];
    }
  }
  workgroupBarrier();
}

// All layers for `count` tokens at `position`, whose embeddings are in x. Ends with a barrier.
fn layers(position: u32, row0: u32, count: u32, local: u32) {
  for (var layer = 0u; layer < LAYERS; layer++) {
    let matrices = layer * (MATRICES / 4u);
    let gains = layer * (GAINS / 4u);
    normalize(0u, count, ATTENTION_GAIN / 4u + gains, local);
    project(layer, position, row0, count, local);
    attend(layer, position, row0, count, local);
    join(QUERY, QUERY4, OUTPUT_MATRIX / 4u + matrices, count, local);
    normalize(0u, count, FEED_FORWARD_GAIN / 4u + gains, local);
    gate(layer, count, local);
    join(HIDDEN, FFN4, DOWN_MATRIX / 4u + matrices, count, local);
  }
}

// Logits of row `row` of x. Ends with a barrier.
fn score(row: u32, local: u32) {
  normalize(row, 1u, FINAL_GAIN / 4u, local);
  if (TIED == 1u) {
    for (var v = local; v < PADDED; v += THREADS) {
      var sum = 0.0;
      for (var k = 0u; k < WIDTH4; k++) {
        let a = memory[NORM + k];
        let b = parameters[HEAD_MATRIX / 4u + v * WIDTH4 + k];
        #each i < 4
        sum = fma(a[{i}], b[{i}], sum);
        #end
      }
      logits[v] = sum;
    }
  } else {
    for (var column = local; column < PADDED / 4u; column += THREADS) {
      product(NORM, WIDTH4, 0u, 1u, HEAD_MATRIX / 4u, PADDED / 4u, column);
      #each i < 4
      logits[column * 4u + {i}u] = sums[0][{i}];
      #end
    }
  }
  workgroupBarrier();
}

fn ends(token: u32) -> bool {
  return token == params.end_token || token == params.end_token_2
    || token == params.end_token_3 || token == params.end_token_4;
}

// Writes column `step` of the outputs of one episode; see sample.wgsl.
fn draw(at: u32, step: u32) {
  let greedy = params.temperature == 0.0;
  let beta = 1.0 / select(params.temperature, 1.0, greedy);
  let highest = highest_logit;
  var total = 0.0;
  var weighted = 0.0;
  for (var v = 0u; v < VOCABULARY; v++) {
    let e = exponentials[v];
    total += e;
    weighted += e * (logits[v] * beta - highest);
  }
  var token = 0u;
  if (greedy) {
    for (var v = 0u; v < VOCABULARY; v++) {
      if (logits[v] * beta == highest) {
        token = v;
        break;
      }
    }
  } else {
    let counter = vec4u(index[at + 1u] + step, index[at], index[at + 3u], 0u);
    let bits = philox(counter, vec2u(params.seed, 0u));
    let threshold = f32(bits.x >> 8u) * 0x1p-24f * total;
    var below = 0.0;
    for (var v = 0u; v < VOCABULARY; v++) {
      below += exponentials[v];
      if (below > threshold) {
        token = v;
        break;
      }
    }
  }
  let log_total = log(total);
  let out = index[at + 2u] * params.width + step;
  tokens[out] = token;
  logps[out] = logits[token] * beta - highest - log_total;
  entropies[out] = log_total - weighted / total;
  next_token = token;
}

// Samples a token for each of the context's episodes. Ends with a barrier.
fn sample(first: u32, count: u32, step: u32, local: u32) {
  let beta = 1.0 / select(params.temperature, 1.0, params.temperature == 0.0);
  if (local == 0u) {
    var highest = -3.0e38;
    for (var v = 0u; v < VOCABULARY; v++) {
      highest = max(highest, logits[v] * beta);
    }
    highest_logit = highest;
  }
  workgroupBarrier();
  for (var v = local; v < VOCABULARY; v += THREADS) {
    exponentials[v] = exp(logits[v] * beta - highest_logit);
  }
  workgroupBarrier();
  for (var i = local; i < count; i += THREADS) {
    draw(params.draws_at + (first + i) * 4u, step);
  }
  workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn turn(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  let context = group_index(group) * 6u;
  if (context >= params.tokens_at) {
    return;
  }
  let first_token = params.tokens_at + index[context];
  let count = index[context + 1u];
  let cached = index[context + 2u];
  let row0 = index[context + 3u];
  let first_draw = index[context + 4u];
  let draws = index[context + 5u];
  for (var begin = 0u; begin < count; begin += TOKENS) {
    let some = min(TOKENS, count - begin);
    for (var i = local; i < some * WIDTH4; i += THREADS) {
      memory[i] = parameters[EMBEDDING / 4u + index[first_token + begin + i / WIDTH4] * WIDTH4 + i % WIDTH4];
    }
    workgroupBarrier();
    layers(cached + begin, row0, some, local);
  }
  score((count - 1u) % TOKENS, local);
  sample(first_draw, draws, 0u, local);
  if (local == 0u) {
    finished = 0u;
  }
  // With more than one token to generate, the context has one episode.
  for (var step = 1u; step < params.width; step++) {
    let token = workgroupUniformLoad(&next_token);
    let before = workgroupUniformLoad(&finished);
    let out = index[params.draws_at + first_draw * 4u + 2u] * params.width + step;
    // The end token itself is still added to the cache.
    if (before == 0u) {
      for (var i = local; i < WIDTH4; i += THREADS) {
        memory[i] = parameters[EMBEDDING / 4u + token * WIDTH4 + i];
      }
      workgroupBarrier();
      layers(cached + count + step - 1u, row0, 1u, local);
    }
    if (before == 0u && !ends(token)) {
      score(0u, local);
      sample(first_draw, 1u, step, local);
    } else if (local == 0u) {
      finished = 1u;
      tokens[out] = ENDED;
      logps[out] = 0.0;
      entropies[out] = 0.0;
    }
  }
}
