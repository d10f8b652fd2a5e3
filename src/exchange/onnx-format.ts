/**
 * The Protocol Buffers messages of ONNX that a plain inference graph needs, with the names and field
 * numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
 */
import { onnxLimits } from '../files/limits.ts';
import { type Field, MessageWriter, ProtobufError, visitFields } from '../files/protobuf.ts';

/** `TensorProto.DataType` */
export const ElementType = { float32: 1, int64: 7, bool: 9 } as const;
/** `AttributeProto.AttributeType` */
export const AttributeType = { float: 1, int: 2, string: 3, tensor: 4, ints: 7 } as const;

export interface OnnxAttribute {
  readonly name: string;
  readonly type: number;
  readonly f?: number;
  readonly i?: number;
  readonly ints?: readonly number[];
}

export interface OnnxNode {
  readonly opType: string;
  readonly name: string;
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly attribute: readonly OnnxAttribute[];
  /** Empty for standard operators. */
  readonly domain?: string;
}

export interface OnnxTensor {
  readonly name: string;
  readonly dims: readonly number[];
  readonly dataType: number;
  /** Values, little-endian. */
  readonly rawData: Uint8Array;
}

/** An input or output; a dimension is a number or the name of a dynamic one. */
export interface OnnxValue {
  readonly name: string;
  readonly elementType: number;
  readonly shape: readonly (number | string)[];
  readonly docString: string;
}

interface OnnxModel {
  readonly docString: string;
  readonly metadata: ReadonlyMap<string, string>;
  readonly graphName: string;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

/**
 * The newest operator set and file format supported by Debian's checker and by runtimes since 2022.
 */
export const OPSET = 17;
const IR_VERSION = 8;

/** Encodes a model as an `.onnx` file. */
export function encodeModel(model: OnnxModel): Uint8Array<ArrayBuffer> {
  const { docString, metadata, graphName, nodes, initializers, inputs, outputs } = model;
  const graph = new MessageWriter();
  for (const node of nodes) graph.message(1, nodeMessage(node));
  graph.text(2, graphName);
  for (const tensor of initializers) graph.message(5, tensorMessage(tensor));
  for (const input of inputs) graph.message(11, valueMessage(input));
  for (const output of outputs) graph.message(12, valueMessage(output));
  const written = new MessageWriter()
    .int(1, IR_VERSION)
    .text(2, 'Palestra')
    .text(6, docString)
    .message(7, graph)
    .message(8, new MessageWriter().text(1, '').int(2, OPSET));
  for (const [key, value] of metadata) {
    written.message(14, new MessageWriter().text(1, key).text(2, value));
  }
  return written.finish();
}

function nodeMessage({ opType, name, input, output, attribute, domain }: OnnxNode): MessageWriter {
  const node = new MessageWriter();
  for (const value of input) node.text(1, value);
  for (const value of output) node.text(2, value);
  node.text(3, name).text(4, opType);
  for (const one of attribute) node.message(5, attributeMessage(one));
  return domain === undefined ? node : node.text(7, domain);
}

/** Zeros are written too, because an attribute such as `axis` = 0 must be present. */
function attributeMessage({ name, type, f, i, ints = [] }: OnnxAttribute): MessageWriter {
  const attribute = new MessageWriter().text(1, name);
  if (f !== undefined) attribute.float(2, f);
  if (i !== undefined) attribute.int(3, i);
  return attribute.ints(8, ints).int(20, type);
}

function tensorMessage({ name, dims, dataType, rawData }: OnnxTensor): MessageWriter {
  return new MessageWriter().ints(1, dims).int(2, dataType).text(8, name).bytes(9, rawData);
}

function valueMessage({ name, elementType, shape, docString }: OnnxValue): MessageWriter {
  const dimensions = new MessageWriter();
  for (const size of shape) {
    const dimension = new MessageWriter();
    dimensions.message(
      1,
      typeof size === 'number' ? dimension.int(1, size) : dimension.text(2, size),
    );
  }
  const tensorType = new MessageWriter().int(1, elementType).message(2, dimensions);
  const type = new MessageWriter().message(1, tensorType);
  return new MessageWriter().text(1, name).message(2, type).text(3, docString);
}

/** The decoded parts of an `.onnx` file: graph, weights and metadata. */
export interface ReadModel {
  readonly metadata: ReadonlyMap<string, string>;
  /** Operator set versions by domain. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly nodes: readonly OnnxNode[];
  /** By name. */
  readonly initializers: ReadonlyMap<string, OnnxTensor>;
}

/**
 * Decodes an `.onnx` file within `onnxLimits`, up to the first fault. Tensor values share the file's
 * memory.
 *
 * @param checkNode called with each node before the next is read; throws to reject one
 * @throws {ProtobufError} for invalid messages and for features beyond a plain graph
 */
export function decodeModel(bytes: Uint8Array, checkNode: (node: OnnxNode) => void): ReadModel {
  const metadata = new Map<string, string>();
  const opsets = new Map<string, number>();
  let graph: Pick<ReadModel, 'nodes' | 'initializers'> | null = null;
  visitFields(bytes, {
    7: (field) => {
      if (graph !== null) throw new ProtobufError('it has two graphs');
      graph = readGraph(field.bytes(), checkNode);
    },
    8: (field) => {
      let [domain, version] = ['', 0];
      visitFields(field.bytes(), {
        1: (part) => (domain = readName(part)),
        2: (part) => (version = part.int()),
      });
      addOnce(opsets, domain, version, onnxLimits.entries, 'operator sets');
    },
    14: (field) => {
      let [key, value] = ['', ''];
      visitFields(field.bytes(), {
        1: (part) => (key = readName(part)),
        2: (part) => (value = part.text(onnxLimits.entryBytes)),
      });
      addOnce(metadata, key, value, onnxLimits.entries, 'metadata entries');
    },
    20: refuse('training steps'),
    25: refuse('functions'),
  });
  if (graph === null) throw new ProtobufError('it has no graph');
  return { metadata, opsets, ...(graph as Pick<ReadModel, 'nodes' | 'initializers'>) };
}

function readGraph(bytes: Uint8Array, checkNode: (node: OnnxNode) => void) {
  const nodes: OnnxNode[] = [];
  const initializers = new Map<string, OnnxTensor>();
  visitFields(bytes, {
    1: (field) => {
      const node = readNode(field.bytes());
      checkNode(node);
      push(nodes, node, onnxLimits.nodes, 'nodes');
    },
    5: (field) => {
      const tensor = readTensor(field.bytes());
      addOnce(initializers, tensor.name, tensor, onnxLimits.tensors, 'tensors');
    },
    15: refuse('sparse tensors'),
  });
  return { nodes, initializers };
}

function readNode(bytes: Uint8Array): OnnxNode {
  const [input, output]: [string[], string[]] = [[], []];
  const attribute: OnnxAttribute[] = [];
  let [name, opType, domain] = ['', '', ''];
  visitFields(bytes, {
    1: (field) => push(input, readName(field), onnxLimits.parts, 'inputs'),
    2: (field) => push(output, readName(field), onnxLimits.parts, 'outputs'),
    3: (field) => (name = readName(field)),
    4: (field) => (opType = readName(field)),
    5: (field) => push(attribute, readAttribute(field.bytes()), onnxLimits.parts, 'attributes'),
    7: (field) => (domain = readName(field)),
  });
  return { name, opType, domain, input, output, attribute };
}

function readAttribute(bytes: Uint8Array): OnnxAttribute {
  const read: Mutable<OnnxAttribute> = { name: '', type: 0 };
  const ints: number[] = [];
  visitFields(bytes, {
    1: (field) => (read.name = readName(field)),
    2: (field) => (read.f = field.float()),
    3: (field) => (read.i = field.int()),
    6: refuse('a graph within a node'),
    8: (field) => pushAll(ints, field, 'numbers in one attribute'),
    11: refuse('graphs within a node'),
    20: (field) => (read.type = field.int()),
  });
  return { ...read, ints };
}

function readTensor(bytes: Uint8Array): OnnxTensor {
  const dims: number[] = [];
  let [name, dataType] = ['', 0];
  let rawData: Uint8Array = new Uint8Array();
  visitFields(bytes, {
    1: (field) => pushAll(dims, field, 'dimensions'),
    2: (field) => (dataType = field.int()),
    8: (field) => (name = readName(field)),
    9: (field) => (rawData = field.bytes()),
    13: refuse('tensors in other files'),
    14: (field) => {
      if (field.int() !== 0) throw new ProtobufError('it has tensors in other files');
    },
  });
  return { name, dims, dataType, rawData };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const readName = (field: Field): string => field.text(onnxLimits.nameBytes);

const refuse = (what: string) => (): never => {
  throw new ProtobufError(`it has ${what}`);
};

function push<T>(list: T[], value: T, most: number, what: string): void {
  if (list.length === most) throw new ProtobufError(`it has more than ${most} ${what}`);
  list.push(value);
}

function pushAll(list: number[], field: Field, what: string): void {
  for (const value of field.ints()) push(list, value, onnxLimits.parts, what);
}

function addOnce<T>(map: Map<string, T>, key: string, value: T, most: number, what: string): void {
  if (map.has(key)) throw new ProtobufError(`it has two ${what} with the same name`);
  if (map.size === most) throw new ProtobufError(`it has more than ${most} ${what}`);
  map.set(key, value);
}
