/** SwiGLU and GEGLU (arXiv:2002.05202), as in swiglu.wgsl: h (rows, FFN) = gate·σ(k(gate))·up. */
import { type Body, i32, type V128, v128 } from '../../device/processor/assembler.ts';
import { type ProcessorKernels, wasmFunction } from '../../device/processor/kernel.ts';
import { exp } from './maths.ts';

const ROOT = 1.5957691216;
const CUBE = 0.044715;

/** σ(k(gate)): k is the identity for SiLU, and √(8/π) · (g + 0.044715 g³) for GELU's tanh form. */
function sigmoid(f: Body, gate: V128, gelu: number): V128 {
  const k = gelu ? f.v128(gate.mul(gate).mul(CUBE).add(1).mul(gate).mul(ROOT)) : gate;
  return f.v128(v128(1).div(exp(f, k.neg()).add(1)));
}

/** gate_up (rows, 2 · FFN) = gate, then up. A unit is a row. */
const forward = wasmFunction(
  'swiglu.forward',
  { gateUp: 'i32', h: 'i32' },
  (f, { gateUp, h, begin, end }, [ffn = 4, gelu = 0]) => {
    const bytes = 4 * ffn;
    f.for(begin, end, 1, (row) => {
      const from = f.i32(gateUp.add(row.mul(2 * bytes)));
      const to = f.i32(h.add(row.mul(bytes)));
      f.for(0, i32(bytes), 16, (at) => {
        const place = f.i32(from.add(at));
        const gate = f.v128(f.load(place));
        f.store(to.add(at), gate.mul(sigmoid(f, gate, gelu)).mul(f.load(place, bytes)));
      });
    });
  },
);

/** a'(g) = σ(k) · (1 + g · k'(g) · (1 − σ(k))). */
const backward = wasmFunction(
  'swiglu.backward',
  { gateUp: 'i32', dh: 'i32', dgateUp: 'i32' },
  (f, { gateUp, dh, dgateUp, begin, end }, [ffn = 4, gelu = 0]) => {
    const bytes = 4 * ffn;
    f.for(begin, end, 1, (row) => {
      const from = f.i32(gateUp.add(row.mul(2 * bytes)));
      const to = f.i32(dgateUp.add(row.mul(2 * bytes)));
      const pull = f.i32(dh.add(row.mul(bytes)));
      f.for(0, i32(bytes), 16, (at) => {
        const place = f.i32(from.add(at));
        const target = f.i32(to.add(at));
        const gate = f.v128(f.load(place));
        const s = sigmoid(f, gate, gelu);
        const d = f.v128(f.load(pull.add(at)).mul(s));
        const along = gelu
          ? f.v128(
              gate
                .mul(gate)
                .mul(3 * CUBE)
                .add(1)
                .mul(ROOT)
                .mul(gate),
            )
          : gate;
        const slope = along.mul(v128(1).sub(s)).add(1);
        f.store(target, d.mul(f.load(place, bytes)).mul(slope));
        f.store(target, d.mul(gate), bytes);
      });
    });
  },
);

/** Cost of exp and the division per element, in multiply–adds. */
const ELEMENT_WORK = 12;

export const swigluKernels: ProcessorKernels = {
  'swiglu.forward': (call) => {
    const { rows = 0 } = call.params;
    const { FFN = 4, GELU = 0 } = call.constants;
    const args = { gateUp: call.address('gate_up'), h: call.address('h') };
    call.share(forward, args, rows, ELEMENT_WORK * rows * FFN, [FFN, GELU]);
  },
  'swiglu.backward': (call) => {
    const { rows = 0 } = call.params;
    const { FFN = 4, GELU = 0 } = call.constants;
    const args = {
      gateUp: call.address('gate_up'),
      dh: call.address('dh'),
      dgateUp: call.address('dgate_up'),
    };
    call.share(backward, args, rows, ELEMENT_WORK * rows * FFN, [FFN, GELU]);
  },
};
