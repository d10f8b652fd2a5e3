import type { LiveValues } from '../../config/changes.ts';
import { type PhaseFacts, type PhaseStop, placeOf } from '../../runs/phase-facts.ts';
import type { DeviceChoice, PageMessage } from '../protocol.ts';

export type Start = Extract<PageMessage, { readonly type: 'start' }>;

/** A command from the page to a run. */
export type Command = Extract<
  PageMessage,
  { readonly type: 'pause' | 'resume' | 'step' | 'step-phase' | 'move' | 'change' }
>;

/**
 * Pending commands from the page. A later command may override an earlier one. The run loop reads
 * them between iterations and between phases.
 */
export class Commands {
  readonly #onChange: () => void;
  /** Whether to iterate without further commands. */
  #running: boolean;
  /** Single iterations requested. */
  #steps = 0;
  /** Phase to stop at. */
  #phase: PhaseStop | null = null;
  #device: DeviceChoice;
  /** Settings to change. */
  #values: LiveValues = {};
  #ended = false;

  /** @param onChange called after every command */
  constructor({ paused, device }: Pick<Start, 'paused' | 'device'>, onChange: () => void) {
    this.#running = !paused;
    this.#device = device ?? 'auto';
    this.#onChange = onChange;
  }

  take(command: Command): void {
    switch (command.type) {
      case 'pause':
        this.#running = false;
        this.#steps = 0;
        this.#phase = null;
        break;
      case 'resume':
        this.#running = true;
        break;
      case 'step':
        if (!this.#running) this.#steps += 1;
        break;
      case 'step-phase':
        if (!this.#running && this.#steps === 0) this.#phase = command.to;
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
    this.#onChange();
  }

  end(): void {
    this.#ended = true;
    this.#onChange();
  }

  /** Whether the page has ended the run. */
  get ended(): boolean {
    return this.#ended;
  }

  /** The requested device. */
  get device(): DeviceChoice {
    return this.#device;
  }

  get hasChanges(): boolean {
    return Object.keys(this.#values).length > 0;
  }

  /** Returns the settings to change, and clears them. */
  takeChanges(): LiveValues {
    const values = this.#values;
    this.#values = {};
    return values;
  }

  /** Whether an iteration or a phase is requested. */
  get hasWork(): boolean {
    return this.#running || this.#steps > 0 || this.#phase !== null;
  }

  /** Whether a whole iteration, or the rest of one, is requested; consumes a step. */
  takeIteration(): boolean {
    const whole = this.#running || this.#steps > 0;
    if (this.#steps > 0) this.#steps -= 1;
    return whole;
  }

  /**
   * Whether the run stops at this phase; consumes the request.
   *
   * @param facts results of the phase
   */
  stopsAt(facts: PhaseFacts): boolean {
    const stop = this.#phase;
    if (stop !== null && stop !== 'next') {
      if (facts.phase !== 'loss') return false;
      const isLast = facts.index === facts.of;
      if (!isLast && (stop === 'last-loss' || placeOf(facts, stop) < 0)) return false;
    }
    this.#phase = null;
    return true;
  }

  /** Drops a pending stop; to be called when the iteration has ended or was lost. */
  leaveIteration(): void {
    this.#phase = null;
  }
}
