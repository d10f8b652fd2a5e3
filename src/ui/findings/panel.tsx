import { Button } from '@mantine/core';
import { useId, useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { Config } from '../../config/schema.ts';
import { diagnose } from '../../diagnosis/diagnose.ts';
import { changesOf, type Proof, type Remedy } from '../../diagnosis/finding.ts';
import type { Row } from '../../runs/row.ts';
import {
  hideCrosshair,
  moveCrosshair,
  useChartSettings,
  useCrosshair,
} from '../charts/chart-settings.ts';
import { placeOf } from '../charts/moments.ts';
import { pointsOf } from '../charts/points.ts';
import { iterationAt } from '../charts/x-axis.ts';
import { loadedLater } from '../comfort/release.ts';
import { evidenceOf, useLab } from '../lab/store.ts';
import { Part } from '../page/part.tsx';
import { reenactOwn } from '../reenactment/play.ts';
import { useReenactment } from '../reenactment/state.ts';
import { edit, openSettings } from '../settings/store-settings.ts';
import type { EvidencePiece } from './evidence.tsx';
import { FindingView } from './finding-view.tsx';
import { Timeline } from './timeline.tsx';

const Prove = loadedLater(async () => (await import('../autopsy/prove.tsx')).Prove);

/** What went wrong with the present run, since when, what shows it and what to try. */
export function WhatHappened() {
  // The phases of an iteration change nothing here.
  const lab = useLab(
    useShallow(({ rows, evaluations, config, machine, trials, cannotTrain }) => ({
      ...{ rows, evaluations, config, machine, trials, cannotTrain },
    })),
  );
  const { rows, config, cannotTrain } = lab;
  const { findings } = diagnose(evidenceOf(lab));
  const reenacted = useReenactment(({ playing }) => playing !== null);
  const id = useId();
  if (findings.length === 0) return null;
  return (
    <section className="card findings" aria-labelledby={id} data-testid="findings">
      <RunTimeline
        heading={<h2 id={id}>What happened</h2>}
        rows={rows}
        lanes={findings.map(({ title, interval, known }) => ({ title, began: interval, known }))}
      />
      <ol>
        {findings.map((finding, place) => (
          <FindingView
            key={finding.mode}
            finding={finding}
            place={place}
            // The first one is told in the story above.
            told={place === 0}
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
      </ol>
    </section>
  );
}

interface RunTimelineProps extends Pick<Parameters<typeof Timeline>[0], 'heading' | 'lanes'> {
  readonly rows: readonly Row[];
}

/** The timeline of the present run; the crosshair of all charts moves in it too. */
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

/** What to try: at a press where the value is known, else as advice. */
function Cure({ remedy, config }: { readonly remedy: Remedy; readonly config: Config }) {
  const { text } = remedy;
  const settings = changesOf(remedy);
  if (settings.length === 0) return <p>{text}</p>;
  const told = settings.map((one) => `${one.setting} to ${one.value}`).join(' and ');
  return (
    <Button
      variant="default"
      size="compact-sm"
      title={`Sets ${told} for the next run`}
      onClick={() => {
        for (const one of settings) edit(config, one.setting, String(one.value));
        openSettings(true);
      }}
    >
      {text}
    </Button>
  );
}
