import { recentMean } from '../../diagnosis/trend.ts';
import { percent } from '../../runs/numbers.ts';
import type { LabState } from '../shell/lab/store.ts';

/** Tab title, such as `63% · Training · Palestra`. */
export function tabTitle(
  { rows, config }: Pick<LabState, 'rows' | 'config'>,
  status: string,
): string {
  // In Critique-RL this metric is the share of correct verdicts.
  const success =
    config.recipe === 'critique' ? undefined : recentMean(rows, 'rollout/success_rate');
  return [...(success === undefined ? [] : [percent(success)]), status, 'Palestra'].join(' · ');
}

const TEMPLE =
  '<path d="M5 12.2 16 5.5l11 6.7v1.6H5z"/><path d="M7.4 15.8h2.8v8H7.4zM14.6 15.8h2.8v8h-2.8zM21.8 15.8h2.8v8h-2.8z"/><path d="M5 25.4h22V28H5z"/>';

const CLAY = '#b1502b';

/** Badge on the icon, distinguished by color and shape. */
const badges = {
  paused: ['#5d5548', '<path d="M20.6 19.5h2v7h-2zM25.4 19.5h2v7h-2z"/>'],
  finished: ['#576023', '<path d="m19.7 23.2 1.5-1.5 2 2 4.1-4.3 1.5 1.4-5.6 5.8z"/>'],
  failed: ['#c22f22', '<path d="M23 18.6h2v5.6h-2zM23 25.4h2v2h-2z"/>'],
} as const;

function drawing(badge: keyof typeof badges | null): string {
  const [color, sign] = badge === null ? ['', ''] : badges[badge];
  const corner =
    badge === null ? '' : `<circle cx="24" cy="23" r="9" fill="${color}" stroke="#fbf6ea"/>${sign}`;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="#fbf6ea"><rect width="32" height="32" rx="7" fill="${CLAY}"/>${TEMPLE}${corner}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(text)}`;
}

/** The tab icon, with a badge when the run is paused, finished or failed. */
export function iconOf({
  status,
  pausing,
  cannotTrain,
}: Pick<LabState, 'status' | 'pausing' | 'cannotTrain'>): string {
  if (cannotTrain || status === 'failed') return drawing('failed');
  if (status === 'finished') return drawing('finished');
  return drawing(status === 'paused' || pausing ? 'paused' : null);
}
