import { IconAdjustments, IconChartLine, IconRun, IconVocabulary } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { percent, several, thousands } from '../../runs/numbers.ts';
import { choose } from '../episode/playback.ts';
import { openKnobs } from '../knobs/store.ts';
import type { ShownStep } from '../lab/store.ts';
import { chooseDepth, useDepth } from '../page/depth.ts';
import { openGlossary } from '../terms/store.ts';
import { closeStepThrough } from './store.ts';

/** What the iteration came to, and what to look at next. */
export function Ending({ step }: { readonly step: ShownStep }) {
  return (
    <>
      <header className="step-lead">
        <h2>Iteration {step.iteration} is over</h2>
        <p>{summary(step)} Every phase can be looked at again on the left.</p>
      </header>
      <h3 className="step-next-title">What to look at next</h3>
      <ul className="step-nexts">
        <Next
          icon={<IconChartLine size={22} />}
          title="The curves of all iterations"
          onClick={showCharts}
        >
          One iteration moves little. Entropy, horizon and clipping show what many of them add up
          to.
        </Next>
        <Next
          icon={<IconAdjustments size={22} />}
          title="Turn a knob, and walk again"
          onClick={() => openKnobs(true)}
        >
          With a higher learning rate the same advantages change the probabilities more.
        </Next>
        <Next icon={<IconRun size={22} />} title="Race the agent" onClick={() => choose('play')}>
          Play a task yourself, and see how far the agent has come.
        </Next>
        <Next
          icon={<IconVocabulary size={22} />}
          title="The terms"
          onClick={() => openGlossary(true)}
        >
          Advantage, clipping, entropy and the others, each with a drawing.
        </Next>
      </ul>
    </>
  );
}

/** The iteration in a sentence or two. */
function summary({ facts }: ShownStep): string {
  const played = facts.rollout ?? facts.explore;
  const won =
    played === undefined
      ? []
      : [
          `${thousands(played.solved)} of ${several(played.episodes, 'episode')} solved their task.`,
        ];
  const biggest = facts.update?.biggest;
  const moved =
    biggest == null
      ? []
      : [
          `In the last update “${biggest.text}” moved most: ${percent(biggest.before)} → ${percent(biggest.after)}.`,
        ];
  return [...won, ...moved].join(' ');
}

/** The depth that has the charts of learning, and these in sight. */
function showCharts(): void {
  if (useDepth.getState().depth === 'watch') chooseDepth('understand');
  requestAnimationFrame(() => {
    const chart = document.querySelector('figure[data-metrics~="policy/entropy"]');
    chart?.scrollIntoView({ block: 'center' });
  });
}

function Next({
  icon,
  title,
  onClick,
  children,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly onClick: () => void;
  /** Why. */
  readonly children: ReactNode;
}) {
  return (
    <li>
      <button
        type="button"
        onClick={() => {
          closeStepThrough();
          onClick();
        }}
      >
        <span aria-hidden>{icon}</span>
        <span>
          <b>{title}</b>
          <small>{children}</small>
        </span>
      </button>
    </li>
  );
}
