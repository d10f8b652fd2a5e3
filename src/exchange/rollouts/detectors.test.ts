import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { memoryFile } from '../logs/source.ts';
import type { EpisodeFlag } from './detectors.ts';
import { readRollouts } from './read-rollouts.ts';

/**
 * 200 episodes of this project's own runs: untrained, with a learning rate that is too high,
 * rewarded for well-formed actions instead of success, and three that learn. Labels come from the
 * environment's state, not from the text: whether it understood each action, where the agent stood,
 * whether the task was solved. An episode repeats itself if half of its turns repeat an action in
 * the same state, or five turns in a row do; one more was labeled by hand.
 */
const text = gunzipSync(
  readFileSync(new URL('testing/labeled.jsonl.gz', import.meta.url)),
).toString();
const labels = text
  .trimEnd()
  .split('\n')
  .map((line) => new Set<string>((JSON.parse(line) as { labels: string[] }).labels));

/** Precision and recall of a flag over the labeled episodes. */
function quality(found: readonly ReadonlySet<string>[], flag: EpisodeFlag) {
  const hits = labels.filter((own, i) => own.has(flag) && found[i]?.has(flag) === true).length;
  const raised = found.filter((own) => own.has(flag)).length;
  const present = labels.filter((own) => own.has(flag)).length;
  return { hits, raised, present, precision: hits / raised, recall: hits / present };
}

describe('problem detection on labeled episodes of failing runs', async () => {
  const unlabeled = text.replaceAll(/,"labels":\[[^\]]*\]/g, '');
  const file = memoryFile('episodes.jsonl', new TextEncoder().encode(unlabeled));
  const { entries } = await readRollouts([file]);
  const found = entries.map(({ flags }) => new Set<string>(flags));

  it('reads all episodes', () => {
    expect(entries).toHaveLength(200);
    expect(unlabeled).not.toContain('labels');
  });

  it.each([
    ['repetition', 29],
    ['truncated', 135],
    ['format_error', 98],
    ['empty', 4],
    ['reward_without_success', 40],
  ] as const)('finds %s with precision and recall above 90%%', (flag, present) => {
    const measured = quality(found, flag);
    expect(measured.present).toBe(present);
    expect(measured.precision).toBeGreaterThan(0.9);
    expect(measured.recall).toBeGreaterThan(0.9);
  });

  it('finds no copied prompt, because there is none', () => {
    expect(quality(found, 'copied_prompt')).toMatchObject({ raised: 0, present: 0 });
  });
});
