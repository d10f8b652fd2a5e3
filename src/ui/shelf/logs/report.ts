/** What a log's panel shows, as Markdown. */

import { type Comparison, compareRuns, divergenceName } from '../../../diagnosis/compare.ts';
import { stepText } from '../../../diagnosis/what-changed.ts';
import type { ShownLog } from '../../../exchange/logs/shown-log.ts';
import { episodeFlags, flagTitles } from '../../../exchange/rollouts/detectors.ts';
import { percent, several, significant } from '../../../runs/numbers.ts';
import { download } from '../../shell/files/download.ts';
import { useEpisodes } from '../episodes/store.ts';

/** Compares two logs by their series and settings. */
export function compareLogs(a: ShownLog, b: ShownLog): Comparison {
  const of = ({ series, entry: { settings = {} } }: ShownLog) => ({
    ...{ series, settings: new Map(Object.entries(settings)) },
  });
  return compareRuns(of(a), of(b));
}

/** The report of a log, with a comparison and the episodes that are open. */
function reportOf({ entry, series }: ShownLog, beside: ShownLog | null): string {
  const { name, summary, state, findings, axis, movers = [] } = entry;
  const lines = [
    `# ${name}`,
    '',
    `${series.length} series over ${axis.unit}${state ? `; state: ${state.replaceAll('_', ' ')}` : ''}.`,
    '',
    summary ?? '',
  ];
  if (movers.length > 0)
    lines.push('', '## What changed', '', ...movers.map(({ text }) => `- ${text}`));
  for (const { title, text, confidence, remedies } of findings.findings) {
    lines.push('', `## ${title}`, '', `${text} Confidence ${percent(confidence)}.`, '');
    lines.push(...remedies.map((remedy) => `- ${remedy.text}`));
  }
  if (beside !== null) {
    const { outcome, series: all, settings } = compareLogs({ entry, series }, beside);
    lines.push('', `## Compared with ${beside.entry.name}`, '');
    lines.push('| Series | Diverges at | This log | Other log |', '|---|---|---|---|');
    for (const one of [...(outcome === null ? [] : [outcome]), ...all].slice(0, 30)) {
      const at = one.at === null ? 'never' : stepText(one.at);
      lines.push(
        `| ${divergenceName(one)} | ${at} | ${significant(one.ends[0])} | ${significant(one.ends[1])} |`,
      );
    }
    for (const { path, values } of settings) {
      lines.push(`| ${path} | setting | ${values.map((value) => value ?? '').join(' | ')} |`);
    }
  }
  const { summary: episodes } = useEpisodes.getState();
  if (episodes !== null) {
    lines.push('', '## Episodes', '', `${several(episodes.episodes, 'episode')}.`, '');
    for (const flag of episodeFlags) {
      const count = episodes.flags[flag] ?? 0;
      if (count > 0) lines.push(`- ${flagTitles[flag]}: ${count}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

export function saveReport(log: ShownLog, beside: ShownLog | null): void {
  const name = `${log.entry.name.replaceAll(/[^\w.-]+/g, '-').slice(0, 60) || 'log'}.md`;
  download({ name, parts: [reportOf(log, beside)], type: 'text/markdown' });
}
