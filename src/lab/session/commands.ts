import type { LiveValues } from '../../config/changes.ts';
import type { DeviceChoice, PageMessage } from '../protocol.ts';

export type Start = Extract<PageMessage, { readonly type: 'start' }>;

/** What the page wants of a run that is led. */
export type Command = Extract<
  PageMessage,
  { readonly type: 'pause' | 'resume' | 'step' | 'step-phase' | 'move' | 'change' }
>;

/**
 * What the page has asked a run to do and the run has not done yet. A later command may take back an
 * earlier one; whoever leads the run looks here between iterations and between phases.
 */
export class Commands {
  readonly #changed: () => void;
  /** Iterate without being asked. */
  #going: boolean;
  /** Single iterations asked for. */
  #steps = 0;
  /** A single phase asked for, or the way to a later one. */
  #phase: 'next' | 'last-loss' | null = null;
  #device: DeviceChoice;
  /** Settings to be changed. */
  #values: LiveValues = {};
  #ended = false;

  /** @param changed called after every command */
  constructor({ paused, device }: Pick<Start, 'paused' | 'device'>, changed: () => void) {
    this.#going = !paused;
    this.#device = device ?? 'auto';
    this.#changed = changed;
  }

  take(command: Command): void {
    switch (command.type) {
      case 'pause':
        this.#going = false;
        this.#steps = 0;
        this.#phase = null;
        break;
      case 'resume':
        this.#going = true;
        break;
      case 'step':
        if (!this.#going) this.#steps += 1;
        break;
      case 'step-phase':
        if (!this.#going && this.#steps === 0) this.#phase = command.to;
        break;
      case 'move':
        this.#device = command.device;
        break;
      case 'change':
        this.#values = { ...this.#values, ...command.values };
        break;
      default:
        command satisfies never;
    }
    this.#changed();
  }

  end(): void {
    this.#ended = true;
    this.#changed();
  }

  /** The page has ended the run. */
  get ended(): boolean {
    return this.#ended;
  }

  /** What it is to be computed on. */
  get device(): DeviceChoice {
    return this.#device;
  }

  /** Settings are to be changed. */
  get changes(): boolean {
    return Object.keys(this.#values).length > 0;
  }

  /** The settings to be changed, which are thereby taken. */
  takeChanges(): LiveValues {
    const values = this.#values;
    this.#values = {};
    return values;
  }

  /** Something is to be computed: an iteration, or a phase of one. */
  get asked(): boolean {
    return this.#going || this.#steps > 0 || this.#phase !== null;
  }

  /** Whether an iteration, or what is left of it, is asked for without a stop. A step is thereby taken. */
  takeWhole(): boolean {
    const whole = this.#going || this.#steps > 0;
    if (this.#steps > 0) this.#steps -= 1;
    return whole;
  }

  /**
   * Whether the run is to stop at this phase; what was asked for is then reached.
   *
   * @param last it is the loss of the iteration's last update
   */
  reaches(last: boolean): boolean {
    if (this.#phase === 'last-loss' && !last) return false;
    this.#phase = null;
    return true;
  }

  /** The iteration is over, or was lost: no phase of it can be reached any more. */
  leaveIteration(): void {
    this.#phase = null;
  }
}
