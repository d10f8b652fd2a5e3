/** The worker that reads one untrusted file. The page loads it by URL. */
import { permission } from '../envs/written/permission.ts';
import { answerFileRequest, type FileRequest, transferred } from './file-reading.ts';

// The types of both a page and a worker apply here; in a worker `postMessage` takes one value.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<FileRequest>) => {
  // Code in a file does not run, except that of the current run, which the user has allowed.
  const present = 'present' in data ? data.present : [];
  permission.anyMayRun = present.length > 0;
  permission.mayRun = (code) => present.some(({ options }) => options.code === code);
  const answer = await answerFileRequest(data);
  scope.postMessage(answer, transferred(answer));
};
