/** Formats that all metrics of runs are written in (`write.ts`). */
export const logFormats = ['csv', 'jsonl', 'parquet', 'events'] as const;
export type LogFormat = (typeof logFormats)[number];
