import './knobs.css';
import { Button, CloseButton, RangeSlider, Slider } from '@mantine/core';
import { useId, useState } from 'react';
import { configAt, withChanges } from '../../config/changes.ts';
import { changeRun, startRun } from '../lab/commands.ts';
import { useLab } from '../lab/store.ts';
import { openSettings } from '../settings/store-settings.ts';
import {
  asFromTheStart,
  changeList,
  isLive,
  type Knob,
  knobsOf,
  placesOf,
  shownAt,
  valuesAt,
} from './knobs.ts';
import { openKnobs } from './store.ts';

/** Settings of the run that act while it trains, from its next iteration on; `always` there, they are not closed. */
export function Knobs({ always = false }: { readonly always?: boolean }) {
  const runId = useLab((lab) => lab.runId);
  const config = useLab((lab) => lab.config);
  const preset = useLab((lab) => lab.preset);
  const status = useLab((lab) => lab.status);
  const refused = useLab((lab) => lab.refusedChange);
  const done = useLab((lab) => lab.rows.at(-1)?.iteration ?? 0);
  const live = isLive(status);
  /** Turned after the run was over: they can only be for another run. */
  const [wanted, setWanted] = useState<{
    readonly of: typeof config;
    readonly as: typeof config;
  }>();
  const asked = !live && wanted?.of === config ? wanted.as : config;
  const settings = configAt(asked, Number.POSITIVE_INFINITY);
  const again = asFromTheStart(asked);
  const turn = (knob: Knob, places: readonly number[]) => {
    const values = valuesAt(knob, places);
    if (live) changeRun(values);
    else setWanted({ of: config, as: withChanges(asked, done + 1, values) });
  };
  const changes = changeList(config);
  return (
    <section className="card band knobs" aria-labelledby="knobs-title" data-testid="knobs">
      <div className="band-head knobs-head">
        <h2 id="knobs-title">Knobs</h2>
        <p>
          {live
            ? 'Each acts from the next iteration on, and is marked on the charts.'
            : 'The run is over. What is turned now is for another run.'}
        </p>
        {always ? null : (
          <CloseButton aria-label="Close the knobs" onClick={() => openKnobs(false)} />
        )}
      </div>
      <div className="knobs-all">
        {knobsOf(settings).map((knob) => (
          <Turned
            key={`${runId} ${knob.title}`}
            knob={knob}
            places={placesOf(knob, settings)}
            onTurned={(places) => turn(knob, places)}
          />
        ))}
      </div>
      <div className="knobs-foot">
        <p role="status" data-testid="knobs-status">
          {refused ?? (changes[0] === undefined ? '' : inWords(changes[0], done))}
        </p>
        <p>
          The network, the tasks and the groups are made before a run begins:{' '}
          <button type="button" className="as-link" onClick={() => openSettings(true)}>
            Settings
          </button>
        </p>
        <Button
          size="compact-md"
          variant="default"
          disabled={again.differences === 0}
          onClick={() => startRun(again.config, preset)}
        >
          Again with {again.differences === 1 ? '1 change' : `${again.differences} changes`}
        </Button>
      </div>
    </section>
  );
}

function inWords(
  { iteration, text }: { readonly iteration: number; readonly text: string },
  done: number,
): string {
  return `From iteration ${iteration} on: ${text}.${iteration > done ? ' The present iteration ends first.' : ''}`;
}

interface TurnedProps {
  readonly knob: Knob;
  readonly places: readonly number[];
  readonly onTurned: (places: readonly number[]) => void;
}

/** A knob; it is turned when it is let go, so that a way over many values is one change. */
export function Turned({ knob, places, onTurned }: TurnedProps) {
  const id = useId();
  const { title, effect, min, max, step } = knob;
  const [at, setAt] = useStanding(places, step);
  const [low = 0, high] = at;
  return (
    <div className="knob">
      <div className="knob-head">
        <h3 id={id}>{title}</h3>
        <output>{shownAt(knob, at)}</output>
      </div>
      {high === undefined ? (
        <Slider
          size="lg"
          min={min}
          max={max}
          step={step}
          value={low}
          label={null}
          thumbLabel={title}
          onChange={(place) => setAt([place])}
          onChangeEnd={(place) => {
            setAt([place], true);
            onTurned([place]);
          }}
        />
      ) : (
        <RangeSlider
          size="lg"
          min={min}
          max={max}
          step={step}
          minRange={step}
          value={[low, high]}
          label={null}
          thumbFromLabel={`${title}, lower`}
          thumbToLabel={`${title}, upper`}
          onChange={(turned) => setAt(turned)}
          onChangeEnd={(turned) => {
            setAt(turned, true);
            onTurned(turned);
          }}
        />
      )}
      <p>{effect}</p>
    </div>
  );
}

/**
 * Where the thumbs stand: where they were let go, until the run has taken that, then where the run is. The
 * one that has the focus keeps it, and several presses of a key add up.
 *
 * @param places where the run is
 * @param step two places closer than half of it are one
 */
function useStanding(places: readonly number[], step: number) {
  const [{ at, seen, awaited }, setStanding] = useState<Standing>({
    at: places,
    seen: places.join(),
    awaited: null,
  });
  if (places.join() !== seen) {
    const waits = awaited?.some((place, i) => Math.abs(place - (places[i] ?? 0)) > step / 2);
    setStanding({
      ...(waits === true ? { at, awaited } : { at: places, awaited: null }),
      seen: places.join(),
    });
  }
  const setAt = (turned: readonly number[], letGo = false) =>
    setStanding({ at: turned, seen: places.join(), awaited: letGo ? turned : awaited });
  return [at, setAt] as const;
}

interface Standing {
  readonly at: readonly number[];
  /** Where the run was when this was looked at last. */
  readonly seen: string;
  /** Let go there, and not yet taken by the run. */
  readonly awaited: readonly number[] | null;
}
