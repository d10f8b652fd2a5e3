/** A WebSocket connection to an OpenEnv server, with one response per request. */

import { onDisconnect, RemoteFault, RemoteRefusal, type Socket, sockets } from './sockets.ts';

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const OPEN_MS = 10_000;
const ANSWER_MS = 60_000;
/** Maximum length of a message in characters. */
const MOST_CHARACTERS = 1_000_000;

/** OpenEnv error codes that are worth a retry. */
const passing = new Set(['CAPACITY_REACHED', 'SESSION_ERROR', 'FACTORY_ERROR']);

interface Waiting {
  readonly type: string;
  readonly answer: (data: Fields) => void;
  readonly fail: (error: Error) => void;
}

export class Channel {
  readonly #socket: Socket;
  #waiting: Waiting | null = null;
  #lost: RemoteFault | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear(data));
    socket.addEventListener('close', () => this.#lose('the server closed the connection'));
    socket.addEventListener('error', () => this.#lose('the connection failed'));
  }

  /** @throws {RemoteFault} */
  static open(url: string): Promise<Channel> {
    return new Promise((opened, failed) => {
      let socket: Socket;
      try {
        socket = sockets.open(url);
      } catch (error) {
        const refused = error instanceof RemoteRefusal;
        failed(refused ? error : new RemoteFault(`cannot connect to ${url}: ${String(error)}`));
        return;
      }
      const late = setTimeout(() => {
        failed(new RemoteFault(`no connection to ${url} within ${OPEN_MS / 1000} s`));
        socket.close();
      }, OPEN_MS);
      const channel = new Channel(socket);
      const forget = onDisconnect(() => channel.close());
      socket.addEventListener('close', forget);
      socket.addEventListener('open', () => {
        clearTimeout(late);
        opened(channel);
      });
      const fail = () => {
        clearTimeout(late);
        failed(new RemoteFault(`cannot connect to ${url}`));
      };
      socket.addEventListener('close', fail);
      socket.addEventListener('error', fail);
    });
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /**
   * Sends a message and returns the data of the response.
   *
   * @throws {RemoteFault} if no response arrives, or an unreadable one
   * @throws {RemoteRefusal} if the server rejects the message
   */
  ask(message: Fields, answerType: string): Promise<Fields> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    return new Promise((answer, fail) => {
      const late = setTimeout(
        () => this.#lose(`no answer within ${ANSWER_MS / 1000} s`),
        ANSWER_MS,
      );
      const settled = <Value>(settle: (value: Value) => void) => {
        return (value: Value) => {
          clearTimeout(late);
          this.#waiting = null;
          settle(value);
        };
      };
      this.#waiting = { type: answerType, answer: settled(answer), fail: settled(fail) };
      this.#socket.send(JSON.stringify(message));
    });
  }

  close(): void {
    this.#lose('the connection is closed');
  }

  #hear(text: unknown): void {
    let message: unknown = null;
    if (typeof text === 'string' && text.length <= MOST_CHARACTERS) {
      try {
        message = JSON.parse(text);
      } catch {}
    }
    const data = isFields(message) ? message.data : null;
    const waiting = this.#waiting;
    if (!isFields(message) || !isFields(data)) {
      this.#lose('the server sent a message that is not in the protocol of OpenEnv');
    } else if (message.type === 'error') {
      const said = `${String(data.code)}: ${String(data.message)}`;
      if (waiting === null || passing.has(String(data.code))) this.#lose(said);
      else waiting.fail(new RemoteRefusal(said, data.errors));
    } else if (waiting !== null && message.type === waiting.type) waiting.answer(data);
    else this.#lose(`the server sent an unexpected ${String(message.type)} message`);
  }

  #lose(why: string): void {
    if (this.#lost === null) {
      this.#lost = new RemoteFault(why);
      this.#socket.close();
    }
    this.#waiting?.fail(this.#lost);
  }
}
