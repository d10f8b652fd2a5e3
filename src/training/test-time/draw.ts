import {
  type Conversation,
  type DrawKey,
  outsideTraining,
  tokensOf,
  type Utterance,
  wordsOf,
} from '../../agents/modes/conversation.ts';
import { debate } from '../../agents/modes/debate.ts';
import type { Criticizable } from '../../agents/modes/prompts.ts';
import { answered, refine } from '../../agents/modes/refine.ts';
import { retry } from '../../agents/modes/retry.ts';
import { agentTokens } from '../../agents/trajectory.ts';
import type { Sample, SampledTask } from '../../algorithms/test-time.ts';
import { AGENT, CRITIC } from '../../runs/checkpoint.ts';
import type { DrawPlan } from '../../runs/test-time.ts';
import type { Hearing } from '../recipes/critique/play.ts';

/** The samples to draw, and their tasks. */
interface DrawRequest {
  readonly plan: DrawPlan;
  readonly tasks: readonly string[];
  /** `outsideTraining` if absent. */
  readonly key?: DrawKey;
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Samples answers to tasks with the current weights. Answers and refinements use the sampling
 * temperatures of the critic's training. Trains nothing.
 *
 * @returns samples of each task, task by task
 * @throws {EnvironmentFault} if the environment fails
 * @throws {ContextOverflowError} if the context cannot hold all answers of a debate
 */
export async function drawSamples(
  hearing: Hearing,
  { plan, tasks, key = outsideTraining, onProgress = () => {} }: DrawRequest,
): Promise<SampledTask[]> {
  const { environment } = hearing;
  const samples = await samplesOf(hearing, { plan, tasks, key, onProgress });
  const { cluster } = environment.holdout;
  return tasks.map((task, t) => ({
    cluster: cluster?.of(task) ?? task,
    samples: samples[t] ?? [],
  }));
}

async function samplesOf(
  { environment, config, actor: answering, critic: criticizing }: Hearing,
  { plan: { how, samples, rounds = 0 }, tasks, key, onProgress }: Required<DrawRequest>,
): Promise<readonly (readonly Sample[])[]> {
  const { answer_temperature, refinement_temperature } = config.critique;
  const players = {
    environment,
    actor: { name: AGENT, agent: { ...answering, temperature: answer_temperature } },
    refiner: { name: AGENT, agent: { ...answering, temperature: refinement_temperature } },
    critic: { name: CRITIC, agent: criticizing },
    ...{ key, onProgress },
  };
  const each = tasks.flatMap((task) => new Array<string>(samples).fill(task));
  /** The last answer of a conversation, with all tokens generated in the conversation. */
  const lastOf = (conversation: Conversation): Sample => {
    const last = answersIn(environment, conversation.utterances).at(-1);
    return { answer: null, right: false, ...last, tokens: tokensOf([conversation]) };
  };
  const grouped = (conversations: readonly Conversation[]) =>
    tasks.map((_, t) => conversations.slice(t * samples, (t + 1) * samples).map(lastOf));
  switch (how) {
    case 'answers':
      return grouped(
        await answered(environment, players.actor, each, { key, onProgress: onProgress }),
      );
    case 'chains':
      return grouped(await refine({ ...players, tasks: each, rounds: 1 }));
    case 'rounds': {
      const chains = await refine({ ...players, tasks, rounds: samples - 1 });
      return chains.map(({ utterances }) => answersIn(environment, utterances));
    }
    case 'retries': {
      const chains = await retry({ ...players, tasks, rounds: samples - 1 });
      return chains.map(({ utterances }) => filledUp(answersIn(environment, utterances), samples));
    }
    case 'debate': {
      const voices = new Array(samples).fill(players.actor);
      // Ties count by their expected value and are never broken at random.
      const polls = await debate({ ...players, voices, tasks, rounds, below: () => 0 });
      return polls.map(({ task, rounds: spoken }) =>
        Array.from({ length: samples }, (_, voice) =>
          lastOf({ task, utterances: spoken.flatMap((round) => round[voice] ?? []) }),
        ),
      );
    }
    default:
      return how satisfies never;
  }
}

/** The answers of a chain, each with the tokens since the previous one. */
function answersIn({ criticism }: Criticizable, utterances: readonly Utterance[]): Sample[] {
  const found: Sample[] = [];
  let tokens = 0;
  for (const utterance of utterances) {
    tokens += agentTokens(utterance.trajectory);
    if (utterance.act === 'critique') continue;
    const answer = criticism.final(wordsOf(utterance));
    found.push({ answer, right: utterance.trajectory.success, tokens });
    tokens = 0;
  }
  // If the last critique has no refinement, its tokens count towards a repetition of the accepted
  // answer.
  const last = found.at(-1);
  if (last !== undefined && tokens > 0) found.push({ ...last, tokens });
  return found;
}

/** Pads a chain to `count` answers: an accepted answer is repeated at no cost. */
function filledUp(answers: readonly Sample[], count: number): Sample[] {
  const last = answers.at(-1);
  const more = Math.max(0, count - answers.length);
  return [
    ...answers.slice(0, count),
    ...(last === undefined ? [] : new Array<Sample>(more).fill({ ...last, tokens: 0 })),
  ];
}
