/**
 * How much is read of a file from outside. Whatever reads one looks here first, before it builds
 * anything; docs/EXCHANGE.md has the same numbers in a table.
 */

/** An ONNX file. An agent of the largest network there is has under a thousand nodes and 300 tensors. */
export const onnxLimits = {
  nodes: 4096,
  tensors: 4096,
  /** Entries of its metadata, and sets of operators. */
  entries: 64,
  /** Inputs, outputs, attributes and numbers of one node; dimensions of one tensor. */
  parts: 64,
  /** Bytes of a name. */
  nameBytes: 1024,
  /** Bytes of an entry of its metadata, which may be the vocabulary. */
  entryBytes: 64 * 2 ** 20,
} as const;
