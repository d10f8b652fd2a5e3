import '../inspector/inspector.css';
import './step-through.css';
import './pictures.css';
import { Button, Modal } from '@mantine/core';
import { IconPlayerTrackNextFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type StepPhase, stepPhases } from '../../runs/phase-facts.ts';
import { resetRun } from '../lab/commands.ts';
import { type ShownStep, useLab } from '../lab/store.ts';
import {
  AnswerFacts,
  CriticiseFacts,
  CritiqueAdvantages,
  RefineFacts,
  RewardFacts,
} from './conversations.tsx';
import { Ending } from './ending.tsx';
import { AdvantagesFacts, RolloutFacts, ScoreFacts } from './facts.tsx';
import { ExploreFacts, LearnFacts, SiftFacts } from './rounds.tsx';
import {
  closeStepThrough,
  finishIteration,
  nextPhase,
  showPhase,
  useStepThrough,
} from './store.ts';
import { LossFacts, UpdateFacts } from './update-facts.tsx';

const phaseTitles: Readonly<Record<StepPhase, string>> = {
  rollout: 'Roll out',
  score: 'Score',
  advantages: 'Advantages',
  loss: 'Loss',
  update: 'Update',
  explore: 'Explore',
  sift: 'Keep or throw away',
  learn: 'Learn',
  answer: 'Answer',
  criticise: 'Criticise',
  refine: 'Refine',
  reward: 'Reward',
};

const phaseLines: Readonly<Record<StepPhase, string>> = {
  rollout: 'The agent plays its tasks, several times each.',
  score: 'Each episode gets its reward.',
  advantages: 'Was an action better than expected?',
  loss: 'What should become more probable, and how far.',
  update: 'The weights take one step.',
  explore: 'The agent tries tasks that nobody showed it.',
  sift: 'What was rewarded stays; the rest goes.',
  learn: 'It learns its successes beside the expert’s dialogues.',
  answer: 'The actor answers questions.',
  criticise: 'The critic says which step is wrong.',
  refine: 'The actor answers anew.',
  reward: 'What was each critique worth?',
};

/** One iteration, phase by phase, with its real numbers. */
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
      closeButtonProps={{ 'aria-label': 'Close the walk' }}
      title={
        <span className="inspector-title">
          Iteration {shown}, phase by phase
          <small>The agent learns in rounds. Each round goes through these phases.</small>
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
          {stepPhases[recipe].map((phase, place) => (
            <Phase key={phase} phase={phase} place={place} step={step} shown={phase === shown} />
          ))}
        </ol>
        <Controls step={step} />
      </nav>
      <section className="step-facts" aria-live="polite" data-testid="step-facts">
        {step === null ? (
          <Before />
        ) : shown === null ? (
          <Ending step={step} />
        ) : (
          <Facts step={step} phase={shown} />
        )}
      </section>
    </>
  );
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
  const count = facts !== undefined && 'index' in facts ? ` ${facts.index} of ${facts.of}` : '';
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
          <b>
            {phaseTitles[phase]}
            {count}
          </b>
          <small>{phaseLines[phase]}</small>
        </span>
      </button>
    </li>
  );
}

/** What can be done next. */
function Controls({ step }: { readonly step: ShownStep | null }) {
  const status = useLab((lab) => lab.status);
  const pausing = useLab((lab) => lab.pausing);
  const iteration = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const ready = status === 'paused' && !pausing;
  const within = step !== null && !step.over;
  const { loss, update } = step?.facts ?? {};
  const place = update ?? loss;
  const recipe = useLab((lab) => lab.config.recipe);
  const phases: readonly StepPhase[] = stepPhases[recipe];
  const end = phases.at(-1);
  const more = within && end === 'update' && (place === undefined || place.index < place.of);
  const last = within && !more && step.phase === end;
  const over = status === 'finished' || status === 'failed' || status === 'stopped';
  if (over) {
    return (
      <div className="step-controls">
        <Button data-autofocus data-testid="step-next" onClick={resetRun}>
          Begin anew
        </Button>
        <p className="details-note" role="status">
          This run is over. It begins anew from random weights, and waits for its first iteration.
        </p>
      </div>
    );
  }
  return (
    <div className="step-controls">
      <Button
        data-autofocus
        data-testid="step-next"
        disabled={!ready}
        leftSection={<IconPlayerTrackNextFilled size={15} />}
        onClick={() => (last ? finishIteration() : nextPhase())}
      >
        {!within ? `Begin iteration ${iteration + 1}` : last ? 'End the iteration' : 'Next phase'}
      </Button>
      {more ? (
        <>
          <Button
            variant="default"
            size="compact-sm"
            disabled={!ready}
            onClick={() => nextPhase('last-loss')}
          >
            To the last update
          </Button>
          <Button variant="default" size="compact-sm" disabled={!ready} onClick={finishIteration}>
            End the iteration
          </Button>
        </>
      ) : null}
      <p className="details-note" role="status">
        {ready
          ? within
            ? 'The run waits. Nothing is computed until you go on.'
            : 'The run is paused between two iterations.'
          : 'Computing …'}
      </p>
    </div>
  );
}

const shownOf: Readonly<Record<keyof typeof stepPhases, string>> = {
  reinforcement:
    'which episodes were played, what they were worth, how that becomes an advantage for every token, how the advantage becomes a loss, and what one step of the optimiser changes.',
  evolution:
    'what the agent tried, which of its episodes are kept and which are thrown away, and what it learns them together with.',
  critique:
    'what the actor answered, what the critic said of it, what the actor made of that, what each critique was worth against the others, and what one step of the optimiser changes in the critic. Before its first iteration both are taught, which takes a while.',
  self_improvement:
    'what the actor answered, what the critic said of the wrong answers, and which of them the actor mended. What is right then is what it learns from.',
};

function Before() {
  const recipe = useLab((lab) => lab.config.recipe);
  return (
    <div className="step-before">
      <h2>Walk through one iteration</h2>
      <p>
        The run stops after every phase and shows what has been computed: {shownOf[recipe]} What is
        trained is the same as without stopping.
      </p>
    </div>
  );
}

function Facts({
  step,
  phase,
}: {
  readonly step: ShownStep;
  readonly phase: StepPhase;
}): ReactNode {
  const { rollout, score, advantages, loss, update, explore, sift, learn } = step.facts;
  const { answer, criticise, refine, reward } = step.facts;
  const said = refine?.followed ?? criticise?.followed ?? [];
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
    case 'criticise':
      return criticise === undefined ? null : <CriticiseFacts criticise={criticise} />;
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
      return loss === undefined ? null : <LossFacts loss={loss} />;
    case 'update':
      return loss === undefined || update === undefined ? null : (
        <UpdateFacts loss={loss} update={update} />
      );
    default:
      return phase satisfies never;
  }
}
