/**
 * A Model Context Protocol server that answers questions about training logs, for coding agents
 * that monitor a run.
 */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { finitePoints } from '../diagnosis/changes.ts';
import { compareRuns } from '../diagnosis/compare.ts';
import { readableLogs } from '../exchange/logs/counterparts.ts';
import { stepOf } from '../exchange/logs/diagnose-log.ts';
import { LogError } from '../exchange/logs/error.ts';
import { episodeFlags } from '../exchange/rollouts/detectors.ts';
import { countFlags, stepsOf } from '../exchange/rollouts/read-rollouts.ts';
import { episodeOrders, searched, selected } from '../exchange/rollouts/select.ts';
import { about, happened, plain, type Read, readColumns, runsAt } from './diagnose-command.ts';
import { openRollouts, plainEpisode, readMapping } from './episodes-command.ts';
import { comparedOf, plainComparison } from './log-comparison.ts';
import { UsageError } from './usage.ts';

const path = z
  .string()
  .min(1)
  .max(4096)
  .describe('a log file, a folder of them, or an address that begins with http');
const columns = z
  .array(z.string().max(600))
  .max(50)
  .default([])
  .describe('maps quantities to columns with unrecognized names, such as "score=my_reward"');
const run = z
  .string()
  .max(4096)
  .optional()
  .describe("part of the run's name, if the path contains several runs");

/** Version of the tools; change it whenever their arguments or answers change. */
const VERSION = '1.1.0';

/** Maximum number of series and changes in one answer. */
const MOST_SERIES = 200;
const MOST_CHANGES = 60;
const MOST_STEPS = 200;

type Answer = {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
};

/** An answer as JSON. Problems with a file are returned as answers too. */
async function answer(work: () => Promise<object>): Promise<Answer> {
  try {
    return { content: [{ type: 'text', text: JSON.stringify(await work()) }] };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof LogError)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

/** @throws {UsageError} */
async function runsOf(
  place: string,
  given: readonly string[],
  wanted: string | undefined,
): Promise<readonly Read[]> {
  const all = await runsAt(place, null, readColumns(given), () => {});
  if (wanted === undefined) return all;
  const found = all.filter((one) => one.place.includes(wanted) || one.log.name.includes(wanted));
  if (found.length > 0) return found;
  throw new UsageError(
    `${place} has no run ${JSON.stringify(wanted)}; it has ${all.map((one) => one.place).join(', ')}`,
  );
}

const rounded = (value: number) => (Number.isFinite(value) ? Number(value.toPrecision(5)) : null);

function seriesOf({ log }: Read): readonly object[] {
  return log.series.slice(0, MOST_SERIES).map((one) => {
    const { x, y } = finitePoints(one, Number.POSITIVE_INFINITY);
    const [least, most] = y.reduce(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    );
    return {
      ...{ series: one.key, metric: one.metric, rows: one.y.length },
      ...{ not_finite: one.y.length - y.length, from: x[0] ?? null, to: x.at(-1) ?? null },
      ...{ first: rounded(y[0] ?? Number.NaN), last: rounded(y.at(-1) ?? Number.NaN) },
      ...{ min: rounded(least), max: rounded(most) },
    };
  });
}

/** The server with its tools; connect it to a transport. */
export function logServer(): McpServer {
  const server = new McpServer({ name: 'palestra', version: VERSION });
  const annotations = { readOnlyHint: true, openWorldHint: false } as const;

  server.registerTool(
    'open_log',
    {
      title: 'Open a training log',
      description: `Reads a log of any supported tool (${readableLogs}) and lists its runs, axis, settings and series with first, last, min and max.`,
      inputSchema: { path, run },
      annotations,
    },
    ({ path: place, run: wanted }) =>
      answer(async () => ({
        runs: (await runsOf(place, [], wanted)).map((one) => ({
          ...{ run: one.place, ...about(one), step: stepOf(one.log) },
          settings: Object.fromEntries([...one.log.settings].slice(0, 100)),
          ...{ series: seriesOf(one), of_series: one.log.series.length },
        })),
      })),
  );

  server.registerTool(
    'what_changed',
    {
      title: 'What changed first',
      description:
        'How the score of a run developed (learning, plateau, dead, slow or sudden collapse, dip and recovery, oscillating, not finite), and what changed before it: every jump and trend with its step, interval and strength.',
      inputSchema: { path, columns, run },
      annotations,
    },
    ({ path: place, columns: given, run: wanted }) =>
      answer(async () => ({
        runs: (await runsOf(place, given, wanted)).map((one) => {
          const outcome = happened(one);
          const { changes } = outcome;
          return {
            ...{ run: one.place, ...outcome, changes: changes.slice(0, MOST_CHANGES) },
            of_changes: changes.length,
          };
        }),
      })),
  );

  server.registerTool(
    'diagnose',
    {
      title: 'Diagnose a run',
      description:
        'The causes of a failing run with evidence, confidence and remedies, and what to log to distinguish other causes. A healthy run has no findings.',
      inputSchema: { path, columns, run },
      annotations,
    },
    ({ path: place, columns: given, run: wanted }) =>
      answer(async () => ({
        runs: (await runsOf(place, given, wanted)).map((one) => ({
          ...{ run: one.place, state: one.diagnosis.changed.outcome?.state ?? null },
          ...{ summary: one.diagnosis.summary, ...plain(one.diagnosis, new Map()) },
        })),
      })),
  );

  server.registerTool(
    'episodes',
    {
      title: 'Read episodes',
      description:
        'Reads a rollout file or folder: verifiers traces, verl and slime dumps, AgentGym-RL logs, TRL completions, AgentTraj, JSON lines. Counts episodes by step and reports signs of failure: repetition, truncation, format errors, empty answers, copied prompts, reward without success. Returns the text of a few episodes.',
      inputSchema: {
        path: path.describe('a file of episodes, or a folder of them'),
        map: z
          .array(z.string().max(600))
          .max(20)
          .default([])
          .describe('fields of a plain file, such as "reward=points"'),
        from_step: z.number().optional().describe('the first step to read'),
        to_step: z.number().optional().describe('the last step to read'),
        flag: z.enum(episodeFlags).optional(),
        search: z.string().max(1000).optional(),
        order: z.enum(episodeOrders).default('highest'),
        show: z.number().int().min(0).max(20).default(3),
        most_characters: z
          .number()
          .int()
          .min(100)
          .max(20_000)
          .default(2000)
          .describe('maximum number of characters of one message'),
      },
      annotations,
    },
    ({ path: place, map, from_step, to_step, flag, search, order, show, most_characters }) =>
      answer(async () => {
        const rollouts = await openRollouts([place], readMapping(map));
        const range =
          from_step === undefined && to_step === undefined
            ? {}
            : {
                steps: [
                  from_step ?? Number.NEGATIVE_INFINITY,
                  to_step ?? Number.POSITIVE_INFINITY,
                ] as const,
              };
        const shown = await searched(rollouts, {
          ...{ order, most: show, ...range },
          ...(flag === undefined ? {} : { flag }),
          ...(search === undefined ? {} : { search }),
        });
        const all = stepsOf(selected(rollouts.entries, range));
        return {
          ...{ tool: rollouts.tool, episodes: rollouts.entries.length, notes: rollouts.notes },
          ...{
            flags: countFlags(rollouts.entries),
            steps: all.slice(0, MOST_STEPS),
            of_steps: all.length,
          },
          shown: await Promise.all(
            shown.map((entry) => plainEpisode(rollouts, entry, most_characters)),
          ),
        };
      }),
  );

  server.registerTool(
    'compare',
    {
      title: 'Compare two runs',
      description:
        'Where the score and each series of two runs first diverge, how they end, and which settings differ.',
      inputSchema: { path, other: path, columns },
      annotations,
    },
    ({ path: place, other, columns: given }) =>
      answer(async () => {
        const [[a], [b]] = [
          await runsOf(place, given, undefined),
          await runsOf(other, given, undefined),
        ];
        if (a === undefined || b === undefined) throw new UsageError('fewer than two runs');
        const comparison = plainComparison(compareRuns(comparedOf(a), comparedOf(b)));
        return {
          runs: [a, b].map((one) => ({
            ...{ run: one.place, state: one.diagnosis.changed.outcome?.state ?? null },
            summary: one.diagnosis.summary,
          })),
          ...{ ...comparison, series: comparison.series.slice(0, MOST_CHANGES) },
          of_series: comparison.series.length,
        };
      }),
  );
  return server;
}
