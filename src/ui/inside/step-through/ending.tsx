import { IconAdjustments, IconChartLine, IconRun, IconVocabulary } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { isRemote } from '../../../envs/registry.ts';
import { percent, several, thousands } from '../../../runs/numbers.ts';
import { choose } from '../../shell/episode/playback.ts';
import { closeStepThrough } from '../../shell/lab/step-through.ts';
import { type ShownStep, useLab } from '../../shell/lab/store.ts';
import { chooseDepth, useDepth } from '../../shell/page/depth.ts';
import { openPanel } from '../../shell/page/panels.ts';

/** The result of the iteration, and what to look at next. */
export function Ending({ step }: { readonly step: ShownStep }) {
  const remote = useLab(({ config }) => isRemote(config.env.id));
  return (
    <>
      <header className="step-lead">
        <h2>Iteration {step.iteration} is finished</h2>
        <p>{summary(step)} Every phase can be opened again on the left.</p>
      </header>
      <h3 className="step-next-title">What to look at next</h3>
      <ul className="step-nexts">
        <Next
          icon={<IconChartLine size={22} />}
          title="The curves of all iterations"
          onClick={showCharts}
        >
          One iteration changes little. Entropy, horizon and clipping show the cumulative effect of
          many.
        </Next>
        <Next
          icon={<IconAdjustments size={22} />}
          title="Change a setting and step through again"
          onClick={() => openPanel('knobs')}
        >
          With a higher learning rate the same advantages change the probabilities more.
        </Next>
        {remote ? null : (
          <Next
            icon={<IconRun size={22} />}
            title="Play against the agent"
            onClick={() => choose('play')}
          >
            Play a task yourself and see how good the agent is.
          </Next>
        )}
        <Next
          icon={<IconVocabulary size={22} />}
          title="The terms"
          onClick={() => openPanel('glossary')}
        >
          Advantage, clipping, entropy and other terms, each with a drawing.
        </Next>
      </ul>
    </>
  );
}

/** The iteration in one or two sentences. */
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
          `In the last update “${biggest.text}” changed most: ${percent(biggest.before)} → ${percent(biggest.after)}.`,
        ];
  return [...won, ...moved].join(' ');
}

/** Switches to the depth with the learning charts and scrolls to them. */
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
  /** The reason. */
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
