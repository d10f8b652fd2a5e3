// Causal attention over packed sequences with streaming softmax (arXiv:2205.14135, without tiling).
// src/kernels/unroll.ts expands #each and #if.
//
// Query row r attends to rows base .. base + keys − 1 of `kv`, given by spans[r], so the same code
// reads a packed batch (base = first row of the sequence) and a key–value cache (base = first row
// of the slot).
//   q, o, do, dq (rows, HEADS · HEAD_DIM);   lse, delta (rows, HEADS)
//   kv, dkv (store rows, 2 · KV_HEADS · HEAD_DIM): keys of all heads, then values of all heads
// Query heads share key–value heads in order: head h reads kv head h / (HEADS / KV_HEADS).
//
// A quad of four invocations processes one block of rows of one head. Each invocation holds SLOTS
// rows; the data streamed past them (keys and values, or queries) is loaded once for the whole
// block. With QUADS, each invocation loads one component of a vec4f and the quad exchanges them,
// because a scattered load costs a software driver as much as eight multiply–adds. Invocation n
// then has the components in the order n, n^1, n^2, n^3, and stores its own rows in the same order.
//
// A row's bits do not depend on the other rows of its block, and are the same in `forward` and
// `forward_alone`: a score is (t0 + t1) + (t2 + t3), where t_c sums the components 4i + c in
// ascending order; keys are processed in chunks of CHUNK, counted from the row's first key; a
// masked key has weight 0.

struct Params {
  // Query rows; for backward_kv, key rows.
  rows: u32,
}

@group(0) @binding(0) var<storage, read> q: array<vec4f>;
#if QUADS
@group(0) @binding(1) var<storage, read> kv: array<f32>;
#else
@group(0) @binding(1) var<storage, read> kv: array<vec4f>;
#end
@group(0) @binding(2) var<storage, read> spans: array<u32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> lse_out: array<f32>;
@group(0) @binding(5) var<storage, read> o_in: array<vec4f>;
@group(0) @binding(6) var<storage, read> lse: array<f32>;
@group(0) @binding(7) var<storage, read> do_in: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> dq: array<vec4f>;
@group(0) @binding(9) var<storage, read_write> delta_out: array<f32>;
@group(0) @binding(10) var<storage, read> delta: array<f32>;
@group(0) @binding(11) var<storage, read_write> dkv: array<vec4f>;
// q and do, as loaded jointly by a quad.
#if QUADS
@group(0) @binding(12) var<storage, read> q_stream: array<f32>;
@group(0) @binding(13) var<storage, read> do_stream: array<f32>;
#else
@group(0) @binding(12) var<storage, read> q_stream: array<vec4f>;
@group(0) @binding(13) var<storage, read> do_stream: array<vec4f>;
#end
// backward_kv with TURN = 1: position of each key row.
@group(0) @binding(14) var<storage, read> positions: array<u32>;
@group(0) @binding(15) var<uniform> params: Params;

const DIM4 = HEAD_DIM / 4u;
const GROUP = HEADS / KV_HEADS;
const KV_STRIDE4 = 2u * KV_HEADS * DIM4;
const VALUE_OFFSET4 = KV_HEADS * DIM4;
const BLOCK = 4u * SLOTS;
const HALF4 = HEAD_DIM / 8u;

struct Turn {
  c: vec4f,
  s: vec4f,
}

// The inverse rotation at a position, for dimensions 4i .. 4i+3 of a head and their partners.
fn turn_back(position: u32, i: u32) -> Turn {
  var turn: Turn;
  for (var n = 0u; n < 4u; n++) {
    let d = direction_of(f32(position) * frequency_of(i * 4u + n, HEAD_DIM / 2u) * -1.0);
    turn.c[n] = d.x;
    turn.s[n] = d.y;
  }
  return turn;
}

// Below any real score, and exp(MASKED − NOTHING_YET) is 0.
const NOTHING_YET = -1.0e37;
const MASKED = -1.0e38;

#if QUADS
// The values that the four invocations of a quad loaded, in this invocation's order.
fn shared_by_quad(mine: f32) -> vec4f {
  return vec4f(mine, quadSwapX(mine), quadSwapY(mine), quadSwapDiagonal(mine));
}

fn kv_at(at: u32, lane: u32) -> vec4f {
  return shared_by_quad(kv[at * 4u + lane]);
}

// Loads from a row that belongs to this invocation alone.
fn own_kv_at(at: u32, lane: u32) -> vec4f {
  let start = at * 4u;
  return vec4f(kv[start + lane], kv[start + (lane ^ 1u)], kv[start + (lane ^ 2u)], kv[start + (lane ^ 3u)]);
}

fn q_stream_at(at: u32, lane: u32) -> vec4f {
  return shared_by_quad(q_stream[at * 4u + lane]);
}

fn do_stream_at(at: u32, lane: u32) -> vec4f {
  return shared_by_quad(do_stream[at * 4u + lane]);
}

// Permutes from component order to the order of invocation `lane`; it is its own inverse.
fn arranged(v: vec4f, lane: u32) -> vec4f {
  let odd = select(v, v.yxwz, (lane & 1u) == 1u);
  return select(odd, odd.zwxy, (lane & 2u) == 2u);
}
#else
fn kv_at(at: u32, lane: u32) -> vec4f {
  return kv[at];
}

fn own_kv_at(at: u32, lane: u32) -> vec4f {
  return kv[at];
}

fn q_stream_at(at: u32, lane: u32) -> vec4f {
  return q_stream[at];
}

fn do_stream_at(at: u32, lane: u32) -> vec4f {
  return do_stream[at];
}

fn arranged(v: vec4f, lane: u32) -> vec4f {
  return v;
}
#end

fn scale() -> f32 {
  return inverseSqrt(f32(HEAD_DIM));
}

fn total_of(t: vec4f) -> f32 {
  return (t.x + t.y) + (t.z + t.w);
}

// spans (rows, 2): first key row, number of keys. Rows of a sequence are consecutive, with a
// non-decreasing number of keys.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let lane = id % 4u;
  let head = id / 4u % HEADS;
  let first = id / 4u / HEADS * BLOCK;
  let end = min(first + BLOCK, params.rows);
  if (first >= end) {
    return;
  }
  let kv_column = head / GROUP * DIM4;
#each s < SLOTS
  let row{s} = first + {s}u * 4u + lane;
  let cell{s} = min(row{s}, end - 1u) * HEADS + head;
  var highest{s} = NOTHING_YET;
  var total{s} = 0.0;
#each i < DIM4
  let q{s}_{i} = arranged(q[cell{s} * DIM4 + {i}u], lane) * scale();
  var sum{s}_{i} = vec4f();
#end
#end
  // A block may span several sequences. They are processed in turn, with the rows of the others
  // masked.
  var next = first;
  while (next < end) {
    let begin = next;
    let base = spans[begin * 2u];
    next = end;
    while (spans[next * 2u - 2u] != base) {
      next--;
    }
    let most = spans[next * 2u - 1u];
#each s < SLOTS
    let mine{s} = row{s} >= begin && row{s} < next;
    let keys{s} = select(0u, spans[min(row{s}, end - 1u) * 2u + 1u], mine{s});
#end
    for (var j = 0u; j < most; j += CHUNK) {
#each c < CHUNK
      let at{c} = (base + min(j + {c}u, most - 1u)) * KV_STRIDE4 + kv_column;
#each i < DIM4
      let k{c}_{i} = kv_at(at{c} + {i}u, lane);
#end
#each s < SLOTS
      var t{s}_{c} = q{s}_0 * k{c}_0;
#each 1 <= i < DIM4
      t{s}_{c} = fma(q{s}_{i}, k{c}_{i}, t{s}_{c});
#end
      let score{s}_{c} = select(MASKED, total_of(t{s}_{c}), j + {c}u < keys{s});
#end
#end
#each s < SLOTS
      var higher{s} = highest{s};
#each c < CHUNK
      higher{s} = max(higher{s}, score{s}_{c});
#end
      let shrink{s} = select(exp(highest{s} - higher{s}), 1.0, highest{s} == higher{s});
      highest{s} = higher{s};
      total{s} *= shrink{s};
#each i < DIM4
      sum{s}_{i} *= shrink{s};
#end
#each c < CHUNK
      let weight{s}_{c} = exp(score{s}_{c} - higher{s});
      total{s} += weight{s}_{c};
#end
#end
#each c < CHUNK
#each i < DIM4
      let v{c}_{i} = kv_at(at{c} + VALUE_OFFSET4 + {i}u, lane);
#each s < SLOTS
      sum{s}_{i} = fma(vec4f(weight{s}_{c}), v{c}_{i}, sum{s}_{i});
#end
#end
#end
    }
  }
#each s < SLOTS
  if (row{s} < end) {
#each i < DIM4
    o[cell{s} * DIM4 + {i}u] = arranged(sum{s}_{i}, lane) / total{s};
#end
    lse_out[cell{s}] = highest{s} + log(total{s});
  }
#end
}

// `forward` for rows that share no keys with adjacent rows, as in decoding. With QUADS a quad
// processes one row, with one component of each vec4f per invocation; otherwise one invocation
// processes it.
@compute @workgroup_size(64)
fn forward_alone(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
#if QUADS
  let lane = id % 4u;
  let at = id / 4u;
#else
  let lane = 0u;
  let at = id;
#end
  let row = at / HEADS;
  if (row >= params.rows) {
    return;
  }
  let kv_column = at % HEADS / GROUP * DIM4;
  let base = spans[row * 2u];
  let keys = spans[row * 2u + 1u];
  var highest = NOTHING_YET;
  var total = 0.0;
#each i < DIM4
#if QUADS
  let q_{i} = arranged(q[at * DIM4 + {i}u], lane).x * scale();
  var sum_{i} = 0.0;
#else
  let q_{i} = q[at * DIM4 + {i}u] * scale();
  var sum_{i} = vec4f();
#end
#end
  for (var j = 0u; j < keys; j += CHUNK) {
#each c < CHUNK
    let at{c} = (base + min(j + {c}u, keys - 1u)) * KV_STRIDE4 + kv_column;
#if QUADS
    var t{c} = q_0 * kv[at{c} * 4u + lane];
#each 1 <= i < DIM4
    t{c} = fma(q_{i}, kv[(at{c} + {i}u) * 4u + lane], t{c});
#end
    let half{c} = t{c} + quadSwapX(t{c});
    let score{c} = select(MASKED, half{c} + quadSwapY(half{c}), j + {c}u < keys);
#else
    var t{c} = q_0 * kv[at{c}];
#each 1 <= i < DIM4
    t{c} = fma(q_{i}, kv[at{c} + {i}u], t{c});
#end
    let score{c} = select(MASKED, total_of(t{c}), j + {c}u < keys);
#end
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
#if QUADS
    sum_{i} = fma(weight{c}, kv[(at{c} + VALUE_OFFSET4 + {i}u) * 4u + lane], sum_{i});
#else
    sum_{i} = fma(vec4f(weight{c}), kv[at{c} + VALUE_OFFSET4 + {i}u], sum_{i});
#end
#end
#end
  }
#each i < DIM4
#if QUADS
  let all_{i} = arranged(shared_by_quad(sum_{i}), lane);
  if (lane == {i}u % 4u) {
    o[at * DIM4 + {i}u] = all_{i} / total;
  }
#else
  o[at * DIM4 + {i}u] = sum_{i} / total;
#end
#end
  if (lane == 0u) {
    lse_out[at] = highest + log(total);
  }
}

// With p = exp(s − lse): ds = p · (do·v − delta), delta = do·o; dq = Σ ds · k / √HEAD_DIM.
@compute @workgroup_size(64)
fn backward_query(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let lane = id % 4u;
  let head = id / 4u % HEADS;
  let first = id / 4u / HEADS * BLOCK;
  let end = min(first + BLOCK, params.rows);
  if (first >= end) {
    return;
  }
  let kv_column = head / GROUP * DIM4;
#each s < SLOTS
  let row{s} = first + {s}u * 4u + lane;
  let cell{s} = min(row{s}, end - 1u) * HEADS + head;
  let lse{s} = lse[cell{s}];
  var along{s} = 0.0;
#each i < DIM4
  let q{s}_{i} = arranged(q[cell{s} * DIM4 + {i}u], lane) * scale();
  let do{s}_{i} = arranged(do_in[cell{s} * DIM4 + {i}u], lane);
  along{s} += dot(do_in[cell{s} * DIM4 + {i}u], o_in[cell{s} * DIM4 + {i}u]);
  var sum{s}_{i} = vec4f();
#end
#end
  var next = first;
  while (next < end) {
    let begin = next;
    let base = spans[begin * 2u];
    next = end;
    while (spans[next * 2u - 2u] != base) {
      next--;
    }
    let most = spans[next * 2u - 1u];
#each s < SLOTS
    let mine{s} = row{s} >= begin && row{s} < next;
    let keys{s} = select(0u, spans[min(row{s}, end - 1u) * 2u + 1u], mine{s});
#end
    for (var j = 0u; j < most; j += STEP) {
#each c < STEP
      let at{c} = (base + min(j + {c}u, most - 1u)) * KV_STRIDE4 + kv_column;
#each i < DIM4
      let k{c}_{i} = kv_at(at{c} + {i}u, lane);
      let v{c}_{i} = kv_at(at{c} + VALUE_OFFSET4 + {i}u, lane);
#end
#each s < SLOTS
      var t{s}_{c} = q{s}_0 * k{c}_0;
      var u{s}_{c} = do{s}_0 * v{c}_0;
#each 1 <= i < DIM4
      t{s}_{c} = fma(q{s}_{i}, k{c}_{i}, t{s}_{c});
      u{s}_{c} = fma(do{s}_{i}, v{c}_{i}, u{s}_{c});
#end
      let p{s}_{c} = select(0.0, exp(total_of(t{s}_{c}) - lse{s}), j + {c}u < keys{s});
      let ds{s}_{c} = p{s}_{c} * (total_of(u{s}_{c}) - along{s});
#each i < DIM4
      sum{s}_{i} = fma(vec4f(ds{s}_{c}), k{c}_{i}, sum{s}_{i});
#end
#end
#end
    }
  }
#each s < SLOTS
  if (row{s} < end) {
    var out: array<vec4f, DIM4>;
#each i < DIM4
    out[{i}] = arranged(sum{s}_{i}, lane) * scale();
#end
    // In a packed pass, a row has position + 1 keys.
    if (TURN == 1u) {
      let position = spans[row{s} * 2u + 1u] - 1u;
#each i < HALF4
      let turn{i} = turn_back(position, {i}u);
      let low{i} = out[{i}];
      let high{i} = out[{i}u + HALF4];
      out[{i}] = low{i} * turn{i}.c - high{i} * turn{i}.s;
      out[{i}u + HALF4] = high{i} * turn{i}.c + low{i} * turn{i}.s;
#end
    }
#each i < DIM4
    dq[cell{s} * DIM4 + {i}u] = out[{i}];
#end
    delta_out[cell{s}] = along{s};
  }
#end
}

// spans (rows, 2): the query rows [begin, end) that attend to this key row, both non-decreasing.
// dv = Σ p · do; dk = Σ ds · q / √HEAD_DIM.
@compute @workgroup_size(64)
fn backward_kv(@builtin(global_invocation_id) global: vec3u) {
  let id = global_index(global);
  let lane = id % 4u;
  let kv_head = id / 4u % KV_HEADS;
  let first = id / 4u / KV_HEADS * BLOCK;
  let end = min(first + BLOCK, params.rows);
  if (first >= end) {
    return;
  }
#each s < SLOTS
  let row{s} = first + {s}u * 4u + lane;
  let clamped{s} = min(row{s}, end - 1u);
  let at{s} = clamped{s} * KV_STRIDE4 + kv_head * DIM4;
  let begin{s} = spans[clamped{s} * 2u];
  let end{s} = spans[clamped{s} * 2u + 1u];
#each i < DIM4
  let k{s}_{i} = own_kv_at(at{s} + {i}u, lane) * scale();
  let v{s}_{i} = own_kv_at(at{s} + VALUE_OFFSET4 + {i}u, lane);
  var dk{s}_{i} = vec4f();
  var dv{s}_{i} = vec4f();
#end
#end
  // One loop over query rows and heads of the group: a nested loop would carry all sums through
  // both levels.
  let last = spans[end * 2u - 1u] * GROUP;
  for (var n = spans[first * 2u] * GROUP; n < last; n += STEP) {
#each c < STEP
    let r{c} = min(n + {c}u, last - 1u) / GROUP;
    let cell{c} = r{c} * HEADS + kv_head * GROUP + (n + {c}u) % GROUP;
    let lse_{c} = lse[cell{c}];
    let delta_{c} = delta[cell{c}];
#each i < DIM4
    let q{c}_{i} = q_stream_at(cell{c} * DIM4 + {i}u, lane);
    let do{c}_{i} = do_stream_at(cell{c} * DIM4 + {i}u, lane);
#end
#each s < SLOTS
    var t{s}_{c} = q{c}_0 * k{s}_0;
    var u{s}_{c} = do{c}_0 * v{s}_0;
#each 1 <= i < DIM4
    t{s}_{c} = fma(q{c}_{i}, k{s}_{i}, t{s}_{c});
    u{s}_{c} = fma(do{c}_{i}, v{s}_{i}, u{s}_{c});
#end
    let asks{s}_{c} = (r{c} >= begin{s}) & (r{c} < end{s}) & (n + {c}u < last);
    let p{s}_{c} = select(0.0, exp(total_of(t{s}_{c}) - lse_{c}), asks{s}_{c});
    let ds{s}_{c} = p{s}_{c} * (total_of(u{s}_{c}) - delta_{c});
#each i < DIM4
    dv{s}_{i} = fma(vec4f(p{s}_{c}), do{c}_{i}, dv{s}_{i});
    dk{s}_{i} = fma(vec4f(ds{s}_{c}), q{c}_{i}, dk{s}_{i});
#end
#end
#end
  }
#each s < SLOTS
  if (row{s} < end) {
    var out: array<vec4f, DIM4>;
#each i < DIM4
    out[{i}] = arranged(dk{s}_{i}, lane) * scale();
#end
    let position = positions[row{s}];
    if (TURN == 1u) {
#each i < HALF4
      let turn{i} = turn_back(position, {i}u);
      let low{i} = out[{i}];
      let high{i} = out[{i}u + HALF4];
      out[{i}] = low{i} * turn{i}.c - high{i} * turn{i}.s;
      out[{i}u + HALF4] = high{i} * turn{i}.c + low{i} * turn{i}.s;
#end
    }
#each i < DIM4
    dkv[at{s} + {i}u] = out[{i}];
    dkv[at{s} + VALUE_OFFSET4 + {i}u] = arranged(dv{s}_{i}, lane);
#end
  }
#end
}
