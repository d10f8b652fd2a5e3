/** A knob and a chart of the run that trains, in the text. */
import { useMemo } from 'react';
import { configAt } from '../../../config/changes.ts';
import { chartNamed } from '../../charts/charts.tsx';
import { MetricChart } from '../../charts/metric-chart.tsx';
import { isLive, knobsOf, placesOf, valuesAt } from '../../knobs/knobs.ts';
import { Turned } from '../../knobs/panel.tsx';
import { changeRun } from '../../lab/commands.ts';
import { useLab } from '../../lab/store.ts';
import { useLessonContext } from '../context.ts';

export function LiveKnob({ setting }: { readonly setting: string }) {
  const { words } = useLessonContext();
  const runId = useLab((lab) => lab.runId);
  const config = useLab((lab) => lab.config);
  const status = useLab((lab) => lab.status);
  const live = isLive(status);
  const settings = configAt(config, Number.POSITIVE_INFINITY);
  const knob = knobsOf(settings).find(({ fields }) => fields.some((path) => path === setting));
  if (!live || knob === undefined) {
    return <p className="lesson-part lesson-missing">{live ? words.noKnob : words.noRun}</p>;
  }
  const places = placesOf(knob, settings);
  return (
    <div className="lesson-part lesson-knob">
      <Turned
        key={`${runId} ${knob.title}`}
        knob={knob}
        places={places}
        onTurned={(turned) => changeRun(valuesAt(knob, turned))}
      />
    </div>
  );
}

export function LiveChart({ of }: { readonly of: string }) {
  const { words } = useLessonContext();
  const recipe = useLab((lab) => lab.config.recipe);
  const spec = useMemo(() => {
    const found = chartNamed(recipe, of);
    return found === undefined ? null : { ...found, testId: `lesson-${of}`, height: 150 };
  }, [recipe, of]);
  return spec === null ? (
    <p className="lesson-part lesson-missing">{words.noChart}</p>
  ) : (
    <div className="lesson-part lesson-chart">
      <MetricChart spec={spec} />
    </div>
  );
}
