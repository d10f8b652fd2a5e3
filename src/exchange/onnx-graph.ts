import {
  AttributeType,
  ElementType,
  type OnnxAttribute,
  type OnnxNode,
  type OnnxTensor,
} from './onnx-format.ts';

/** Operator attributes: integers, lists of integers, or `{ float }`. */
type Attributes = Readonly<Record<string, number | readonly number[] | { readonly float: number }>>;

/** Builds a graph. Values are referenced by name, as in the file. */
export class OnnxGraph {
  readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxTensor[] = [];
  readonly #constants = new Set<string>();

  /**
   * Adds an operator and returns the name of its first output, derived from the node's name.
   *
   * @param name a path such as `/layers.0/mlp/down_proj/MatMul`
   */
  add(op: string, name: string, inputs: readonly string[], attributes: Attributes = {}): string {
    return this.split(op, name, inputs, 1, attributes)[0] ?? '';
  }

  /** Like `add`, for an operator with several outputs. */
  split(
    op: string,
    name: string,
    inputs: readonly string[],
    outputs: number,
    attributes: Attributes = {},
  ): string[] {
    const output = Array.from({ length: outputs }, (_, i) => `${name}_output_${i}`);
    this.nodes.push({
      opType: op,
      name,
      input: inputs,
      output,
      attribute: Object.entries(attributes).map(attribute),
    });
    return output;
  }

  /** Renames the last operator's single output to a graph output. */
  rename(value: string, name: string): void {
    const index = this.nodes.length - 1;
    const node = this.nodes[index];
    if (node?.output.join() !== value)
      throw new RangeError(`${value} is not the output of the last node`);
    this.nodes[index] = { ...node, output: [name] };
  }

  /** Adds a model parameter. */
  parameter(name: string, dims: readonly number[], values: Float32Array): string {
    const rawData = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.initializers.push({ name, dims, dataType: ElementType.float32, rawData });
    return name;
  }

  /** A float32 constant; equal names must have equal values. */
  floats(name: string, values: readonly number[], dims = [values.length]): string {
    if (!this.#constants.has(name)) this.parameter(name, dims, Float32Array.from(values));
    this.#constants.add(name);
    return name;
  }

  /** A list of integers, such as a shape. */
  ints(...values: readonly number[]): string {
    return this.#int64(`constants.ints.${values.join('_')}`, [values.length], values);
  }

  /** A scalar integer. */
  int(value: number): string {
    return this.#int64(`constants.int.${value}`, [], [value]);
  }

  #int64(name: string, dims: readonly number[], values: readonly number[]): string {
    if (!this.#constants.has(name)) {
      const rawData = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
      this.initializers.push({ name, dims, dataType: ElementType.int64, rawData });
    }
    this.#constants.add(name);
    return name;
  }
}

function attribute([name, value]: [string, Attributes[string]]): OnnxAttribute {
  if (typeof value === 'number') return { name, type: AttributeType.int, i: value };
  if ('float' in value) return { name, type: AttributeType.float, f: value.float };
  return { name, type: AttributeType.ints, ints: value };
}
