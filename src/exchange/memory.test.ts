/** By itself, so that nothing else has made this process large before. */
import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { MessageWriter } from '../files/protobuf.ts';
import { encodeSafeTensors } from '../runs/safetensors.ts';
import { isAgentFileError, readAgentFile, readAgentFiles } from './agent-files.ts';

const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** A safetensors file whose header says anything. */
function safetensors(header: unknown, headerLength?: bigint): Uint8Array {
  const json = text(header);
  const bytes = new Uint8Array(8 + json.length + 16);
  new DataView(bytes.buffer).setBigUint64(0, headerLength ?? BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

const huge = {
  model_type: 'llama',
  vocab_size: 1_048_576,
  hidden_size: 1_048_576,
  intermediate_size: 1_048_576,
  num_hidden_layers: 512,
  num_attention_heads: 8,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
};
const tensor = (shape: readonly number[], end: number) => ({
  'model.embed_tokens.weight': { dtype: 'F32', shape, data_offsets: [0, end] },
});
const model = (weights: Uint8Array) =>
  new Map([
    ['config.json', text(huge)],
    ['tokenizer.json', text({ model: { type: 'WordLevel', vocab: { a: 2 ** 40 } } })],
    ['model.safetensors', weights],
  ]);
/** Protocol Buffers' field 7, the graph, of a length that no file has. */
const onnx = Uint8Array.of(0x3a, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0);
/** 4 million fields without content, two bytes each. */
const emptyFields = (field: number) =>
  new Uint8Array(8_000_000).map((_, i) => (i % 2 === 0 ? 8 * field + 2 : 0));
const graphOf = (content: Uint8Array) => new MessageWriter().bytes(7, content).finish();
const emptyNodes = graphOf(emptyFields(1));
const emptyTensors = graphOf(emptyFields(5));
const emptyEntries = emptyFields(14);
const bomb = zipSync({ 'model.onnx': new Uint8Array(100) });
new DataView(bomb.buffer).setUint32(
  bomb.length - 22 - 46 - 'model.onnx'.length + 24,
  0x7fffffff,
  true,
);
const hungry: readonly (readonly [string, () => unknown])[] = [
  ['a header of 2^60 bytes', () => readAgentFile(safetensors({}, 2n ** 60n))],
  ['a tensor of 2^62 bytes', () => readAgentFiles(model(safetensors(tensor([2 ** 60], 2 ** 52))))],
  ['more dimensions than data', () => readAgentFiles(model(safetensors(tensor([2 ** 30, 4], 16))))],
  [
    'a config.json of a huge network',
    () => readAgentFiles(model(encodeSafeTensors({ tensors: new Map(), metadata: new Map() }))),
  ],
  ['messages of 2 GB', () => readAgentFile(onnx)],
  ['4 million empty nodes', () => readAgentFile(emptyNodes)],
  ['4 million empty tensors', () => readAgentFile(emptyTensors)],
  ['4 million empty entries of metadata', () => readAgentFile(emptyEntries)],
  ['a zip that unpacks to 2 GB', () => readAgentFile(bomb)],
];

it.each(hungry)('takes no memory for %s', (_, read) => {
  // The most that the process ever held, in kilobytes.
  const before = process.resourceUsage().maxRSS;
  expect(() => {
    try {
      read();
    } catch (error) {
      if (!isAgentFileError(error)) throw error;
      throw new RangeError('refused');
    }
  }).toThrow('refused');
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(64 * 1024);
});
