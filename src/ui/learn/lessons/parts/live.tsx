/** A knob and a chart of the lesson’s run. */
import { useMemo } from 'react';
import { configAt } from '../../../../config/changes.ts';
import { chartNamed } from '../../../charts/charts.tsx';
import { MetricChart } from '../../../charts/metric-chart.tsx';
import { changeRun } from '../../../shell/lab/commands.ts';
import { useLab } from '../../../shell/lab/store.ts';
import { isLive, isScheduled, knobsOf, placesOf, valuesAt } from '../../knobs/knobs.ts';
import { KnobControl } from '../../knobs/panel.tsx';
import { agentColors, useTwins } from '../../twins/state.ts';
import { useOpenLesson } from '../context.ts';
import { useLessonRun } from '../store.ts';

export function LiveKnob({ setting }: { readonly setting: string }) {
  const runId = useLab((lab) => lab.runId);
  const config = useLab((lab) => lab.config);
  const status = useLab((lab) => lab.status);
  const refused = useLab((lab) => lab.refusedChange);
  const live = isLive(status);
  const next = useLab((lab) => (lab.rows.at(-1)?.iteration ?? 0) + 1);
  const settings = configAt(config, Number.POSITIVE_INFINITY);
  const knob = knobsOf(settings).find(({ fields }) => fields.some((path) => path === setting));
  if (!live || knob === undefined) {
    return (
      <p className="lesson-part lesson-missing">
        {live
          ? 'The current run does not have this knob. Start the run above.'
          : 'This knob changes a run while it trains. Start one above.'}
      </p>
    );
  }
  const places = placesOf(knob, settings, next);
  return (
    <div className="lesson-part lesson-knob">
      <KnobControl
        key={`${runId} ${knob.title}`}
        knob={knob}
        places={places}
        scheduled={isScheduled(knob, settings)}
        onTurned={(turned) => changeRun(valuesAt(knob, turned))}
      />
      <p role="status">{refused}</p>
    </div>
  );
}

export function LiveChart({ of }: { readonly of: string }) {
  const lesson = useOpenLesson();
  const recipe = useLab((lab) => lab.config.recipe);
  const runId = useLab((lab) => lab.runId);
  const ofThisLesson = useLessonRun(
    ({ run }) => run !== null && run.lesson === lesson.name && run.runId === runId,
  );
  const spec = useMemo(() => {
    const found = chartNamed(recipe, of);
    if (found === undefined) return null;
    return { ...found, testId: `lesson-${of}`, height: 150 };
  }, [recipe, of]);
  if (!ofThisLesson)
    return (
      <p className="lesson-part lesson-missing">
        The chart appears here when you start the run above.
      </p>
    );
  return spec === null ? (
    <p className="lesson-part lesson-missing">
      The current run does not have this chart. Start the run above.
    </p>
  ) : (
    <div className="lesson-part lesson-chart">
      <MetricChart spec={spec} />
      <AgentColors />
    </div>
  );
}

/** A legend with the colors of two agents that train side by side. */
function AgentColors() {
  const names = useTwins(({ playing }) => playing?.names ?? null);
  if (names === null) return null;
  return (
    <ul className="lesson-agents" aria-label="Agents">
      {names.map((name, index) => (
        <li key={name}>
          <span className="swatch" style={{ color: agentColors[index] }} aria-hidden /> {name}
        </li>
      ))}
    </ul>
  );
}
