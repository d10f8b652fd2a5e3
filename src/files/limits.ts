/**
 * Size limits for untrusted files. Every reader checks them before it allocates memory.
 * docs/EXCHANGE.md lists the same numbers.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** Limits of a JSON text, far above real files. They bound the memory that a small file can use. */
export interface JsonLimits {
  /** Size of the text in bytes. */
  readonly bytes: number;
  /** Number of objects. */
  readonly objects: number;
  /** Number of values and keys. */
  readonly values: number;
  /** Nesting depth of lists and objects. */
  readonly depth: number;
}

export const jsonLimits = {
  /** A run's config, including text options of environments, and similarly short files. */
  config: { bytes: 16 * MIB, objects: 4000, values: 20_000, depth: 24 },
  /** A checkpoint's reference to its pretrained model, and PEFT's `adapter_config.json`. */
  base: { bytes: 64 * KIB, objects: 16, values: 400, depth: 6 },
  /** Token texts by token id. */
  vocabulary: { bytes: 64 * MIB, objects: 0, values: 300_000, depth: 1 },
  /** Merges and processing steps of a byte-pair tokenizer, or a whole `tokenizer.json`. */
  tokenizer: { bytes: 64 * MIB, objects: 10_000, values: 4_000_000, depth: 12 },
  /** Header of a safetensors file: tensor names, offsets and metadata. */
  safetensors: { bytes: 64 * MIB, objects: 20_000, values: 300_000, depth: 4 },
  /** Structure of packed data (replay buffers), where each long list of numbers is one object. */
  packed: { bytes: 256 * MIB, objects: 16_000_000, values: 100_000_000, depth: 64 },
  /** Dialogues. AgentGym's largest dataset for one environment is 30 MB. */
  trajectories: { bytes: 200_000_000, objects: 2_000_000, values: 12_000_000, depth: 8 },
  /** A line of a critique dataset. */
  critique: { bytes: 64 * KIB, objects: 2, values: 40, depth: 2 },
} as const satisfies Readonly<Record<string, JsonLimits>>;

/** An ONNX file. An agent with the largest network has fewer than 1000 nodes and 300 tensors. */
export const onnxLimits = {
  nodes: 4096,
  tensors: 4096,
  /** Metadata entries, and operator sets. */
  entries: 64,
  /** Inputs, outputs, attributes and numbers of one node; dimensions of one tensor. */
  parts: 64,
  /** Bytes of a name. */
  nameBytes: KIB,
  /** Bytes of a metadata entry, which may be the vocabulary. */
  entryBytes: 64 * MIB,
} as const;

/** Zip files of all kinds. */
export const zipLimits = {
  /** Number of files and folders. */
  entries: 1000,
  nameBytes: 512,
  /**
   * The unpacked size may be at most `freeBytes` plus `ratio` times the packed size. Weights hardly
   * compress, JSON compresses to a tenth, and a megabyte of zeros to a kilobyte.
   */
  freeBytes: MIB,
  ratio: 64,
} as const;

/** Sizes of whole files in bytes. */
export const fileLimits = {
  /** An agent: a zip (also unpacked), ONNX file or checkpoint. More than a browser can train. */
  agent: 512 * MIB,
  run: 256 * MIB,
  runUnpacked: 512 * MIB,
  runRows: 128 * MIB,
  /** A checkpoint on the command line: the largest file that Node reads at once. */
  checkpoint: 2 ** 31 - 1,
  trajectories: jsonLimits.trajectories.bytes,
  /** A critique dataset; 76,321 items take 30 MB. */
  critiques: 128 * MIB,
} as const;

/** A pretrained model. Its weights are read tensor by tensor. */
export const pretrainedLimits = {
  /** Number of weight files. */
  files: 64,
  /** Bytes of each weight file. */
  bytes: 8 * 2 ** 30,
  /** Characters of a chat template. */
  template: 256 * KIB,
} as const;

/** A byte-pair tokenizer. */
export const tokenizerLimits = {
  /** Llama 3 has 128,256 tokens. */
  tokens: 2 ** 18,
  merges: 2 ** 20,
  /** Added tokens. Gemma 3 has 6,415. */
  added: 8192,
  /** Characters of a token; Llama 3's longest is 128 spaces. */
  tokenCharacters: 512,
  /** Steps of a normalizer, pre-tokenizer or decoder. */
  steps: 16,
  /** Characters of a pattern or replacement in a step. */
  stepCharacters: 16,
  /**
   * Maximum growth factor of a text over all steps. Llama 2's steps double the length, GPT-2's
   * multiply it by six, and NFKC by up to eighteen.
   */
  growth: 256,
  /** Maximum number of characters of a text after maximum growth; longer texts are rejected. */
  grownCharacters: 2 ** 22,
} as const;

/** Lengths of lists in a run's rows and in its trainer's saved state. */
export const runLimits = {
  iterations: 1_000_000,
  updates: 100_000,
  samples: 1_000_000,
  environments: 100,
  episodes: 1_000_000,
  turns: 100_000,
  tasks: 1_000_000,
} as const;

/** A critique dataset. */
export const critiqueLimits = { items: 200_000, steps: 1000, characters: 16_000 } as const;

/** A file of dialogues. */
export const trajectoryLimits = { items: 100_000, messages: 100_000 } as const;
