/** Derives an episode from its task and the agent's texts. */

import { remembered } from '../../numbered-tasks.ts';
import { readEpisodes, type TranscriptState } from '../../said-texts.ts';
import { type Failure, failures, MAX_ACTION_LENGTH, readCall } from './call.ts';
import { type Json, print, type Scalar, scalarsOf } from './json.ts';
import { sameAnswer } from './judge.ts';
import type { Kit, Rung } from './kit.ts';
import { fill } from './pattern.ts';
import { drawTask, isAlike, type Task } from './tasks.ts';
import { FINISH, LIST_TOOLS, signaturesOf } from './text.ts';
import { type Answer, answerParameter, type Call, callText } from './tool.ts';

export type ToolsState = TranscriptState;

/** A text of the agent and its result. */
export interface Turn<World extends Json> {
  readonly text: string;
  /** Null if the text was not understood. */
  readonly call: Call | null;
  /** The reply as text; empty for `finish`. */
  readonly reply: string;
  /** The tool's reply; null for an error and for a text that was not understood. */
  readonly value: Json | null;
  /** The database after the call. */
  readonly world: World;
}

export type Ending = 'reached' | 'missed' | 'out of turns';

export interface Episode<World extends Json> {
  readonly task: Task<World>;
  readonly turns: readonly Turn<World>[];
  readonly world: World;
  /** Texts of the successful calls, and whether each changed the database. */
  readonly made: ReadonlyMap<string, boolean>;
  /** Texts, numbers and booleans in the goal and the replies. */
  readonly seen: ReadonlySet<Scalar>;
  /** Null while the episode continues. */
  readonly end: Ending | null;
}

/** Derives the episodes of a kit. */
export interface Desk<World extends Json> {
  readonly kit: Kit<World>;
  /** Throws a RangeError for a number without a task. */
  taskOf(n: number): Task<World>;
  read(state: ToolsState): Episode<World>;
  /** Whether the relevant part of the database is as the goal requires. */
  isAsWanted(task: Task<World>, world: World): boolean;
  /** The state after a text. */
  said(state: ToolsState, text: string): ToolsState;
}

/** Characters kept of a text: one more than the limit, so that a longer text is recognized. */
export const MOST_SAID = MAX_ACTION_LENGTH + 1;

export function openDesk<World extends Json>(kit: Kit<World>, rungs: readonly Rung[]): Desk<World> {
  const signatures = signaturesOf(kit);
  const tools = new Map(kit.tools.map((tool) => [tool.name, tool]));
  const toolNames = [...signatures.keys()];

  const taskOf = remembered(kit.id, (n) => drawTask(kit, rungs, n));

  const turnOf = (world: World, said: string): Turn<World> => {
    const call = readCall(said, signatures);
    if ('failure' in call)
      return { text: said, call: null, reply: failureText(call), value: null, world };
    if (call.tool === LIST_TOOLS) {
      return { text: said, call, reply: print(toolNames), value: toolNames, world };
    }
    const result = tools.get(call.tool)?.run(world, call.args);
    if (result === undefined) return { text: said, call, reply: '', value: null, world };
    if ('error' in result) return { text: said, call, reply: result.error, value: null, world };
    const { reply, world: after = world } = result;
    return { text: said, call, reply: print(reply), value: reply, world: after };
  };

  const isAsWanted = (task: Task<World>, world: World): boolean => isAlike(kit, world, task.wanted);

  const endOf = (task: Task<World>, { call, world }: Turn<World>, turns: number): Ending | null => {
    if (call?.tool === FINISH) {
      const right = isAnswer(task.answer, call.args.answer) && isAsWanted(task, world);
      return right ? 'reached' : 'missed';
    }
    return turns >= kit.turnLimit ? 'out of turns' : null;
  };

  const next = (episode: Episode<World>, said: string): Episode<World> => {
    const turn = turnOf(episode.world, said);
    const turns = [...episode.turns, turn];
    const { call, value, world } = turn;
    return {
      task: episode.task,
      turns,
      world,
      made: call === null || value === null ? episode.made : withCall(episode, call, world),
      seen: value === null ? episode.seen : withAll(episode.seen, scalarsOf(value)),
      end: endOf(episode.task, turn, turns.length),
    };
  };

  const begun = (n: number): Episode<World> => {
    const task = taskOf(n);
    const seen = new Set(Object.values(task.fillings));
    return { task, turns: [], world: task.world, made: new Map(), seen, end: null };
  };

  return { kit, taskOf, isAsWanted, ...readEpisodes(begun, next, MOST_SAID) };
}

/** Whether the answer is correct; always true if nothing is asked. */
function isAnswer(wanted: Answer | null, given: Json | undefined): boolean {
  if (wanted === null) return true;
  return given !== undefined && answerParameter.accepts(given) && sameAnswer(given, wanted);
}

function withCall<World extends Json>(
  { made, world }: Episode<World>,
  call: Call,
  after: World,
): ReadonlyMap<string, boolean> {
  const text = callText(call);
  return new Map(made).set(text, made.get(text) === true || after !== world);
}

function withAll<T>(set: ReadonlySet<T>, more: readonly T[]): ReadonlySet<T> {
  const all = new Set(set);
  for (const item of more) all.add(item);
  return all;
}

function failureText({ failure, parameter = '' }: Failure): string {
  return fill(failures[failure], { parameter });
}
