import { majority } from '../../algorithms/majority.ts';
import {
  after,
  askAgent,
  type DrawKey,
  type Speaker,
  type Utterance,
  wordsOf,
} from './conversation.ts';
import type { Criticizable } from './prompts.ts';
import { debateWorld, taskOf } from './worlds.ts';

/** Several answers to a task, and their majority. */
interface Poll {
  readonly task: string;
  /** By round and voice. The majority is taken over the last round. */
  readonly rounds: readonly (readonly Utterance[])[];
  /** Null if no answer has a result. */
  readonly majority: string | null;
  /** Whether the majority is correct. */
  readonly right: boolean;
}

interface DebateRequest {
  readonly environment: Criticizable;
  /** The participants: several agents, or one sampling agent several times. */
  readonly voices: readonly Speaker[];
  readonly tasks: readonly string[];
  /**
   * Number of rounds in which each voice reads the others' answers and answers again; 0 is a plain
   * majority vote.
   */
  readonly rounds: number;
  readonly key: DrawKey;
  /** Breaks ties: draws an integer from 0 to n − 1. */
  readonly below: (n: number) => number;
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Several voices answer, read each other's answers, answer again, and vote (arXiv:2305.14325).
 * @throws {EnvironmentFault} if the environment throws
 * @throws {RangeError} without a voice
 */
export async function debate(request: DebateRequest): Promise<Poll[]> {
  const { environment, voices, tasks, rounds, below, onProgress = () => {} } = request;
  const { criticism } = environment;
  if (voices.length === 0) throw new RangeError('a debate needs at least one voice');
  const acts = (1 + rounds) * voices.length;
  let [done, key] = [0, request.key];
  const speak = async (
    { name, agent }: Speaker,
    act: Utterance['act'],
    world: Parameters<typeof askAgent>[1],
    about: readonly string[],
  ): Promise<Utterance[]> => {
    const trajectories = await askAgent(agent, world, about, key, (fraction) =>
      onProgress((done + fraction) / acts),
    );
    done++;
    key = after(key, about.length);
    return trajectories.map((trajectory) => ({ author: name, act, trajectory }));
  };

  // (rounds, voices, tasks)
  const spoken: Utterance[][][] = [];
  for (let round = 0; round <= rounds; round++) {
    const before = spoken[round - 1];
    const now: Utterance[][] = [];
    for (const [v, voice] of voices.entries()) {
      const world = before === undefined ? environment : debateWorld(environment);
      const about = tasks.map((task, t) =>
        before === undefined ? task : taskOf(debated(task, v, answersTo(before, t))),
      );
      now.push(await speak(voice, before === undefined ? 'answer' : 'refinement', world, about));
    }
    spoken.push(now);
  }
  return tasks.map((task, t) => {
    const rounds = spoken.map((byVoice) => byVoice.flatMap((own) => own[t] ?? []));
    const votes = (rounds.at(-1) ?? []).map((utterance) => ({
      answer: criticism.final(wordsOf(utterance)),
      right: utterance.trajectory.success,
    }));
    const chosen = majority(
      votes.map(({ answer }) => answer),
      below,
    );
    const right = votes.some((vote) => vote.answer === chosen && vote.right);
    return { task, rounds, majority: chosen, right: chosen !== null && right };
  });
}

/** The voices' answers to a task. */
function answersTo(round: readonly (readonly Utterance[])[], task: number): readonly string[] {
  return round.map((own) => {
    const utterance = own[task];
    return utterance === undefined ? '' : wordsOf(utterance);
  });
}

function debated(task: string, voice: number, answers: readonly string[]) {
  const others = answers.filter((_, v) => v !== voice);
  return { task, answer: answers[voice] ?? '', others };
}
