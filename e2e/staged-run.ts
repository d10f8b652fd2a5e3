import type { Page } from '@playwright/test';
import type { PageMessage, WorkerMessage } from '../src/lab/protocol.ts';
import type {
  Diagnosis,
  EnvironmentResult,
  TokenSample,
  UpdateDetail,
} from '../src/runs/details.ts';
import type { EpisodeRecord } from '../src/runs/episode.ts';
import type { Row } from '../src/runs/row.ts';

/** A worker message without its run id. */
export type StagedMessage = WorkerMessage extends infer Message
  ? Message extends WorkerMessage
    ? Omit<Message, 'runId'>
    : never
  : never;

/** A finished iteration. */
export function stagedRow(
  row: Row,
  episodes: readonly EpisodeRecord[] = [],
): StagedMessage & { readonly type: 'row' } {
  return { type: 'row', row, episodes, evaluated: [] };
}

/**
 * Replaces the training worker with one that replays these messages for any run the page starts.
 * Tests reach rare or late states at once and without a GPU.
 *
 * @param pace milliseconds between messages; all at once by default
 * @param episodes episodes of each iteration, for a page that requests them; messages after an
 * iteration then wait until its episodes have been read
 */
export async function stage(
  page: Page,
  messages: readonly StagedMessage[],
  pace?: number,
  episodes: readonly (readonly EpisodeRecord[])[] = [],
): Promise<void> {
  await page.addInitScript(
    ([staged, wait, kept]) => {
      class StagedWorker extends EventTarget {
        onmessage: ((event: MessageEvent) => void) | null = null;
        onerror: ((event: ErrorEvent) => void) | null = null;
        #left: readonly StagedMessage[] = [];
        #iteration = 0;
        #send(data: object): void {
          this.onmessage?.(new MessageEvent('message', { data }));
        }
        /** Sends the remaining messages up to the next iteration. */
        #goOn(runId: string): void {
          const next = this.#left.findIndex(({ type }) => type === 'row');
          const end = next < 0 ? this.#left.length : next + 1;
          if (next >= 0) this.#iteration += 1;
          const due = this.#left.slice(0, end);
          this.#left = this.#left.slice(end);
          for (const data of due) this.#send({ ...data, runId });
        }
        #answer(message: PageMessage): void {
          const records = kept[this.#iteration - 1];
          if (records === undefined) return;
          if (message.type !== 'question') return;
          const { runId, request, name } = message;
          const reply = (answer: object) =>
            this.#send({ type: 'answer', runId, request, name, answer });
          if (name === 'list-episodes') {
            const list = records.map((record, i) => ({
              ...record,
              number: i + 1,
              iteration: this.#iteration,
              kind: 'train',
              environmentId: record.environment.id,
              turns: record.turns.length,
            }));
            reply(list);
          }
          if (name === 'read-episodes') {
            const { numbers } = message.ask;
            reply(numbers.map((number) => ({ number, record: records[number - 1] })));
            setTimeout(() => this.#goOn(runId), 0);
          }
        }
        postMessage(message: PageMessage): void {
          this.#answer(message);
          if (message.type !== 'start') return;
          if (kept.length > 0) {
            this.#left = staged;
            setTimeout(() => this.#goOn(message.runId), 0);
            return;
          }
          const { runId } = message;
          const send = (data: object) =>
            this.onmessage?.(new MessageEvent('message', { data: { ...data, runId } }));
          if (wait === null) {
            setTimeout(() => staged.forEach(send), 0);
            return;
          }
          const left = [...staged];
          const timer = setInterval(() => {
            const next = left.shift();
            if (next === undefined) clearInterval(timer);
            else send(next);
          }, wait);
        }
        terminate(): void {}
      }
      // Keep the real file-reading worker.
      window.Worker = new Proxy(window.Worker, {
        construct: (real, [address, options]: ConstructorParameters<typeof Worker>) =>
          options?.name === 'palestra-file' ? new real(address, options) : new StagedWorker(),
      });
    },
    // JSON drops undefined values.
    [messages, pace ?? null, episodes] as const,
  );
}

/** Reproducible pseudo-random numbers in [0, 1). */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The final, successful turn in the first maze task. */
export const stagedEpisode: EpisodeRecord = {
  environment: { id: 'maze/double-t-v1', options: {} },
  taskId: 'maze_24',
  turns: [
    {
      observation:
        'The goal is at position 8, 6. Your current position is at position 7, 6. There are walls to your left, to your right.',
      thought: 'The goal is below.',
      action: 'move down',
      tokens: ['Thought:', 'The', 'goal', 'is', 'below', '.', 'Action:', 'move down', '<end>'].map(
        (text, i) => ({ text, probability: 1 - 0.1 * i }),
      ),
      understood: true,
      reward: 1,
    },
  ],
  finalObservation: 'Success',
  success: true,
  truncated: false,
  score: 1,
};

export const opening: readonly StagedMessage[] = [
  {
    type: 'machine',
    machine: {
      adapter: 'staged',
      processor: true,
      software: false,
      threads: 2,
      withoutGpu: null,
      movedFrom: null,
      parameters: 30_000,
      vocabulary: 57,
    },
  },
  { type: 'status', status: 'running' },
];

const UPDATES = 8;
const TOKENS = 640;

/** A BAPO run with diagnostics of the last update in every fifth iteration. */
export function stagedBapo(iterations: number): readonly StagedMessage[] {
  const random = noise(7);
  const messages: StagedMessage[] = [...opening];
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const progress = iteration / iterations;
    const samples = Array.from({ length: 256 }, () => sample(random, progress));
    const clipLow = 0.6 + 0.3 * random() * (1 - progress);
    const clipHigh = 1.25 + 1.1 * random();
    const updates = Array.from({ length: UPDATES }, (_, i): UpdateDetail => {
      const last = i === UPDATES - 1;
      const high = last ? clipHigh : 1.2 + 1.6 * random();
      return {
        update: (iteration - 1) * UPDATES + i + 1,
        loss: random() - 0.5,
        entropy: 2 * (1 - progress) + 0.1 * random(),
        clipLow: last ? clipLow : 0.6 + (high > 2.6 ? 0.2 : 0.05) * random(),
        clipHigh: high,
        positiveShare: 0.4 + 0.12 * random(),
        clippedLow: 0.02 * random(),
        clippedHigh: 0.03 * random(),
        gradNorm: 1 + random(),
        skipped: false,
        ...zones(samples, clipLow, clipHigh),
      };
    });
    const mean = (of: (update: UpdateDetail) => number) =>
      updates.reduce((sum, update) => sum + of(update), 0) / updates.length;
    const rule = -0.8 * random() * (1 - progress) + 0.15;
    const diagnosis: Diagnosis = { update: iteration * UPDATES, clipLow, clipHigh, samples };
    const row: Row = {
      iteration,
      metrics: {
        iteration,
        'rollout/success_rate': 0.05 + 0.8 * progress ** 2 + 0.05 * random(),
        'rollout/score': 0.05 + 0.8 * progress ** 2,
        'rollout/turns': 18 - 8 * progress,
        'rollout/horizon': 20,
        'policy/entropy': mean(({ entropy }) => entropy),
        'policy/clip_fraction_low': mean(({ clippedLow }) => clippedLow),
        'policy/clip_fraction_high': mean(({ clippedHigh }) => clippedHigh),
        'policy/clip_fraction_dual': 0.002 * random(),
        'policy/clip_low': mean((update) => update.clipLow),
        'policy/clip_high': mean((update) => update.clipHigh),
        'policy/positive_share': mean(({ positiveShare }) => positiveShare),
        'policy/approx_kl': 0.01 + 0.02 * random(),
        'policy/grad_norm': mean(({ gradNorm }) => gradNorm),
        'policy/staleness': 5.2,
        'policy/staleness_max': 23,
        'time/turns_per_second': 4000 + 500 * random(),
        'time/tokens_per_second': 4000 + 500 * random(),
        'progress/turns': 3000 * iteration,
        'time/seconds': iteration,
        ...(iteration % 5 === 0
          ? {
              'diagnostics/entropy_rule': rule,
              'diagnostics/entropy_change': 0.03 * rule + 0.002 * (random() - 0.5),
              'diagnostics/grad_norm_positive': 0.8 + 0.3 * random(),
              'diagnostics/grad_norm_negative': 1.2 + 0.5 * random() - 0.6 * progress,
            }
          : {}),
      },
      details: {
        updates,
        staleness: [
          ...Array.from({ length: 8 }, (_, i): [number, number] => [i, 640]),
          [16, 200],
          [23, 90],
        ],
        ...(iteration % 5 === 0 ? { diagnosis } : {}),
      },
      milliseconds: 800,
    };
    messages.push(stagedRow(row, [stagedEpisode]));
  }
  return messages;
}

/** Ratios of improbable tokens deviate most, in the direction of their advantage. */
function sample(random: () => number, progress: number): TokenSample {
  const probability =
    random() < 0.35 + 0.4 * progress ? 0.6 + 0.39 * random() : 0.02 + 0.3 * random();
  const advantage = random() < 0.45 ? 0.4 + 1.4 * random() : -(0.2 + 0.9 * random());
  const reach = 0.12 + 0.9 * (1 - probability);
  const drift = Math.sign(advantage) * reach * random() ** 2 + 0.1 * (random() - 0.5);
  return {
    logp: Math.log(probability),
    ratio: Math.min(Math.exp(drift), 1 / probability),
    advantage: Number(advantage.toFixed(1)),
    entropy: -Math.log(probability) * (0.4 + 0.8 * random()),
  };
}

type ZoneNumbers = Pick<
  UpdateDetail,
  'positiveCounts' | 'negativeCounts' | 'positivePull' | 'negativePull'
>;

function zones(samples: readonly TokenSample[], low: number, high: number): ZoneNumbers {
  const each = TOKENS / samples.length;
  const of = (sign: 1 | -1, weigh: (sample: TokenSample) => number) => {
    const sum = (inside: (ratio: number) => boolean) =>
      samples
        .filter(({ advantage, ratio }) => Math.sign(advantage) === sign && inside(ratio))
        .reduce((total, token) => total + weigh(token), 0) * each;
    return [
      sum((ratio) => ratio < low),
      sum((ratio) => ratio >= low && ratio <= high),
      sum((ratio) => ratio > high),
    ] as const;
  };
  const pull = ({ advantage, ratio }: TokenSample) =>
    (advantage > 0 && ratio > high) || (advantage < 0 && ratio < low)
      ? 0
      : Math.abs(ratio * advantage);
  const rounded = ([a, b, c]: readonly [number, number, number]) =>
    [Math.round(a), Math.round(b), Math.round(c)] as const;
  return {
    positiveCounts: rounded(of(1, () => 1)),
    negativeCounts: rounded(of(-1, () => 1)),
    positivePull: of(1, pull),
    negativePull: of(-1, pull),
  };
}

/** A run on a mixture of environments, each of which improves at its own rate. */
export function stagedMixture(
  ids: readonly string[],
  iterations: number,
): readonly StagedMessage[] {
  const random = noise(11);
  const messages: StagedMessage[] = [...opening];
  const results = (progress: number, scatter: number): EnvironmentResult[] =>
    ids.map((id, i) => {
      const rate = 0.9 * progress ** (0.6 + 0.7 * i) + scatter * (random() - 0.5);
      const successRate = Math.min(1, Math.max(0, rate));
      return { id, episodes: 32, successRate, score: successRate, turns: 12 - 6 * progress };
    });
  const mean = (all: readonly EnvironmentResult[]) =>
    all.reduce((sum, { successRate }) => sum + successRate, 0) / all.length;
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const progress = 0.2 + (0.5 * iteration) / iterations;
    const environments = results(progress, 0.14);
    const evaluated = results(progress, 0.03);
    const row: Row = {
      iteration,
      metrics: {
        iteration,
        ...(iteration === 1 ? { 'imitation/success_rate': 0.31 } : {}),
        'rollout/success_rate': mean(environments),
        'rollout/score': mean(environments),
        'rollout/turns': 12 - 6 * progress,
        'rollout/horizon': 20,
        'policy/entropy': 2 * (1 - progress) + 0.1,
      },
      details: { updates: [], staleness: [[0, TOKENS]], environments },
      milliseconds: 400,
      ...(iteration % 5 === 0
        ? {
            evaluation: {
              metrics: { 'eval/success_rate': mean(evaluated), 'eval/score': mean(evaluated) },
              environments: evaluated,
            },
          }
        : {}),
    };
    messages.push(stagedRow(row, [stagedEpisode]));
  }
  return messages;
}
