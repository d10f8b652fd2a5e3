import type { LogFormat } from '../../exchange/logs/formats.ts';
import { placeName } from '../../runs/place.ts';
import { download } from '../files/download.ts';
import { askLogWorker } from './worker.ts';

/** Saves all metrics of kept runs as one file. Rejects where they cannot be read or written. */
export function saveNumbers(
  ids: readonly string[],
  stem: string,
  format: LogFormat,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const place = placeName(location.href);
    askLogWorker({ kind: 'write', ids, place, format }, (message) => {
      if (message.kind === 'failed' || message.kind === 'refused') {
        reject(new Error(message.message));
      }
      if (message.kind !== 'written') return;
      const { bytes, extension, type } = message.output;
      download({ name: `${stem}${extension}`, parts: [bytes], type });
      resolve();
    });
  });
}
