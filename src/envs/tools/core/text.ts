/** The fixed texts of observations, the instruction, and all lexemes. */

import { callHead, failures, firstParameters } from './call.ts';
import { type Json, keyLexemes, print } from './json.ts';
import type { Kit } from './kit.ts';
import { phrasesOf } from './pattern.ts';
import { answerParameter, callText, type Parameters, type Tool } from './tool.ts';

const START = 'Now new trial starts. You should perform actions to accomplish the goal:';
const OBSERVATION = 'Observation:';
const NEXT = 'Give me one action.';
export const NO_TURNS_LEFT = 'No turns are left.';
export const REACHED = 'The goal is reached.';
export const MISSED = 'The goal is not reached.';

export const FINISH = 'finish';
export const LIST_TOOLS = 'check_valid_actions';

/** A tool's name and parameters, independent of its database. */
type Signature = Pick<Tool<never>, 'name' | 'parameters' | 'description'>;

const LIST: Signature = { name: LIST_TOOLS, parameters: {}, description: 'lists the tools' };

const FINISH_WITH_ANSWER: Signature = {
  name: FINISH,
  parameters: { answer: answerParameter } satisfies Parameters,
  description: 'ends the task with the answer',
};

const FINISH_ALONE: Signature = { name: FINISH, parameters: {}, description: 'ends the task' };

/** The tools of a kit and the tools common to all kits, by name. */
export function signaturesOf<World extends Json>({
  tools,
  answers,
}: Kit<World>): ReadonlyMap<string, Signature> {
  const finish = answers === null ? FINISH_ALONE : FINISH_WITH_ANSWER;
  return new Map([...tools, LIST, finish].map((signature) => [signature.name, signature]));
}

export function firstObservation(goal: string): string {
  return `${START} ${goal} ${NEXT}`;
}

/** The observation after a turn; `next` says whether another turn follows. */
export function observation(reply: string, next: boolean): string {
  return `${OBSERVATION} ${reply} ${next ? NEXT : NO_TURNS_LEFT}`;
}

/** The observation after the last call. */
export function ending(reached: boolean): string {
  return `${OBSERVATION} ${reached ? REACHED : MISSED}`;
}

/** The first message of an exported trajectory. */
export function instructionOf<World extends Json>(kit: Kit<World>): string {
  const tools = [...signaturesOf(kit).values()].map(
    ({ name, description, parameters }) =>
      `${name}(${Object.entries(parameters)
        .map(
          ([parameter, { type, description: what, optional }]) =>
            `${parameter}: ${what}, ${type}${optional ? ', may be left out' : ''}`,
        )
        .join('; ')}): ${description}.`,
  );
  const [example] = kit.tools.flatMap((tool) => (hasParameters(tool) ? [] : [tool.name]));
  return `You ${kit.role}. You call tools, one each turn:
${tools.join('\n')}
Write a call as the tool's name, with Action Input: and an object of JSON, for example
${callText({ tool: example ?? LIST_TOOLS, args: {} })}
The reply comes with the next observation. The task ends when you call ${FINISH}: ${kit.answers === null ? WANTED : ANSWERED} You have ${kit.turnLimit} turns.`;
}

const WANTED = 'everything must be as the goal wants it.';
const ANSWERED =
  'the answer must be right and everything must be as the goal wants it. Where the goal asks for nothing to be told, the answer is "done".';

const hasParameters = ({ parameters }: Signature) => Object.keys(parameters).length > 0;

/** All lexemes of observations and calls. */
export function lexiconOf<World extends Json>(kit: Kit<World>): readonly string[] {
  const signatures = [...signaturesOf(kit).values()];
  return [
    ...new Set([
      ...[START, OBSERVATION, NEXT, NO_TURNS_LEFT, REACHED, MISSED],
      ...['{', '}', '[', ']', ',', '.'],
      ...signatures.flatMap((one) => firstParameters(one).map((first) => callHead(one, first))),
      ...signatures.flatMap(({ parameters }) => keyLexemes(Object.keys(parameters)).slice(1)),
      ...kit.replies.flatMap(keyLexemes),
      ...kit.templates.flatMap(({ goal }) => phrasesOf(goal)),
      ...kit.values.map(print),
      ...(kit.answers ?? []).map(print),
      ...kit.errors,
      ...Object.values(failures).flatMap(phrasesOf),
      // For the reply that lists the tools, and for failures that name a parameter.
      ...signatures.flatMap(({ name, parameters }) =>
        [name, ...Object.keys(parameters)].map(print),
      ),
    ]),
  ];
}

/** Lexemes of thoughts only. */
export function thoughtLexiconOf<World extends Json>(kit: Kit<World>): readonly string[] {
  const known = new Set(lexiconOf(kit));
  return [...new Set(kit.thoughts.flatMap(phrasesOf))].filter((phrase) => !known.has(phrase));
}
