// totals (STAT_COUNT) += Σ stats (loss rows, STAT_COUNT) over loss rows, one workgroup per column.
// The column STAT_NON_FINITE takes the maximum instead.

const THREADS = 64u;

struct Params {
  loss_rows: u32,
}

@group(0) @binding(0) var<storage, read> stats: array<f32>;
@group(0) @binding(1) var<storage, read_write> totals: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> sums: array<f32, THREADS>;

fn joined(column: u32, a: f32, b: f32) -> f32 {
  return select(a + b, max(a, b), column == STAT_NON_FINITE);
}

@compute @workgroup_size(THREADS)
fn sum(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let column = group_index(group);
  if (column >= STAT_COUNT) {
    return;
  }
  var sum = 0.0;
  var rest = 0.0;
  // Kahan summation, because a plain sum over thousands of rows loses precision.
  for (var i = local.x; i < params.loss_rows; i += THREADS) {
    let value = stats[i * STAT_COUNT + column];
    if (column == STAT_NON_FINITE) {
      sum = max(sum, value);
    } else {
      let rested = value - rest;
      let next = sum + rested;
      rest = (next - sum) - rested;
      sum = next;
    }
  }
  sums[local.x] = sum;
  for (var half = THREADS / 2u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if (local.x < half) {
      sums[local.x] = joined(column, sums[local.x], sums[local.x + half]);
    }
  }
  if (local.x == 0u) {
    totals[column] = joined(column, totals[column], sums[0]);
  }
}
