import './here.css';
import type { TouchablePlace } from '../../../envs/views.ts';
import type { PolicyAt } from '../../../runs/policy-reading.ts';
import { initialWeights } from '../../shell/episode/initial-weights.ts';
import { useLab } from '../../shell/lab/store.ts';
import { LikelyTexts } from './words.tsx';

export interface HereProps {
  readonly place: TouchablePlace;
  /** Null until the network has been queried. */
  readonly policy: PolicyAt | null;
  /** Iteration of the queried weights. */
  readonly iteration: number | null;
  readonly actions: readonly string[];
  /** Whether the user has pointed at a cell; on phones nothing is shown before that. */
  readonly touched: boolean;
}

/** What the agent reads at a cell, and the words that it would most likely write there. */
export function Here({ place, policy, iteration, actions, touched }: HereProps) {
  const of = new Set(actions);
  const initial = useLab(initialWeights);
  return (
    <div className={touched ? 'here' : 'here here-untouched'} data-testid="here">
      <p className="here-title">
        <b>{place.title}</b>{' '}
        {iteration === null ? '' : iteration === 0 ? initial : `after iteration ${iteration}`}
      </p>
      <p className="here-says" translate="no">
        <span className="visually-hidden">The agent reads: </span>
        {place.observation}
      </p>
      <LikelyTexts
        title="Ten most likely words here"
        words={policy?.words ?? []}
        isAction={(text) => of.has(text)}
      />
    </div>
  );
}
