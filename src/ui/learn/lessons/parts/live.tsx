/** A knob and a chart of the lesson’s run. */
import { useMemo } from 'react';
import { configAt } from '../../../../config/changes.ts';
import { chartNamed } from '../../../charts/charts.tsx';
import { type ChartSpec, MetricChart } from '../../../charts/metric-chart.tsx';
import type { Series } from '../../../charts/series.ts';
import { changeRun } from '../../../shell/lab/commands.ts';
import { useLab } from '../../../shell/lab/store.ts';
import { isLive, isScheduled, knobsOf, placesOf, valuesAt } from '../../knobs/knobs.ts';
import { KnobControl } from '../../knobs/panel.tsx';
import { agentColors, useTwins } from '../../twins/state.ts';
import { useLessonContext } from '../context.ts';
import { useLessonRun } from '../store.ts';
import type { ChartWords } from '../words.ts';

export function LiveKnob({ setting }: { readonly setting: string }) {
  const { words } = useLessonContext();
  const runId = useLab((lab) => lab.runId);
  const config = useLab((lab) => lab.config);
  const status = useLab((lab) => lab.status);
  const live = isLive(status);
  const next = useLab((lab) => (lab.rows.at(-1)?.iteration ?? 0) + 1);
  const settings = configAt(config, Number.POSITIVE_INFINITY);
  const knob = knobsOf(settings).find(({ fields }) => fields.some((path) => path === setting));
  if (!live || knob === undefined) {
    return <p className="lesson-part lesson-missing">{live ? words.noKnob : words.noRun}</p>;
  }
  const places = placesOf(knob, settings, next);
  return (
    <div className="lesson-part lesson-knob">
      <KnobControl
        key={`${runId} ${knob.title}`}
        knob={{ ...knob, ...words.knobs[knob.title] }}
        places={places}
        scheduled={isScheduled(knob, settings)}
        onTurned={(turned) => changeRun(valuesAt(knob, turned))}
        words={words.knob}
      />
    </div>
  );
}

export function LiveChart({ of }: { readonly of: string }) {
  const { lesson, words } = useLessonContext();
  const recipe = useLab((lab) => lab.config.recipe);
  const runId = useLab((lab) => lab.runId);
  const ofThisLesson = useLessonRun(
    ({ run }) => run !== null && run.lesson === lesson.name && run.runId === runId,
  );
  const spec = useMemo(() => {
    const found = chartNamed(recipe, of);
    if (found === undefined) return null;
    const texts = words.charts[found.title];
    const own = { testId: `lesson-${of}`, height: 150 };
    return { ...found, ...(texts === undefined ? {} : translated(found, texts)), ...own };
  }, [recipe, of, words]);
  if (!ofThisLesson) return <p className="lesson-part lesson-missing">{words.chartLater}</p>;
  return spec === null ? (
    <p className="lesson-part lesson-missing">{words.noChart}</p>
  ) : (
    <div className="lesson-part lesson-chart">
      <MetricChart spec={spec} />
      <AgentColors />
    </div>
  );
}

/** A chart in the lesson’s language, without the explanation of the curve, which is in English. */
function translated({ series }: ChartSpec, { curves, ...texts }: ChartWords): Partial<ChartSpec> {
  // The same objects for the same curves, as the chart requires.
  const renamed = new Map<readonly Series[], readonly Series[]>();
  return {
    ...texts,
    why: null,
    series: (evidence) => {
      const all = typeof series === 'function' ? series(evidence) : series;
      const known =
        renamed.get(all) ?? all.map((one) => ({ ...one, name: curves[one.name] ?? one.name }));
      renamed.set(all, known);
      return known;
    },
  };
}

/** Which color is which agent, when two train side by side. */
function AgentColors() {
  const { words } = useLessonContext();
  const names = useTwins(({ playing }) => playing?.names ?? null);
  if (names === null) return null;
  return (
    <ul className="lesson-agents" aria-label={words.agents}>
      {names.map((name, index) => (
        <li key={name}>
          <span className="swatch" style={{ color: agentColors[index] }} aria-hidden /> {name}
        </li>
      ))}
    </ul>
  );
}
