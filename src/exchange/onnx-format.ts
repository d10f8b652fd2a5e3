/**
 * ONNX's file format as Protocol Buffers messages: those that a plain inference graph needs, with the
 * names and field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
 */
import protobuf from 'protobufjs/light.js';

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
  /** Empty for the operators of the standard. */
  readonly domain?: string;
}

export interface OnnxTensor {
  readonly name: string;
  readonly dims: readonly number[];
  readonly dataType: number;
  /** The numbers, little-endian. */
  readonly rawData: Uint8Array;
}

/** An input or output; a dimension is a number or the name of one that may vary. */
export interface OnnxValue {
  readonly name: string;
  readonly elementType: number;
  readonly shape: readonly (number | string)[];
  readonly docString: string;
}

export interface OnnxModel {
  readonly docString: string;
  readonly metadata: ReadonlyMap<string, string>;
  readonly graphName: string;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
}

/**
 * The newest version of the standard's operators that Debian's checker and every runtime since 2022
 * know, and the file format's version of the same time.
 */
export const OPSET = 17;
export const IR_VERSION = 8;

type Field = readonly [id: number, type: string, rule?: 'repeated'];

/** As in onnx.proto, a number that is 0 is written all the same: an attribute `axis` of 0 is there. */
const PRESENCE = { features: { field_presence: 'EXPLICIT' } };

/** A message from its fields, in the layout that protobufjs reads. */
function message(fields: Readonly<Record<string, Field>>) {
  const described = Object.entries(fields).map(([name, [id, type, rule]]) => [
    name,
    rule === undefined ? { id, type, options: PRESENCE } : { id, type, rule },
  ]);
  return { fields: Object.fromEntries(described) };
}

const root = protobuf.Root.fromJSON({
  nested: {
    ModelProto: message({
      irVersion: [1, 'int64'],
      producerName: [2, 'string'],
      docString: [6, 'string'],
      graph: [7, 'GraphProto'],
      opsetImport: [8, 'OperatorSetIdProto', 'repeated'],
      metadataProps: [14, 'StringStringEntryProto', 'repeated'],
      // Read to refuse what holds any.
      trainingInfo: [20, 'bytes', 'repeated'],
      functions: [25, 'bytes', 'repeated'],
    }),
    OperatorSetIdProto: message({ domain: [1, 'string'], version: [2, 'int64'] }),
    StringStringEntryProto: message({ key: [1, 'string'], value: [2, 'string'] }),
    GraphProto: message({
      node: [1, 'NodeProto', 'repeated'],
      name: [2, 'string'],
      initializer: [5, 'TensorProto', 'repeated'],
      input: [11, 'ValueInfoProto', 'repeated'],
      output: [12, 'ValueInfoProto', 'repeated'],
      sparseInitializer: [15, 'bytes', 'repeated'],
    }),
    NodeProto: message({
      input: [1, 'string', 'repeated'],
      output: [2, 'string', 'repeated'],
      name: [3, 'string'],
      opType: [4, 'string'],
      attribute: [5, 'AttributeProto', 'repeated'],
      domain: [7, 'string'],
    }),
    AttributeProto: message({
      name: [1, 'string'],
      f: [2, 'float'],
      i: [3, 'int64'],
      g: [6, 'bytes'],
      ints: [8, 'int64', 'repeated'],
      graphs: [11, 'bytes', 'repeated'],
      type: [20, 'int32'],
    }),
    TensorProto: message({
      dims: [1, 'int64', 'repeated'],
      dataType: [2, 'int32'],
      name: [8, 'string'],
      rawData: [9, 'bytes'],
      externalData: [13, 'StringStringEntryProto', 'repeated'],
      dataLocation: [14, 'int32'],
    }),
    ValueInfoProto: message({
      name: [1, 'string'],
      type: [2, 'TypeProto'],
      docString: [3, 'string'],
    }),
    TypeProto: message({ tensorType: [1, 'TypeProtoTensor'] }),
    TypeProtoTensor: message({ elemType: [1, 'int32'], shape: [2, 'TensorShapeProto'] }),
    TensorShapeProto: message({ dim: [1, 'Dimension', 'repeated'] }),
    Dimension: message({ dimValue: [1, 'int64'], dimParam: [2, 'string'] }),
  },
});

const ModelProto = root.lookupType('ModelProto');

/** The model as the bytes of an `.onnx` file. */
export function encodeModel(model: OnnxModel): Uint8Array<ArrayBuffer> {
  const { docString, metadata, graphName, nodes, initializers, inputs, outputs } = model;
  const encoded = ModelProto.encode({
    irVersion: IR_VERSION,
    producerName: 'Palestra',
    docString,
    graph: {
      name: graphName,
      node: nodes,
      initializer: initializers,
      input: inputs.map(valueInfo),
      output: outputs.map(valueInfo),
    },
    opsetImport: [{ domain: '', version: OPSET }],
    metadataProps: [...metadata].map(([key, value]) => ({ key, value })),
  }).finish();
  // Node's writer hands out parts of a pool.
  return Uint8Array.from(encoded);
}

function valueInfo({ name, elementType, shape, docString }: OnnxValue) {
  const dim = shape.map((size) =>
    typeof size === 'number' ? { dimValue: size } : { dimParam: size },
  );
  return { name, docString, type: { tensorType: { elemType: elementType, shape: { dim } } } };
}

/**
 * The messages of an `.onnx` file as plain data, of unknown content.
 *
 * @throws {Error} of protobufjs for bytes that are no such messages
 */
export function decodeModel(bytes: Uint8Array): unknown {
  return ModelProto.toObject(ModelProto.decode(bytes), { longs: Number, arrays: true });
}
