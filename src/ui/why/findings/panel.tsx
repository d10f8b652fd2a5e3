import { Button } from '@mantine/core';
import { useId, useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { fieldTitle } from '../../../config/fields.ts';
import { textOf } from '../../../config/panel-fields.ts';
import type { Config } from '../../../config/schema.ts';
import { diagnose } from '../../../diagnosis/diagnose.ts';
import { changesOf, type Proof, type Remedy } from '../../../diagnosis/finding.ts';
import type { Row } from '../../../runs/row.ts';
import {
  hideCrosshair,
  moveCrosshair,
  useChartSettings,
  useCrosshair,
} from '../../charts/chart-settings.ts';
import type { EvidencePiece } from '../../charts/findings/evidence.tsx';
import { FindingView, WhatIsThis } from '../../charts/findings/finding-view.tsx';
import { Timeline } from '../../charts/findings/timeline.tsx';
import { placeOf } from '../../charts/moments.ts';
import { pointsOf } from '../../charts/points.ts';
import { reenactOwn } from '../../charts/reenactment/play.ts';
import { useReenactment } from '../../charts/reenactment/state.ts';
import { iterationAt } from '../../charts/x-axis.ts';
import { loadedLater } from '../../shell/comfort/release.ts';
import { evidenceOf, useLab } from '../../shell/lab/store.ts';
import { openPanel } from '../../shell/page/panels.ts';
import { Part } from '../../shell/page/part.tsx';
import { edit } from '../../shell/settings/store-settings.ts';

const Prove = loadedLater(async () => (await import('../autopsy/prove.tsx')).Prove);

/** Findings of the current run with onset, evidence and remedies, and findings that no longer hold. */
export function WhatHappened() {
  // Avoids rendering again for each phase of an iteration.
  const lab = useLab(
    useShallow(({ rows, evaluations, config, machine, trials, cannotTrain }) => ({
      ...{ rows, evaluations, config, machine, trials, cannotTrain },
    })),
  );
  const { rows, config, cannotTrain } = lab;
  const { findings, past } = diagnose(evidenceOf(lab));
  const reenacted = useReenactment(({ playing }) => playing !== null);
  const id = useId();
  if (findings.length + past.length === 0) return null;
  return (
    <section className="card findings" aria-labelledby={id} data-testid="findings">
      <RunTimeline
        heading={<h2 id={id}>Findings</h2>}
        rows={rows}
        lanes={[
          ...findings.map(({ title, interval, known }) => ({ title, began: interval, known })),
          ...past.map(({ title, from, to, known }) => ({
            title,
            began: [from, from] as const,
            known,
            ended: to,
          })),
        ]}
      />
      <ol>
        {findings.map((finding, place) => (
          <FindingView
            key={finding.mode}
            finding={finding}
            place={place}
            // The headline already shows the text of the first one.
            hidesText={place === 0}
            count="iteration"
            pieces={finding.evidence.map((proof) => pieceOf(proof, rows))}
            cures={finding.remedies.map((remedy) => (
              <Cure key={remedy.text} remedy={remedy} config={config} />
            ))}
            {...(reenacted || cannotTrain ? {} : { onReenact: () => void reenactOwn(finding) })}
          >
            <Part name="The proof">
              <Prove finding={finding} />
            </Part>
          </FindingView>
        ))}
        {past.map(({ mode, title, text, from, to }, place) => (
          <li key={`${mode} ${from}`} data-past={mode}>
            <div className="row finding-head">
              <h3>
                <b className="finding-number" aria-hidden>
                  {findings.length + place + 1}
                </b>
                {title}
              </h3>
              <WhatIsThis mode={mode} />
            </div>
            <p className="finding-when">
              Passed: iterations {from} to {to}.
            </p>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface RunTimelineProps extends Pick<Parameters<typeof Timeline>[0], 'heading' | 'lanes'> {
  readonly rows: readonly Row[];
}

/** The timeline of the current run; it shares the crosshair of the charts. */
function RunTimeline({ heading, rows, lanes }: RunTimelineProps) {
  const axis = useChartSettings((settings) => settings.axis);
  const at = useCrosshair((crosshair) => crosshair.at);
  const here = useMemo(() => (at === null ? null : iterationAt(rows, axis, at)), [rows, axis, at]);
  const move = (iteration: number | null) => {
    const place = iteration === null ? undefined : placeOf(Math.round(iteration), rows, axis);
    if (place === undefined) hideCrosshair();
    else moveCrosshair('findings', place);
  };
  return (
    <Timeline
      heading={heading}
      lanes={lanes}
      from={rows[0]?.iteration ?? 1}
      to={rows.at(-1)?.iteration ?? 1}
      unit="iterations"
      at={here}
      onAt={move}
    />
  );
}

function pieceOf(proof: Proof, rows: readonly Row[]): EvidencePiece {
  const { metric, iterations } = proof;
  return { proof, lit: { metric, iterations }, points: pointsOf(metric, rows) };
}

/** A remedy: a button if it changes a setting of the run to a known value, else text. */
function Cure({ remedy, config }: { readonly remedy: Remedy; readonly config: Config }) {
  const { text } = remedy;
  const settings = changesOf(remedy).filter(
    ({ setting, value }) => textOf(config, setting) !== String(value),
  );
  if (settings.length === 0) return <p>{text}</p>;
  const change = settings.map((one) => `${fieldTitle(one.setting)} to ${one.value}`).join(' and ');
  return (
    <Button
      size="compact-sm"
      title={`Set ${change} for the next run`}
      onClick={() => {
        for (const one of settings) edit(config, one.setting, String(one.value));
        openPanel('settings');
      }}
    >
      {text}
    </Button>
  );
}
