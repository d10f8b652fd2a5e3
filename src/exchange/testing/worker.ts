import { answerFileRequest, type FileAnswer, type FileRequest } from '../file-reading.ts';

/** Replaces `Worker` in Node: the same answers, structured-cloned like a worker's. */
export class FileWorkerInProcess {
  onmessage: ((event: { data: FileAnswer }) => void) | null = null;

  postMessage(request: FileRequest): void {
    void answerFileRequest(request).then((answer) =>
      this.onmessage?.({ data: structuredClone(answer) }),
    );
  }

  terminate(): void {
    this.onmessage = null;
  }
}
