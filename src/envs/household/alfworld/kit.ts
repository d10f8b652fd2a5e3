import type { Kit } from '../core/kit.ts';
import { Grammar } from '../core/verbs.ts';
import { alfworldId } from '../options.ts';
import { ALFWORLD_THOUGHTS, advise } from './expert.ts';
import { furnish } from './furnish.ts';
import { ALFWORLD_GOALS } from './goals.ts';
import { ALFWORLD_LEXICON, availableText, NOT_UNDERSTOOD, roomText, taskText } from './text.ts';
import { alfworldVerbs } from './verbs.ts';
import { type AlfworldGoal, type AlfworldNow, type AlfworldTask, isSolved } from './world.ts';

/** Turn limit of the original's engine. */
const TURN_LIMIT = 50;

const grammar = new Grammar(alfworldVerbs);

/** @param listed whether observations end with the available actions */
export function alfworld(listed: boolean): Kit<AlfworldGoal, AlfworldTask, null> {
  const withActions = (now: AlfworldNow, text: string) =>
    listed ? `${text} ${availableText(grammar.possible(now))}` : text;
  return {
    id: alfworldId,
    name: 'alfworld',
    turnLimit: TURN_LIMIT,
    mostTurns: 24,
    role: 'You are in a room of a house and have a task there. The first observation lists the furniture and appliances; what lies in or on them you see when you stand there, and where they are shut when you have opened them. You carry one thing at a time.',
    remarks:
      'Names are a word and a number, such as mug 1. Where an action is not possible, nothing happens. An appliance can be used shut. To look at a thing under a lamp, hold it where the lamp stands, and turn the lamp on.',
    known:
      'each thing and place is known from other goals, but this combination is new. The kinds of goals are the same as in training.',
    verbs: alfworldVerbs,
    lexicon: ALFWORLD_LEXICON,
    thoughts: ALFWORLD_THOUGHTS,
    goals: (rung) => ALFWORLD_GOALS[rung],
    furnish,
    firstObservation: (now) => withActions(now, `${roomText(now)} ${taskText(now.task)}`),
    notUnderstood: NOT_UNDERSTOOD,
    observation: withActions,
    ending: (_now, answer) => answer,
    settle: () => ({}),
    score: (now) => (isSolved(now) ? 1 : 0),
    success: isSolved,
    lost: () => false,
    expert: advise,
  };
}
