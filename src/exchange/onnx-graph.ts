import {
  AttributeType,
  ElementType,
  type OnnxAttribute,
  type OnnxNode,
  type OnnxTensor,
} from './onnx-format.ts';

/** What an operator is told beside its inputs: whole numbers, lists of them, or one in `{ float }`. */
type Attributes = Readonly<Record<string, number | readonly number[] | { readonly float: number }>>;

/** Collects the nodes and constants of a graph. Values go by their names, as in the file. */
export class OnnxGraph {
  readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxTensor[] = [];
  readonly #constants = new Set<string>();

  /**
   * Adds an operator and returns the name of its first output, which follows from the node's name.
   *
   * @param name a path such as `/layers.0/mlp/down_proj/MatMul`
   */
  add(op: string, name: string, inputs: readonly string[], attributes: Attributes = {}): string {
    return this.split(op, name, inputs, 1, attributes)[0] ?? '';
  }

  /** As `add`, for an operator of several outputs. */
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

  /** Gives the last operator's only output a name of its own: that of an output of the graph. */
  rename(value: string, name: string): void {
    const index = this.nodes.length - 1;
    const node = this.nodes[index];
    if (node?.output.join() !== value) throw new RangeError(`${value} is not the newest value`);
    this.nodes[index] = { ...node, output: [name] };
  }

  /** A parameter of the model. */
  parameter(name: string, dims: readonly number[], values: Float32Array): string {
    const rawData = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    this.initializers.push({ name, dims, dataType: ElementType.float32, rawData });
    return name;
  }

  /** A constant of 32-bit floats; a name stands for the same numbers wherever it is used. */
  floats(name: string, values: readonly number[], dims = [values.length]): string {
    if (!this.#constants.has(name)) this.parameter(name, dims, Float32Array.from(values));
    this.#constants.add(name);
    return name;
  }

  /** A list of whole numbers, such as a shape. */
  ints(...values: readonly number[]): string {
    return this.#int64(`constants.ints.${values.join('_')}`, [values.length], values);
  }

  /** A whole number that is no list. */
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
