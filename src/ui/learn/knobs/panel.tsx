import { closePanel, openPanel } from '../../shell/page/panels.ts';
import './knobs.css';
import { Button, CloseButton, Slider } from '@mantine/core';
import { useId, useState } from 'react';
import { configAt, withChanges } from '../../../config/changes.ts';
import { several } from '../../../runs/numbers.ts';
import { changeRun, startAgain } from '../../shell/lab/commands.ts';
import { useLab } from '../../shell/lab/store.ts';
import {
  asFromTheStart,
  changeList,
  isLive,
  isScheduled,
  type Knob,
  knobsOf,
  placesOf,
  rangeOf,
  shownAt,
  valuesAt,
} from './knobs.ts';

/** Settings that can change while the run trains. With `always` the panel has no close button. */
export function Knobs({ always = false }: { readonly always?: boolean }) {
  const runId = useLab((lab) => lab.runId);
  const config = useLab((lab) => lab.config);
  const status = useLab((lab) => lab.status);
  const refused = useLab((lab) => lab.refusedChange);
  const done = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const live = isLive(status);
  /** Changes made after the run has ended; they apply to a new run. */
  const [draft, setDraft] = useState<{
    readonly base: typeof config;
    readonly changed: typeof config;
  }>();
  const current = !live && draft?.base === config ? draft.changed : config;
  const settings = configAt(current, Number.POSITIVE_INFINITY);
  const again = asFromTheStart(current);
  const turn = (knob: Knob, places: readonly number[]) => {
    const values = valuesAt(knob, places);
    if (live) changeRun(values);
    else setDraft({ base: config, changed: withChanges(current, done + 1, values) });
  };
  const changes = changeList(config);
  return (
    <section className="card band knobs" aria-labelledby="knobs-title" data-testid="knobs">
      <div className="row band-head knobs-head">
        <h2 id="knobs-title">Knobs</h2>
        <p>
          {live
            ? 'Changes apply from the next iteration on and are marked on the charts.'
            : 'The run has ended. Changes apply to a new run.'}
        </p>
        {always ? null : (
          <CloseButton aria-label="Close knobs" onClick={() => closePanel('knobs')} />
        )}
      </div>
      <div className="knobs-all">
        {knobsOf(settings).map((knob) => (
          <KnobControl
            key={`${runId} ${knob.title}`}
            knob={knob}
            places={placesOf(knob, settings, done + 1)}
            scheduled={isScheduled(knob, settings)}
            onTurned={(places) => turn(knob, places)}
          />
        ))}
      </div>
      <div className="row knobs-foot">
        <p role="status" data-testid="knobs-status">
          {again.fault ?? refused ?? (changes[0] === undefined ? '' : changeNote(changes[0], done))}
        </p>
        <p>
          Network, tasks and groups are fixed when a run starts:{' '}
          <button type="button" className="as-link" onClick={() => openPanel('settings')}>
            Settings
          </button>
        </p>
        <Button
          size="compact-md"
          disabled={again.differences === 0 || again.fault !== null}
          onClick={() => startAgain(again.config)}
        >
          {again.differences === 0
            ? 'Restart with changes'
            : `Restart with ${several(again.differences, 'change')}`}
        </Button>
      </div>
    </section>
  );
}

function changeNote(
  { iteration, text }: { readonly iteration: number; readonly text: string },
  done: number,
): string {
  return `From iteration ${iteration} on: ${text}.${iteration > done ? ' The current iteration finishes first.' : ''}`;
}

interface KnobControlProps {
  readonly knob: Knob;
  readonly places: readonly number[];
  /** A schedule sets the value; a button ends the schedule. */
  readonly scheduled: boolean;
  readonly onTurned: (places: readonly number[]) => void;
}

/** A knob. It reports a change on release, so that a drag is one change. */
export function KnobControl({ knob, places, scheduled, onTurned }: KnobControlProps) {
  const id = useId();
  const { title, effect, step } = knob;
  const [at, setAt] = useStanding(places, step);
  const release = (turned: readonly number[]) => {
    setAt(turned, true);
    onTurned(turned);
  };
  return (
    <div className="knob">
      <div className="knob-head">
        <h3 id={id}>{title}</h3>
        <output>{shownAt(knob, at)}</output>
      </div>
      {scheduled ? (
        <p>
          Set by a schedule.{' '}
          <button type="button" className="as-link" onClick={() => onTurned(at)}>
            Fix at {shownAt(knob, at)}
          </button>
        </p>
      ) : (
        <div className="knob-thumbs">
          {at.map((place, thumb) => (
            <Slider
              key={thumb}
              size="lg"
              {...rangeOf(knob, thumb)}
              step={step}
              value={place}
              inverted={thumb < at.length - 1}
              label={null}
              thumbLabel={
                at.length === 1 ? title : thumb === 0 ? `${title}, lower` : `${title}, upper`
              }
              thumbValueText={shownAt(knob, [place])}
              onChange={(moved) => setAt(at.with(thumb, moved))}
              onChangeEnd={(moved) => release(at.with(thumb, moved))}
            />
          ))}
        </div>
      )}
      <p>{effect}</p>
    </div>
  );
}

/**
 * Positions of the thumbs: after a release the released positions, until the run has applied or refused
 * the change; otherwise the run's values. The focused thumb keeps its focus, and repeated key presses add up.
 *
 * @param places values of the run
 * @param step positions closer than half a step are equal
 */
function useStanding(places: readonly number[], step: number) {
  const refused = useLab((lab) => lab.refusedChange !== null);
  const [{ at, seen, awaited }, setStanding] = useState<Standing>({
    at: places,
    seen: places.join(),
    awaited: null,
  });
  const differs = awaited?.some((place, i) => Math.abs(place - (places[i] ?? 0)) > step / 2);
  const waits = differs === true && !refused;
  if (places.join() !== seen || (awaited !== null && !waits)) {
    setStanding({
      ...(waits ? { at, awaited } : { at: places, awaited: null }),
      seen: places.join(),
    });
  }
  const setAt = (turned: readonly number[], letGo = false) =>
    setStanding({ at: turned, seen: places.join(), awaited: letGo ? turned : awaited });
  return [at, setAt] as const;
}

interface Standing {
  readonly at: readonly number[];
  /** Values of the run at the last render. */
  readonly seen: string;
  /** Released, and not yet applied by the run. */
  readonly awaited: readonly number[] | null;
}
