/**
 * Size limits for files from outside. Every reader checks them before it allocates anything.
 * docs/EXCHANGE.md lists the same numbers.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** What a JSON text may hold. Real files stay far below; a small file cannot take much memory. */
export interface JsonLimits {
  /** Bytes of the text. */
  readonly bytes: number;
  /** Objects in it. */
  readonly objects: number;
  /** Values and keys in it. */
  readonly values: number;
  /** Lists and objects within one another. */
  readonly depth: number;
}

export const jsonLimits = {
  /** A run's config, with the texts of its environments' options, and files as short as it. */
  config: { bytes: 16 * MIB, objects: 4000, values: 20_000, depth: 24 },
  /** The pretrained model of a checkpoint's adapter, and PEFT's `adapter_config.json`. */
  base: { bytes: 64 * KIB, objects: 16, values: 400, depth: 6 },
  /** The text of every token by its id. */
  vocabulary: { bytes: 64 * MIB, objects: 0, values: 300_000, depth: 1 },
  /** A byte-pair tokenizer's merges and steps, or a whole `tokenizer.json`. */
  tokenizer: { bytes: 64 * MIB, objects: 10_000, values: 4_000_000, depth: 12 },
  /** The names and places of a safetensors file's tensors, and its metadata. */
  safetensors: { bytes: 64 * MIB, objects: 20_000, values: 300_000, depth: 4 },
  /** The form of packed data, in which long lists of numbers are one object each: replay buffers. */
  packed: { bytes: 256 * MIB, objects: 16_000_000, values: 100_000_000, depth: 64 },
  /** Dialogues. AgentGym's largest set of one environment has 30 MB. */
  trajectories: { bytes: 200_000_000, objects: 2_000_000, values: 12_000_000, depth: 8 },
  /** A line of a data set of critiques. */
  critique: { bytes: 64 * KIB, objects: 2, values: 40, depth: 2 },
} as const satisfies Readonly<Record<string, JsonLimits>>;

/** An ONNX file. An agent of the largest network there is has under a thousand nodes and 300 tensors. */
export const onnxLimits = {
  nodes: 4096,
  tensors: 4096,
  /** Entries of its metadata, and sets of operators. */
  entries: 64,
  /** Inputs, outputs, attributes and numbers of one node; dimensions of one tensor. */
  parts: 64,
  /** Bytes of a name. */
  nameBytes: KIB,
  /** Bytes of an entry of its metadata, which may be the vocabulary. */
  entryBytes: 64 * MIB,
} as const;

/** A zip file, whichever kind of file it is. */
export const zipLimits = {
  /** Files and folders in it. */
  entries: 1000,
  nameBytes: 512,
  /**
   * Maximum unpacked bytes: a constant plus a multiple of the packed size. Weights hardly compress,
   * JSON compresses to a tenth; a megabyte of zeros takes a kilobyte.
   */
  freeBytes: MIB,
  ratio: 64,
} as const;

/** Bytes of whole files. */
export const fileLimits = {
  /** An agent: a zip, an ONNX file or a checkpoint, also unpacked. More than a browser can train. */
  agent: 512 * MIB,
  run: 256 * MIB,
  runUnpacked: 512 * MIB,
  runRows: 128 * MIB,
  /** A checkpoint for the command line: as much as Node reads in one piece. */
  checkpoint: 2 ** 31 - 1,
  trajectories: jsonLimits.trajectories.bytes,
  /** A data set of critiques; one of 76,321 items has 30 MB. */
  critiques: 128 * MIB,
} as const;

/** A pretrained model, whose weights are read tensor by tensor. */
export const pretrainedLimits = {
  /** Files of weights. */
  files: 64,
  /** Bytes of each of them. */
  bytes: 8 * 2 ** 30,
  /** Characters of a chat template. */
  template: 256 * KIB,
} as const;

/** A byte-pair tokenizer. */
export const tokenizerLimits = {
  /** Llama 3 has 128,256 tokens. */
  tokens: 2 ** 18,
  merges: 2 ** 20,
  /** Gemma 3 has 6,415. */
  added: 8192,
  /** Characters of a token; the longest of Llama 3 is 128 spaces. */
  tokenCharacters: 512,
  /** Steps of a normalizer, pre-tokenizer or decoder. */
  steps: 16,
  /** Characters of a text that a step looks for, or puts in place of another. */
  stepCharacters: 16,
  /**
   * How many times as long all steps together may make a text. Llama 2's make it twice as long, those
   * of GPT-2 six times, NFKC eighteen times.
   */
  growth: 256,
  /** Characters of a text, as the steps may make it at most, that is read at once. */
  grownCharacters: 2 ** 22,
} as const;

/** Lists in the rows of a run and in what its trainer carries on. */
export const runLimits = {
  iterations: 1_000_000,
  updates: 100_000,
  samples: 1_000_000,
  environments: 100,
  episodes: 1_000_000,
  turns: 100_000,
  tasks: 1_000_000,
} as const;

/** A data set of critiques. */
export const critiqueLimits = { items: 200_000, steps: 1000, characters: 16_000 } as const;

/** A file of dialogues. */
export const trajectoryLimits = { items: 100_000, messages: 100_000 } as const;
