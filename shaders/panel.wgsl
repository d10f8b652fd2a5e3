// A matrix product for GPUs emulated on the processor. There, four neighboring invocations are the
// lanes of one vector register, loading an element from a buffer costs as much as twenty
// multiply–adds, and an element of a private array at a constant index costs no more than a
// register.
//
//   c (splits, rows, columns) [+]= Σ_i a (row, i) · b (i, column) [+ residual (rows, columns)]
//
// A quad copies a panel of b (16·STEPS inner indices by 16·VECTORS columns) into private memory and
// multiplies the rows of a with it, one after another. The lanes load a row jointly, 16 elements at
// a time, four per lane, and exchange them by quad swaps, which cost a tenth of a broadcast. A lane
// uses its own four elements first, then those of its horizontal, vertical and diagonal neighbor,
// and stores its panel in that order. So the summation order over i depends only on the column, and
// a row's bits do not depend on the other rows. a and b are addressed by strides, so one kernel
// computes a product and both of its gradients.
//
// EXACT: panels never extend past the end of a split, so indices need no clamping.
//
// src/kernels/unroll.ts repeats `#each r < 8` … `#end` for r = 0 .. 7 and substitutes {r}.

struct Params {
  rows: u32,
  inner: u32,
  // A multiple of 4.
  columns: u32,
  // a (row, i) is a[row * a_row + i * a_inner];
  // b (i, column) is b[i * b_inner + column * b_column].
  a_row: u32,
  a_inner: u32,
  b_inner: u32,
  b_column: u32,
  // Split s sums over i = s * length .. (s + 1) * length - 1.
  length: u32,
  // Rows of a per workgroup.
  block: u32,
  // 1 adds to c instead of overwriting it.
  accumulate: u32,
  // 1 adds the residual.
  add_residual: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
@group(0) @binding(3) var<storage, read> residual: array<vec4f>;
@group(0) @binding(4) var<uniform> params: Params;

@compute @workgroup_size(4)
fn product(
  @builtin(workgroup_id) group: vec3u,
  @builtin(local_invocation_index) lane: u32,
) {
  let columns4 = params.columns / 4u;
  let first = group.y * params.block;
  let behind = min(first + params.block, params.rows);
  let begin = group.z * params.length;
  let end = min(begin + params.length, params.inner);
  #each j < VECTORS
  let column{j} = (group.x * VECTORS + {j}u) * 4u + lane;
  let inside{j} = min(column{j}, columns4 - 1u);
  #end
  var panel: array<vec4f, 16u * STEPS * VECTORS>;
  for (var start = begin; start < end; start += 16u * STEPS) {
    for (var k = 0u; k < 16u * STEPS; k++) {
      let place = start + (k & ~15u) + 4u * (lane ^ ((k >> 2u) & 3u)) + (k & 3u);
      let i = min(place, end - 1u);
      #each j < VECTORS
      let b{j} = i * params.b_inner + inside{j} * 4u * params.b_column;
      panel[k * VECTORS + {j}u] = select(
        vec4f(),
        vec4f(
          b[b{j}],
          b[b{j} + params.b_column],
          b[b{j} + 2u * params.b_column],
          b[b{j} + 3u * params.b_column],
        ),
        place < end,
      );
      #end
    }
    for (var row = first; row < behind; row++) {
      let source = row * params.a_row;
      let to = (group.z * params.rows + row) * columns4;
      #each j < VECTORS
      #each x < 4
      var c{j}{x} = 0.0;
      #end
      #end
      // Loops of at most one iteration instead of `if`: an emulated GPU executes both branches of
      // an `if`, and these loads are expensive.
      for (var n = select(params.accumulate, 1u, start > begin); n > 0u; n--) {
        #each j < VECTORS
        let held{j} = c[to + inside{j}];
        #each x < 4
        c{j}{x} = held{j}[{x}];
        #end
        #end
      }
      #each s < STEPS
      #if EXACT
      let i{s} = source + (start + {s}u * 16u + lane * 4u) * params.a_inner;
      let a{s}0 = vec4f(
        a[i{s}],
        a[i{s} + params.a_inner],
        a[i{s} + 2u * params.a_inner],
        a[i{s} + 3u * params.a_inner],
      );
      #else
      let i{s} = start + {s}u * 16u + lane * 4u;
      let a{s}0 = vec4f(
        a[source + min(i{s}, end - 1u) * params.a_inner],
        a[source + min(i{s} + 1u, end - 1u) * params.a_inner],
        a[source + min(i{s} + 2u, end - 1u) * params.a_inner],
        a[source + min(i{s} + 3u, end - 1u) * params.a_inner],
      );
      #end
      let a{s}1 = quadSwapX(a{s}0);
      let a{s}2 = quadSwapY(a{s}0);
      let a{s}3 = quadSwapDiagonal(a{s}0);
      #each l < 4
      #each e < 4
      #each j < VECTORS
      #each x < 4
      c{j}{x} = fma(panel[({s}u * 16u + {l}u * 4u + {e}u) * VECTORS + {j}u][{x}], a{s}{l}[{e}], c{j}{x});
      #end
      #end
      #end
      #end
      #end
      for (var n = select(0u, params.add_residual, start + 16u * STEPS >= end); n > 0u; n--) {
        #each j < VECTORS
        let besides{j} = residual[to + inside{j}];
        #each x < 4
        c{j}{x} += besides{j}[{x}];
        #end
        #end
      }
      #each j < VECTORS
      if (column{j} < columns4) {
        c[to + column{j}] = vec4f(c{j}0, c{j}1, c{j}2, c{j}3);
      }
      #end
    }
  }
}
