/** The answer that the user critiques, and the actor's refinement after it. */

import { create } from 'zustand';
import type { EnvironmentSettings } from '../../../envs/registry.ts';
import type { Refinement } from '../../../lab/questions.ts';
import { ask, QuestionRefusedError } from '../../shell/lab/questions.ts';
import { useLab } from '../../shell/lab/store.ts';
import { type Draft, emptyDraft, written } from './draft.ts';
import { criticizableOf } from './reading.ts';
import { showView } from './store.ts';

/** An answer to critique. */
export interface Criticized {
  readonly environment: EnvironmentSettings;
  readonly task: string;
  readonly answer: string;
}

export interface CriticState {
  readonly about: Criticized | null;
  readonly draft: Draft;
  /** The pending request to the run. */
  readonly asking: 'answer' | 'weigh' | null;
  /** Null until the user's critique has been evaluated. */
  readonly weighed: readonly Refinement[] | null;
  /** One sentence on a request that failed. */
  readonly problem: string | null;
}

const untouched = { draft: emptyDraft, weighed: null, problem: null } as const;

export const useCritic = create<CriticState>()(() => ({
  ...{ about: null, asking: null },
  ...untouched,
}));

// The next run may have other tasks.
useLab.subscribe((lab, before) => {
  if (lab.runId !== before.runId) useCritic.setState({ about: null, ...untouched });
});

/** Presents an answer to the user. */
export function criticize(about: Criticized): void {
  useCritic.setState({ about, ...untouched });
  showView('critic');
}

export function setDraft(draft: Draft): void {
  useCritic.setState({ draft, problem: null });
}

/** Clears the critique, so that the user can critique the same answer again. */
export function tryAgain(): void {
  useCritic.setState({ ...untouched });
}

/** Lets the current actor answer an evaluation task. */
export async function askForAnswer(level: number | null): Promise<void> {
  const environment = useLab.getState().config.env;
  const world = criticizableOf(environment);
  if (world === null) return;
  const tasks = world.evalTasks.filter(
    (task) => level === null || world.criticism.level(task) === level,
  );
  const task = tasks[Math.floor(Math.random() * tasks.length)];
  if (task === undefined) return;
  const { about } = useCritic.getState();
  await asking('answer', async () => {
    const answer = await ask('answer-task', { task, draw: Math.floor(Math.random() * 2 ** 31) });
    // The user may have chosen another answer in the meantime.
    if (useCritic.getState().about !== about) return;
    useCritic.setState({ about: { environment, task, answer }, ...untouched });
  });
}

/** Evaluates the user's critique, or says what is missing. */
export async function weigh(): Promise<void> {
  const { about, draft } = useCritic.getState();
  const world = about === null ? null : criticizableOf(about.environment);
  if (about === null || world === null) return;
  const { advice } = useLab.getState().config.critique;
  const draftText = written(world.criticism, about, draft, advice);
  if ('problem' in draftText) {
    useCritic.setState({ problem: draftText.problem });
    return;
  }
  const { task, answer } = about;
  await asking('weigh', async () => {
    const weighed = await ask('compare-critiques', { task, answer, critique: draftText.critique });
    if (useCritic.getState().about === about) useCritic.setState({ weighed });
  });
}

async function asking(what: 'answer' | 'weigh', question: () => Promise<void>): Promise<void> {
  useCritic.setState({ asking: what, problem: null });
  try {
    await question();
  } catch (error) {
    if (!(error instanceof QuestionRefusedError)) throw error;
    useCritic.setState({ problem: error.message });
  } finally {
    useCritic.setState({ asking: null });
  }
}
