import '../inspector/inspector.css';
import './step-through.css';
import './pictures.css';
import { Button, Modal } from '@mantine/core';
import { IconPlayerTrackNextFilled } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { recipeTraits } from '../../../config/recipes.ts';
import type { StepPhase } from '../../../runs/phase-facts.ts';
import { resetRun } from '../../shell/lab/commands.ts';
import {
  closeStepThrough,
  finishIteration,
  nextPhase,
  showPhase,
  useStepThrough,
} from '../../shell/lab/step-through.ts';
import { type LabStatus, type ShownStep, useLab } from '../../shell/lab/store.ts';
import { ErrorNotice } from '../../shell/notices/notices.tsx';
import {
  AnswerFacts,
  CriticizeFacts,
  CritiqueAdvantages,
  RefineFacts,
  RewardFacts,
} from './conversations.tsx';
import { Ending } from './ending.tsx';
import { AdvantagesFacts, RolloutFacts, ScoreFacts } from './facts.tsx';
import { TokenLife } from './life.tsx';
import { useFollowedToken } from './parts.tsx';
import { ExploreFacts, LearnFacts, SiftFacts } from './rounds.tsx';
import { LossFacts, UpdateFacts } from './update-facts.tsx';

const phaseTitles: Readonly<Record<StepPhase, string>> = {
  rollout: 'Roll out',
  score: 'Score',
  advantages: 'Advantages',
  loss: 'Loss',
  update: 'Update',
  explore: 'Explore',
  sift: 'Keep or drop',
  learn: 'Learn',
  answer: 'Answer',
  criticize: 'Critique',
  refine: 'Refine',
  reward: 'Reward',
};

const phaseLines: Readonly<Record<StepPhase, string>> = {
  rollout: 'The agent plays its tasks, several times each.',
  score: 'Each episode gets its reward.',
  advantages: 'Was an action better than expected?',
  loss: 'Which tokens should become more probable, and by how much.',
  update: 'The optimizer updates the weights.',
  explore: 'The agent explores tasks without demonstrations.',
  sift: 'Rewarded episodes are kept, the others dropped.',
  learn: 'It trains on its successes and the expert’s dialogues.',
  answer: 'The actor answers questions.',
  criticize: 'The critic says which step is wrong.',
  refine: 'The actor answers again.',
  reward: 'How good was each critique?',
};

/** One iteration, phase by phase, with its actual numbers. */
export function StepThrough() {
  const open = useStepThrough((state) => state.open);
  const step = useLab((lab) => lab.step);
  const iteration = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  if (!open) return null;
  const shown = step === null || step.over ? iteration + (step === null ? 1 : 0) : step.iteration;
  return (
    <Modal
      opened
      onClose={closeStepThrough}
      fullScreen
      transitionProps={{ duration: 0 }}
      closeButtonProps={{ 'aria-label': 'Close the step-through' }}
      title={
        <span className="inspector-title">
          Iteration {shown}, phase by phase
          <small>Every iteration goes through these phases.</small>
        </span>
      }
      classNames={{ content: 'inspector', body: 'step-body', header: 'inspector-header' }}
    >
      <Walk step={step} />
    </Modal>
  );
}

function Walk({ step }: { readonly step: ShownStep | null }) {
  const wanted = useStepThrough((state) => state.phase);
  const recipe = useLab((lab) => lab.config.recipe);
  const ended = wanted === null && step?.over === true;
  const shown = ended ? null : (wanted ?? step?.phase ?? null);
  return (
    <>
      <nav className="step-nav" aria-label="Phases">
        <ol>
          {recipeTraits[recipe].phases.map((phase, place) => (
            <Phase key={phase} phase={phase} place={place} step={step} shown={phase === shown} />
          ))}
        </ol>
        <Controls step={step} />
      </nav>
      <p className="visually-hidden" role="status">
        {ended
          ? `Iteration ${step.iteration} is finished`
          : shown === null
            ? ''
            : phaseName(shown, step)}
      </p>
      <section className="panel step-facts" data-testid="step-facts">
        <ErrorNotice />
        {step === null ? (
          <Before />
        ) : shown === null ? (
          <>
            <TokenLife step={step} />
            <Ending step={step} />
          </>
        ) : (
          <>
            <TokenLife step={step} />
            <Facts step={step} phase={shown} />
          </>
        )}
      </section>
    </>
  );
}

/** The title of a phase; an update also has its number. */
function phaseName(phase: StepPhase, step: ShownStep | null): string {
  const facts = step?.facts[phase];
  const count = facts !== undefined && 'index' in facts ? ` ${facts.index} of ${facts.of}` : '';
  return `${phaseTitles[phase]}${count}`;
}

interface PhaseProps {
  readonly phase: StepPhase;
  readonly place: number;
  readonly step: ShownStep | null;
  readonly shown: boolean;
}

function Phase({ phase, place, step, shown }: PhaseProps) {
  const facts = step?.facts[phase];
  const newest = step?.phase === phase && !step.over;
  return (
    <li className={`step-phase${shown ? ' step-shown' : ''}${newest ? ' step-newest' : ''}`}>
      <button
        type="button"
        disabled={facts === undefined}
        aria-current={shown ? 'step' : undefined}
        onClick={() => showPhase(phase)}
      >
        <span className="step-number" aria-hidden>
          {place + 1}
        </span>
        <span>
          <b>{phaseName(phase, step)}</b>
          <small>{phaseLines[phase]}</small>
        </span>
      </button>
    </li>
  );
}

/** What the run waits for, unless it is ready for the next phase. */
const notes: Readonly<Partial<Record<LabStatus, string>>> = {
  asked: 'This run has not started. It will wait before the first iteration.',
  finished:
    'This run is finished. Restarting resets the weights and waits before the first iteration.',
  failed:
    'This run has failed. Restarting resets the weights and waits before the first iteration.',
  stopped:
    'This run has stopped. Restarting resets the weights and waits before the first iteration.',
};

/** Starts or restarts the run. If it needs a permission, the page asks for it, so the dialog closes. */
function restart(): void {
  resetRun();
  if (useLab.getState().status === 'asked') closeStepThrough();
}

/** Available actions. */
function Controls({ step }: { readonly step: ShownStep | null }) {
  const status = useLab((lab) => lab.status);
  const pausing = useLab((lab) => lab.pausing);
  const iteration = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const button = useRef<HTMLButtonElement>(null);
  const ready = status === 'paused' && !pausing;
  const within = step !== null && !step.over;
  const { loss, update } = step?.facts ?? {};
  const place = update ?? loss;
  const recipe = useLab((lab) => lab.config.recipe);
  const phases: readonly StepPhase[] = recipeTraits[recipe].phases;
  const end = phases.at(-1);
  const more = within && end === 'update' && (place === undefined || place.index < place.of);
  const last = within && !more && step.phase === end;
  const followed = useFollowedToken(step?.facts.rollout ?? alone);
  // Skips updates whose mini-batch does not contain the followed token.
  const stop = step?.phase === 'advantages' && step.facts.rollout ? followed : 'next';
  const note = notes[status];
  const over = note !== undefined;
  const computing = !ready && !over;
  /** The pressed button is disabled or removed while the phase is computed, so the main one gets the focus. */
  const skip = (action: () => void) => () => {
    button.current?.focus();
    action();
  };
  return (
    <div className="step-controls">
      <Button
        ref={button}
        size="sm"
        variant="filled"
        data-autofocus
        data-testid="step-next"
        // Not `disabled`, which would drop the keyboard focus at every phase.
        aria-disabled={computing}
        data-disabled={computing}
        leftSection={over ? null : <IconPlayerTrackNextFilled size={15} />}
        onClick={() => {
          if (over) restart();
          else if (ready) last ? finishIteration() : nextPhase(stop);
        }}
      >
        {status === 'asked'
          ? 'Start'
          : over
            ? 'Restart'
            : !within
              ? `Start iteration ${iteration + 1}`
              : last
                ? 'Finish the iteration'
                : 'Next phase'}
      </Button>
      {more && !over ? (
        <>
          <Button size="compact-sm" disabled={!ready} onClick={skip(() => nextPhase('last-loss'))}>
            To the last update
          </Button>
          <Button size="compact-sm" disabled={!ready} onClick={skip(finishIteration)}>
            Finish the iteration
          </Button>
        </>
      ) : null}
      <p className="details-note">
        {note ??
          (ready
            ? within
              ? 'The run is waiting. Nothing is computed until you continue.'
              : 'The run is paused between iterations.'
            : 'Computing …')}
      </p>
    </div>
  );
}

function Before() {
  const recipe = useLab((lab) => lab.config.recipe);
  return (
    <div className="step-before">
      <h2>Step through one iteration</h2>
      <p>
        The run stops after every phase and shows what has been computed:{' '}
        {recipeTraits[recipe].shows} Training results are the same as without stopping.
      </p>
    </div>
  );
}

/** For recipes without a followed group. */
const alone = { members: [] };

function Facts({
  step,
  phase,
}: {
  readonly step: ShownStep;
  readonly phase: StepPhase;
}): ReactNode {
  const { rollout, score, advantages, loss, update, explore, sift, learn } = step.facts;
  const { answer, criticize, refine, reward } = step.facts;
  const said = refine?.followed ?? criticize?.followed ?? [];
  switch (phase) {
    case 'explore':
      return explore === undefined ? null : <ExploreFacts explore={explore} />;
    case 'sift':
      return sift === undefined ? null : <SiftFacts sift={sift} />;
    case 'learn':
      return learn === undefined ? null : <LearnFacts learn={learn} />;
    case 'rollout':
      return rollout === undefined ? null : <RolloutFacts rollout={rollout} />;
    case 'score':
      return rollout === undefined || score === undefined ? null : (
        <ScoreFacts rollout={rollout} score={score} />
      );
    case 'answer':
      return answer === undefined ? null : <AnswerFacts answer={answer} />;
    case 'criticize':
      return criticize === undefined ? null : <CriticizeFacts criticize={criticize} />;
    case 'refine':
      return refine === undefined ? null : <RefineFacts refine={refine} />;
    case 'reward':
      return reward === undefined ? null : <RewardFacts reward={reward} said={said} />;
    case 'advantages':
      if (reward !== undefined && advantages !== undefined) {
        return <CritiqueAdvantages advantages={advantages} said={said} />;
      }
      return rollout === undefined || advantages === undefined ? null : (
        <AdvantagesFacts rollout={rollout} advantages={advantages} />
      );
    case 'loss':
      return loss === undefined ? null : <LossFacts rollout={rollout ?? alone} loss={loss} />;
    case 'update':
      return loss === undefined || update === undefined ? null : (
        <UpdateFacts rollout={rollout ?? alone} loss={loss} update={update} />
      );
    default:
      return phase satisfies never;
  }
}
