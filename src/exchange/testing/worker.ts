import { answerFileRequest, type FileAnswer, type FileRequest } from '../file-reading.ts';

/** Stands for `Worker` where there is none: the same answers, copied as a worker's are. */
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
