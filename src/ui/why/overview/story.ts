/** Headline and detail at the top of the page. */

import { type Story, tell } from '../../../diagnosis/story.ts';
import { evidenceOf, type LabState } from '../../shell/lab/store.ts';

/** The story of the run, or what the lab is doing before its first iteration. */
export function storyOf(lab: LabState): Story {
  const { rows, status, phase, config, base, given } = lab;
  if (status === 'failed') {
    const last = rows.at(-1)?.iteration;
    return {
      headline: 'The run stopped with an error.',
      detail:
        last === undefined
          ? 'It stopped before its first iteration.'
          : `Its results up to iteration ${last} are kept below.`,
    };
  }
  const story = tell(evidenceOf(lab), status === 'finished');
  if (story !== null) return story;
  if (phase === 'imitate') {
    return {
      headline: 'Copying an expert (imitation).',
      detail:
        'The agent reads episodes of an expert and makes each of the expert’s tokens more probable.',
    };
  }
  if (phase === 'prefer') {
    return {
      headline: 'Learning from preference pairs.',
      detail:
        'Of two episodes on the same task, the tokens of the better one become more probable relative to the tokens of the worse one.',
    };
  }
  if (status === 'asked') {
    return {
      headline: 'Not started yet.',
      detail:
        base === null
          ? 'This address asks for a large run, contains code or connects to a server. See below.'
          : `Press Start to train an adapter of the pretrained model ${base.name}.`,
    };
  }
  if (status === 'paused') {
    return {
      headline: 'Ready to train.',
      detail: `${given ? 'The agent keeps its weights' : base === null ? 'The weights are random' : 'The adapter is untrained'}. Press Start to train, or Step for a single iteration.`,
    };
  }
  if (base !== null) {
    return {
      headline: `Training starts from the pretrained model ${base.name}.`,
      detail: 'Its weights are frozen; a LoRA adapter learns from its episodes.',
    };
  }
  return {
    headline: given ? 'Training continues an agent.' : 'Training starts from random weights.',
    detail:
      config.imitation.epochs > 0
        ? 'The agent first copies an expert, then learns from its own episodes.'
        : given
          ? 'Its first episodes show what it has learned so far.'
          : 'Every word is about equally likely, so the first episodes are random.',
  };
}
