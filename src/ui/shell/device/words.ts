/** Texts about the device, and about what would be faster. */
import type { DeviceChoice, Machine } from '../../../lab/protocol.ts';

/** Capabilities of the page and its browser. */
export interface Surroundings {
  /** The page is cross-origin isolated, so threads can share memory. */
  readonly isolated: boolean;
  /** Cores reported by the browser. */
  readonly cores: number;
  /** https or localhost. */
  readonly secure: boolean;
  /** A reload is served by the service worker, which isolates the page. */
  readonly reloadIsolates: boolean;
}

/** Name of the device. */
export function deviceName({ adapter, processor, threads }: Machine): string {
  if (!processor) return adapter;
  return `Processor, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
}

/** A way to train faster. */
interface Faster {
  readonly title: string;
  readonly text: string;
  /** Instructions for this browser follow below. */
  readonly steps?: true;
}

/** Ways to train faster, the most effective first. */
export function whatWouldBeFaster(
  { processor, software, threads, withoutGpu }: Machine,
  choice: DeviceChoice,
  { isolated, cores, secure, reloadIsolates }: Surroundings,
): readonly Faster[] {
  if (!processor) {
    return software
      ? [
          {
            title: 'The processor without WebGPU',
            text: 'This browser emulates a GPU on the processor. Choose Processor or Automatic in the settings; both are several times faster.',
          },
        ]
      : [];
  }
  const gpu: Faster =
    choice === 'processor'
      ? {
          title: 'A GPU',
          text: 'The processor is selected. If this machine has a GPU, choose Automatic in the settings.',
        }
      : { title: 'A GPU', text: withoutGpu ?? '', steps: true };
  if (threads > 1 || cores < 2 || isolated) return [gpu];
  const because = `This machine has ${cores} cores, but browsers allow threads only in cross-origin isolated pages.`;
  const how = !secure
    ? 'Open this page over https, or from localhost.'
    : reloadIsolates
      ? 'Reload this page; it is isolated from the second visit on.'
      : 'The server of this page can enable isolation: see docs/DEVELOPING.md.';
  return [gpu, { title: 'More threads', text: `${because} ${how}` }];
}

/** The line below the device name, or null. */
export function fasterLine(faster: readonly Faster[]): string | null {
  const [first, ...others] = faster.map(({ title }) => title);
  if (first === undefined) return null;
  const after = others.map((title) => ` or ${title.charAt(0).toLowerCase()}${title.slice(1)}`);
  return `${first}${after.join('')} would be faster`;
}
