import type { Agent } from '../../agents/agent.ts';
import { after, askAgent, type DrawKey, outsideTraining } from '../../agents/modes/conversation.ts';
import type { Criticizable } from '../../agents/modes/prompts.ts';
import { refinementWorld, taskOf } from '../../agents/modes/worlds.ts';
import type { Advice, AnswerSource } from '../../envs/criticism.ts';
import type { CritiqueItem } from '../../runs/critique-item.ts';
import type { RandomStream } from '../random.ts';
import { annotate } from './annotate.ts';
import { makeAnswers } from './answers.ts';
import { deckByLevel } from './tasks.ts';

/** Settings of a collection of critiques. */
export interface CollectionSettings {
  readonly count: number;
  /** Share of correct answers, if the actor gives enough of both kinds. */
  readonly rightShare: number;
  /** Constructions of answers, each equally likely. */
  readonly sources: readonly AnswerSource[];
  /** Temperature of the actor, in answers and in the filter's refinements. */
  readonly temperature: number;
  /** Temperature of the continuation after greedy steps. */
  readonly hotTemperature: number;
  readonly advice: Advice;
  /** Share of critiques in which the annotator errs. */
  readonly errorRate: number;
  /** Keeps a critique only if enough of its refinements are correct; null keeps all. */
  readonly filter: MonteCarloFilter | null;
  /** Whether duplicate answers to a task are dropped. */
  readonly distinct: boolean;
  /** Maximum number of requested answers, as a multiple of `count`. */
  readonly effort: number;
}

/**
 * The actor refines its answer N times after each critique; at least k refinements must be correct
 * (arXiv:2411.16579, §3.1).
 */
interface MonteCarloFilter {
  readonly refinements: number;
  readonly right: number;
}

/** Counts of the requested answers by outcome. */
interface CollectionCounts {
  asked: number;
  duplicates: number;
  /**
   * Correct answers whose errors cancel out; a critique would have to call them both correct and
   * wrong.
   */
  cancelled: number;
  /** Dropped by the filter, per level, starting with level 1. */
  readonly filtered: number[];
  /** Not needed, because there were already enough answers of their kind. */
  surplus: number;
}

export interface Collection {
  readonly items: readonly CritiqueItem[];
  readonly counts: Readonly<CollectionCounts>;
}

/** Maximum number of answers requested at once. */
const AT_ONCE = 8192;

/**
 * Collects the annotator's critiques of an actor's answers to training tasks, which cover all levels
 * equally often (AutoMathCritique, arXiv:2411.16579, §3.1). Deterministic given actor, settings and
 * stream.
 *
 * @throws {EnvironmentFault} if the environment fails
 */
export async function collectCritiques(
  settings: CollectionSettings,
  environment: Criticizable,
  actor: Agent,
  stream: RandomStream,
  onProgress: (fraction: number) => void = () => {},
): Promise<Collection> {
  const { count, rightShare, sources, effort } = settings;
  const rights = Math.round(count * rightShare);
  const wanted = { right: rights, wrong: count - rights };
  const found = { right: [] as CritiqueItem[], wrong: [] as CritiqueItem[] };
  const counts: CollectionCounts = {
    ...{ asked: 0, duplicates: 0, cancelled: 0, surplus: 0 },
    filtered: new Array<number>(environment.criticism.levels).fill(0),
  };
  const seen = new Set<string>();
  const deck = deckByLevel(environment, environment.trainTasks, stream);
  const maker = { environment, actor, stream, ...settings };
  let key = outsideTraining;
  while (counts.asked < effort * count) {
    const next = Math.min(count, AT_ONCE, stillToAsk(wanted, found, counts.asked));
    if (next === 0) break;
    const tasks = deck.deal(next);
    const asked = tasks.map((task) => ({ task, source: drawn(sources, stream) }));
    // How many of these answers will be kept is unknown, so they count for at most half of the
    // remaining progress.
    const done = Math.min(1, (found.right.length + found.wrong.length) / count);
    const onAnswered = (share: number) => onProgress(done + (share * (1 - done)) / 2);
    const answers = await makeAnswers(maker, asked, key, onAnswered);
    key = after(key, tasks.length);
    counts.asked += tasks.length;
    const criticized: CritiqueItem[] = [];
    for (const { task, answer, source, from } of answers) {
      const { criticism } = environment;
      const { right, firstWrong: step, steps } = criticism.judge(task, answer);
      const identity = `${task}\n${answer}`;
      if (settings.distinct && seen.has(identity)) {
        counts.duplicates++;
        continue;
      }
      seen.add(identity);
      if (right && step !== null) {
        counts.cancelled++;
        continue;
      }
      const fault = step === null ? null : (steps[step]?.fault ?? null);
      const annotation = annotate(criticism, { task, answer }, settings, stream);
      criticized.push({
        ...{ task, level: criticism.level(task) },
        question: environment.reset(task).observation,
        ...{ answer, right, step, fault, source, from, ...annotation, filter: null },
      });
    }
    for (const item of await filtered(settings, environment, actor, criticized, key, counts, () =>
      onAnswered(1),
    )) {
      found[item.right ? 'right' : 'wrong'].push(item);
    }
    key = after(key, criticized.length * (settings.filter?.refinements ?? 0));
  }
  onProgress(1);
  // If there are too few of one kind, the other kind makes up the difference.
  const right = found.right.slice(0, Math.max(wanted.right, count - found.wrong.length));
  const wrong = found.wrong.slice(0, count - right.length);
  counts.surplus = found.right.length + found.wrong.length - right.length - wrong.length;
  return { items: [...right, ...wrong], counts };
}

type ByKind<T> = Readonly<Record<'right' | 'wrong', T>>;

/** Estimate of the number of answers still needed, from the yield so far. */
function stillToAsk(
  wanted: ByKind<number>,
  found: ByKind<readonly CritiqueItem[]>,
  asked: number,
): number {
  const needed = (['right', 'wrong'] as const).map((kind) => {
    const missing = Math.max(0, wanted[kind] - found[kind].length);
    return Math.ceil((missing * asked) / Math.max(1, found[kind].length));
  });
  return asked === 0 ? wanted.right + wanted.wrong : Math.max(...needed);
}

/** Picks a random item; a single item needs no draw. */
function drawn<Item>(items: readonly Item[], stream: RandomStream): Item {
  const item = items[items.length > 1 ? stream.below(items.length) : 0];
  if (item === undefined)
    throw new RangeError('collecting critiques needs at least one construction');
  return item;
}

/** The critiques that help the actor often enough, with counts of the others. */
async function filtered(
  { filter, temperature }: CollectionSettings,
  environment: Criticizable,
  actor: Agent,
  items: readonly CritiqueItem[],
  key: DrawKey,
  counts: CollectionCounts,
  onProgress: () => void,
): Promise<readonly CritiqueItem[]> {
  if (filter === null) return items;
  const { refinements: of, right: least } = filter;
  const refined = await askAgent(
    { ...actor, temperature },
    refinementWorld(environment),
    items.flatMap(({ task, answer, critique }) =>
      new Array<string>(of).fill(taskOf({ task, answer, critique })),
    ),
    key,
    onProgress,
  );
  return items.flatMap((item, i) => {
    const right = refined.slice(i * of, (i + 1) * of).filter(({ success }) => success).length;
    if (right >= least) return { ...item, filter: { right, of } };
    counts.filtered[item.level - 1] = (counts.filtered[item.level - 1] ?? 0) + 1;
    return [];
  });
}
