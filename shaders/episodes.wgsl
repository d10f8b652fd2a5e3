// Per-episode terms of an objective: GSPO's sequence ratios and DPO's margins. The loss rows of
// episode e are episode_rows[episode_starts[e]] .. episode_rows[episode_starts[e+1]-1].

struct Params {
  // sequence_ratios: number of episodes. preference: number of pairs; pair p has the episodes 2p
  // (the preferred one) and 2p+1.
  count: u32,
  beta: f32,
}

// (rows, INPUT_COUNT): the columns INPUT_… of src/kernels/tables.ts.
@group(0) @binding(0) var<storage, read> inputs: array<f32>;
// (rows, SCORE_COUNT): the columns SCORE_….
@group(0) @binding(1) var<storage, read> scores: array<f32>;
@group(0) @binding(2) var<storage, read> episode_starts: array<u32>;
@group(0) @binding(3) var<storage, read> episode_rows: array<u32>;
@group(0) @binding(4) var<storage, read_write> found: array<vec2f>;
@group(0) @binding(5) var<uniform> params: Params;

// Σ over an episode's rows of logp minus the log-probability in the given input column.
fn logratio_sum(episode: u32, column: u32) -> f32 {
  var sum = 0.0;
  for (var k = episode_starts[episode]; k < episode_starts[episode + 1u]; k++) {
    let row = episode_rows[k];
    sum += scores[SCORE_COUNT * row + SCORE_LOGP] - inputs[INPUT_COUNT * row + column];
  }
  return sum;
}

fn give(episode: u32, value: vec2f) {
  for (var k = episode_starts[episode]; k < episode_starts[episode + 1u]; k++) {
    found[episode_rows[k]] = value;
  }
}

fn rows_of(episode: u32) -> f32 {
  return f32(episode_starts[episode + 1u] - episode_starts[episode]);
}

// GSPO (arXiv:2507.18071): log s = mean of the log ratios.
@compute @workgroup_size(64)
fn sequence_ratios(@builtin(global_invocation_id) id: vec3u) {
  let episode = global_index(id);
  if (episode >= params.count) {
    return;
  }
  give(episode, vec2f(logratio_sum(episode, INPUT_PROXIMAL_LOGP) / max(rows_of(episode), 1.0), 0.0));
}

// DPO (arXiv:2305.18290, Eq. 7): the pair's loss is −log σ(m) with the margin
// m = β·[Σ_better(logp − ref) − Σ_worse(logp − ref)]. Each row gets ±β·σ(−m) and an equal share of
// the loss.
@compute @workgroup_size(64)
fn preference(@builtin(global_invocation_id) id: vec3u) {
  let pair = global_index(id);
  if (pair >= params.count) {
    return;
  }
  let better = 2u * pair;
  let worse = better + 1u;
  let margin = params.beta * (logratio_sum(better, INPUT_REFERENCE_LOGP)
    - logratio_sum(worse, INPUT_REFERENCE_LOGP));
  // The exponent is never positive, so exp does not overflow.
  let e = exp(-abs(margin));
  let loss = max(-margin, 0.0) + log(1.0 + e);
  let sigmoid = select(1.0, e, margin > 0.0) / (1.0 + e);
  let share = loss / max(rows_of(better) + rows_of(worse), 1.0);
  give(better, vec2f(params.beta * sigmoid, share));
  give(worse, vec2f(-params.beta * sigmoid, share));
}
