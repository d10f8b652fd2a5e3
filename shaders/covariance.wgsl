// Selects tokens of an update by the covariance of log-probability and advantage
// (arXiv:2505.22617): those with the highest covariance (KL-Cov), or a random sample within a range
// (Clip-Cov).
//   cov_i = (logp_i − mean logp)·(A_i − mean A)
//
// Every row has a key; the rows with the `count` smallest keys are picked, ties broken by index.
// One workgroup finds the largest picked key by bisection over its bits, from the highest down,
// then the largest picked index among the rows with that key.

// Kept small: barriers dominate the time on a software driver.
const THREADS = 64u;

struct Params {
  update_rows: u32,
  // Rows to pick.
  count: u32,
  // 1 samples rows with covariance in (low, high) that PPO does not clip; 0 takes the highest.
  draw: u32,
  seed: u32,
  clip_low: f32,
  clip_high: f32,
  // Range of covariances to sample from, exclusive.
  low: f32,
  high: f32,
}

// (rows, INPUT_COUNT): the columns INPUT_… of src/kernels/tables.ts.
@group(0) @binding(0) var<storage, read> inputs: array<f32>;
// (rows, SCORE_COUNT): the columns SCORE_….
@group(0) @binding(1) var<storage, read> scores: array<f32>;
// (rows): x is 1 if the row is picked, else 0; y is 0.
@group(0) @binding(2) var<storage, read_write> found: array<vec2f>;
@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> sums: array<vec2f, THREADS>;
var<workgroup> counted: atomic<u32>;

// PCG hash (Jarzynski and Olano, JCGT 2020).
fn pcg(input: u32) -> u32 {
  let state = input * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}

struct Candidate {
  eligible: bool,
  key: u32,
}

fn candidate(i: u32, means: vec2f) -> Candidate {
  let logp = scores[SCORE_COUNT * i + SCORE_LOGP];
  let advantage = inputs[INPUT_COUNT * i + INPUT_ADVANTAGE];
  let covariance = (logp - means.x) * (advantage - means.y);
  if (params.draw == 1u) {
    let ratio = exp(logp - inputs[INPUT_COUNT * i + INPUT_PROXIMAL_LOGP]);
    let clipped = (advantage < 0.0 && ratio < params.clip_low)
      || (advantage > 0.0 && ratio > params.clip_high);
    let inside = covariance > params.low && covariance < params.high;
    return Candidate(inside && !clipped, pcg(i ^ pcg(params.seed)));
  }
  // Map the float to an unsigned integer that sorts the same way (−0 becomes 0), then invert it, so
  // that the highest covariance has the smallest key.
  let bits = bitcast<u32>(select(covariance, 0.0, covariance == 0.0));
  let rising = bits ^ select(0x80000000u, 0xffffffffu, bits >= 0x80000000u);
  return Candidate(true, ~rising);
}

// Number of eligible rows with (key, index) lexicographically below the given pair.
fn count_before(thread: u32, means: vec2f, key: u32, index: u32) -> u32 {
  if (thread == 0u) {
    atomicStore(&counted, 0u);
  }
  workgroupBarrier();
  var count = 0u;
  for (var i = thread; i < params.update_rows; i += THREADS) {
    let row = candidate(i, means);
    if (row.eligible && (row.key < key || (row.key == key && i < index))) {
      count += 1u;
    }
  }
  atomicAdd(&counted, count);
  workgroupBarrier();
  let all = atomicLoad(&counted);
  workgroupBarrier();
  return all;
}

@compute @workgroup_size(THREADS)
fn pick(@builtin(local_invocation_id) local: vec3u) {
  let thread = local.x;
  var sum = vec2f();
  var rest = vec2f();
  for (var i = thread; i < params.update_rows; i += THREADS) {
    let value = vec2f(scores[SCORE_COUNT * i + SCORE_LOGP], inputs[INPUT_COUNT * i + INPUT_ADVANTAGE]) - rest;
    let next = sum + value;
    rest = (next - sum) - value;
    sum = next;
  }
  sums[thread] = sum;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (thread < half) {
      sums[thread] += sums[thread + half];
    }
  }
  workgroupBarrier();
  let means = sums[0] / f32(params.update_rows);

  // The largest key that fewer than `count` rows precede; then, for that key, the largest such index.
  var last_key = 0u;
  for (var bit = 0x80000000u; bit > 0u; bit >>= 1u) {
    if (count_before(thread, means, last_key | bit, 0u) < params.count) {
      last_key |= bit;
    }
  }
  var last_index = 0u;
  for (var bit = 0x80000000u >> countLeadingZeros(params.update_rows); bit > 0u; bit >>= 1u) {
    if (count_before(thread, means, last_key, last_index | bit) < params.count) {
      last_index |= bit;
    }
  }
  for (var i = thread; i < params.update_rows; i += THREADS) {
    let row = candidate(i, means);
    let picked = row.eligible
      && (row.key < last_key || (row.key == last_key && i <= last_index));
    found[i] = vec2f(select(0.0, 1.0, picked), 0.0);
  }
}
