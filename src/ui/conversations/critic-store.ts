/** The answer that the visitor criticises, and what the actor makes of it. */

import { create } from 'zustand';
import type { WeighedCritique } from '../../lab/protocol.ts';
import type { EnvironmentRef } from '../../runs/episode.ts';
import { AgentGoneError, answerTask, weighCritique } from '../lab/questions.ts';
import { useLab } from '../lab/store.ts';
import { type Draft, emptyDraft, written } from './draft.ts';
import { criticisableOf } from './reading.ts';
import { showView } from './store.ts';

/** An answer to criticise. */
export interface Criticised {
  readonly environment: EnvironmentRef;
  readonly task: string;
  readonly answer: string;
}

export interface CriticState {
  readonly about: Criticised | null;
  readonly draft: Draft;
  /** What is asked of the run now. */
  readonly asking: 'answer' | 'weigh' | null;
  /** Null until the visitor's critique has been weighed. */
  readonly weighed: readonly WeighedCritique[] | null;
  /** One sentence on what could not be had. */
  readonly problem: string | null;
}

const untouched = { draft: emptyDraft, weighed: null, problem: null } as const;

export const useCritic = create<CriticState>()(() => ({
  ...{ about: null, asking: null },
  ...untouched,
}));

/** Puts an answer before the visitor. */
export function criticise(about: Criticised): void {
  useCritic.setState({ about, ...untouched });
  showView('critic');
}

export function setDraft(draft: Draft): void {
  useCritic.setState({ draft, problem: null });
}

/** Criticises the same answer once more. */
export function tryAgain(): void {
  useCritic.setState({ ...untouched });
}

/** Has the actor, as it is now, answer a task that it was never trained on. */
export async function askForAnswer(level: number | null): Promise<void> {
  const { id, options } = useLab.getState().config.env;
  const environment = { id, options };
  const world = criticisableOf(environment);
  if (world === null) return;
  const tasks = world.evalTasks.filter(
    (task) => level === null || world.criticism.level(task) === level,
  );
  const task = tasks[Math.floor(Math.random() * tasks.length)];
  if (task === undefined) return;
  await asking('answer', async () => {
    const answer = await answerTask(task, Math.floor(Math.random() * 2 ** 31));
    useCritic.setState({ about: { environment, task, answer }, ...untouched });
  });
}

/** Has the visitor's critique weighed, or says what it lacks. */
export async function weigh(): Promise<void> {
  const { about, draft } = useCritic.getState();
  const world = about === null ? null : criticisableOf(about.environment);
  if (about === null || world === null) return;
  const { advice } = useLab.getState().config.critique;
  const said = written(world.criticism, about, draft, advice);
  if ('problem' in said) {
    useCritic.setState({ problem: said.problem });
    return;
  }
  const { task, answer } = about;
  await asking('weigh', async () => {
    const weighed = await weighCritique({ task, answer, critique: said.critique });
    if (useCritic.getState().about === about) useCritic.setState({ weighed });
  });
}

async function asking(what: 'answer' | 'weigh', ask: () => Promise<void>): Promise<void> {
  useCritic.setState({ asking: what, problem: null });
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof AgentGoneError)) throw error;
    useCritic.setState({ problem: error.message });
  } finally {
    useCritic.setState({ asking: null });
  }
}
