/** A model cannot be downloaded; the message says why and what to do. */
export class HubError extends Error {
  override readonly name = 'HubError';
}

/** The user cancelled; downloaded bytes are kept. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
  constructor() {
    super('The download was cancelled.');
  }
}
