/**
 * Imports an agent from an `.onnx` file written by Palestra. Its graph is compared with the expected one
 * and never executed; play mode builds the graph from the weights.
 */
import { type JsonLimits, jsonLimits } from '../files/limits.ts';
import { ProtobufError } from '../files/protobuf.ts';
import type { PolicyShape, WeightTensor } from '../policy/types.ts';
import { checkAgent, type ReadAgent, readRun, rulesOf, shapeOf } from './agent.ts';
import { AgentFileError, agentJson } from './errors.ts';
import { fromLlama, llamaTensors } from './llama-tensors.ts';
import { decoderGraph, ONNX_VERSION, onnxMetadata, onnxOperators, TRANSPOSED } from './onnx.ts';
import {
  decodeModel,
  ElementType,
  type OnnxAttribute,
  type OnnxNode,
  OPSET,
  type ReadModel,
} from './onnx-format.ts';

/** @throws {AgentFileError} for anything but a complete file written by Palestra */
export function readOnnx(bytes: Uint8Array): ReadAgent {
  const model = readModel(bytes);
  const { metadata, opsets } = model;
  const version = metadata.get(onnxMetadata.version);
  if (version !== ONNX_VERSION) {
    throw new AgentFileError(
      version === undefined
        ? 'it is an ONNX file, but Palestra did not write it'
        : `it has version ${shown(version)} of the format; this version of Palestra reads version ${ONNX_VERSION}`,
    );
  }
  if (opsets.size !== 1 || [...opsets.values()][0] !== OPSET) {
    throw new AgentFileError(`it must use ONNX operator set ${OPSET}`);
  }
  const vocabulary = readVocabulary(metadata);
  const rules = metadata.has(onnxMetadata.bpe)
    ? parse(metadata, onnxMetadata.bpe, jsonLimits.tokenizer)
    : null;
  const bpe = rulesOf(rules, vocabulary);
  const run = readRun({
    config: parse(metadata, onnxMetadata.config, jsonLimits.config),
    iteration: metadata.get('iteration'),
    turns: metadata.get('turns'),
    tokens: metadata.get('tokens'),
  });
  const shape = shapeOf(run.config, vocabulary);
  compareGraph(shape, model);
  const weights = readWeights(shape, model);
  return checkAgent({ shape, vocabulary, bpe, weights, run, added: null });
}

function readModel(bytes: Uint8Array): ReadModel {
  try {
    return decodeModel(bytes, checkOperator);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new AgentFileError(`it is damaged or not a plain ONNX graph: ${error.message}`);
  }
}

function checkOperator({ opType, domain = '' }: OnnxNode): void {
  if (onnxOperators.has(opType) && (domain === '' || domain === 'ai.onnx')) return;
  throw new AgentFileError(
    `its graph has the operator ${shown(domain === '' ? opType : `${domain}.${opType}`)}, which Palestra does not export`,
  );
}

function readVocabulary(metadata: ReadonlyMap<string, string>): readonly string[] {
  const tokens = parse(metadata, onnxMetadata.vocabulary, jsonLimits.vocabulary);
  if (!Array.isArray(tokens) || !tokens.every((token) => typeof token === 'string')) {
    throw new AgentFileError('its vocabulary is not a list of strings');
  }
  return tokens;
}

function parse(metadata: ReadonlyMap<string, string>, name: string, limits: JsonLimits): unknown {
  const json = metadata.get(name);
  if (json === undefined) throw new AgentFileError(`its ${name} is missing`);
  return agentJson(`its ${name}`, json, limits);
}

/** Checks that the nodes and their order match an export of this shape. */
function compareGraph(shape: PolicyShape, { nodes: found }: ReadModel): void {
  const cache = found.some(({ input }) => input.includes('past_key_values.0.key'));
  const { nodes } = decoderGraph(shape, cache);
  if (nodes.length !== found.length) {
    throw new AgentFileError(
      `its graph has ${found.length} nodes; its shape needs ${nodes.length}`,
    );
  }
  for (const [i, node] of nodes.entries()) {
    const other = found[i];
    const same =
      other !== undefined &&
      node.opType === other.opType &&
      String(node.input) === String(other.input) &&
      String(node.output) === String(other.output) &&
      JSON.stringify(node.attribute.map(attributeNumbers)) ===
        JSON.stringify(other.attribute.map(attributeNumbers));
    if (!same) {
      throw new AgentFileError(
        `node ${shown(other?.name ?? '')} of its graph differs from Palestra’s export`,
      );
    }
  }
}

function attributeNumbers({ name, i, f, ints }: OnnxAttribute) {
  return [name, i ?? null, f ?? null, ints ?? []];
}

function readWeights(
  shape: PolicyShape,
  { initializers }: ReadModel,
): ReadonlyMap<string, WeightTensor> {
  const tensors = new Map<string, WeightTensor>();
  for (const { name, shape: dims } of llamaTensors(shape)) {
    const turned = initializers.get(`${name}${TRANSPOSED}`);
    const tensor = turned ?? initializers.get(name);
    const wanted = turned === undefined ? dims : dims.toReversed();
    if (tensor === undefined) throw new AgentFileError(`the tensor ${name} is missing`);
    const length = wanted.reduce((product, n) => product * n, 1);
    if (
      tensor.dataType !== ElementType.float32 ||
      String(tensor.dims) !== String(wanted) ||
      tensor.rawData.length !== 4 * length
    ) {
      throw new AgentFileError(
        `the tensor ${name} must be float32 of shape [${wanted.join(', ')}]`,
      );
    }
    const values = new Float32Array(Uint8Array.from(tensor.rawData).buffer);
    tensors.set(name, { shape: dims, values: turned === undefined ? values : turn(values, dims) });
  }
  return fromLlama(shape, tensors);
}

/** Transposes (columns, rows) to (rows, columns). */
function turn(values: Float32Array, [rows = 0, columns = 0]: readonly number[]): Float32Array {
  return Float32Array.from(
    values,
    (_, i) => values[(i % columns) * rows + Math.floor(i / columns)] ?? 0,
  );
}

function shown(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}
