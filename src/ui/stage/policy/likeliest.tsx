import { useEffect, useState } from 'react';
import type { EpisodeRecord } from '../../../runs/episode.ts';
import type { PolicyAt } from '../../../runs/policy-reading.ts';
import { situationAt } from '../../shell/episode/situation.ts';
import { askOrNull } from '../../shell/lab/questions.ts';
import { isCopying, useLab } from '../../shell/lab/store.ts';
import { LISTED } from './readings.ts';
import { LikelyTexts } from './words.tsx';

/** Shortest time between two queries, in milliseconds; training may be faster. */
const REST_MS = 250;

interface Found {
  readonly key: string;
  /** Turn of the situation. */
  readonly at: number;
  readonly iteration: number;
  readonly policy: PolicyAt;
}

interface LikeliestProps {
  readonly record: EpisodeRecord;
  /** The turn about to be played. */
  readonly turn: number;
}

let asking = false;

/** The agent's ten most likely actions at a turn of an episode, under the current weights. */
export function Likeliest({ record, turn }: LikeliestProps) {
  const runId = useLab((lab) => lab.runId);
  const status = useLab((lab) => lab.status);
  const [found, setFound] = useState<Found | null>(null);
  const at = Math.min(turn, record.turns.length - 1);
  const key = `${runId} ${record.taskId} ${at} ${record.turns[at]?.observation}`;
  useEffect(() => {
    if (runId === null || at < 0 || /^(asked|failed|stopped)$/.test(status)) return;
    let asked = -1;
    const timer = setInterval(async () => {
      const newest = useLab.getState().rows.at(-1)?.iteration ?? 0;
      // One query at a time: fast playback must not queue them.
      if (asking || newest === asked) return;
      asking = true;
      asked = newest;
      const query = { situations: [situationAt(record, at)], actions: [], most: LISTED };
      const answer = await askOrNull('read-policy', { ...query, search: true });
      asking = false;
      // Refused, for example because the run waits in the middle of an iteration: ask again.
      if (answer === null) asked = -1;
      const [policy] = answer?.situations ?? [];
      if (answer === null || policy === undefined || useLab.getState().runId !== runId) return;
      setFound({ key, at, iteration: answer.iteration, policy });
    }, REST_MS);
    return () => clearInterval(timer);
  }, [runId, status, record, at, key]);
  // The agent cannot be queried while it copies an expert.
  const copying = useLab(isCopying);
  const shown = found?.key.startsWith(`${runId} `) === true ? found : null;
  const actions = shown?.policy.likeliest;
  if (copying && shown === null) return null;
  return (
    <section
      className={shown?.key === key ? 'likeliest' : 'likeliest likeliest-old'}
      aria-label="Most likely actions"
      data-testid="likeliest"
    >
      <LikelyTexts
        title={`Most likely ${actions === null ? 'first words' : 'actions'}, turn ${(shown?.at ?? at) + 1}${shown === null ? '' : ` (after iteration ${shown.iteration})`}`}
        words={actions ?? shown?.policy.words ?? []}
      />
    </section>
  );
}
