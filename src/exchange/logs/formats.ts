/** Formats for saving all metrics of runs (`write.ts`). */
export const logFormats = ['csv', 'jsonl', 'parquet', 'events'] as const;
export type LogFormat = (typeof logFormats)[number];
