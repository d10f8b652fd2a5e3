import type { LogFormat } from '../../../exchange/logs/formats.ts';
import { placeName } from '../../../runs/place.ts';
import { download } from '../../shell/files/download.ts';
import { askLogWorker } from './worker.ts';

/** Saves all metrics of stored runs as one file. Rejects on read or write errors. */
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
