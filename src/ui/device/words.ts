/** What computes, and what would be faster, in words for people. */
import type { DeviceChoice, Machine } from '../../lab/protocol.ts';

/** What a page and its browser allow. */
export interface Surroundings {
  /** The page may share memory between threads. */
  readonly isolated: boolean;
  /** Cores that the browser tells of. */
  readonly cores: number;
  /** https, or this machine itself. */
  readonly secure: boolean;
  /** A reload is answered by the page's service worker, which isolates it. */
  readonly reloadIsolates: boolean;
}

/** As it stands in the bar of facts. */
export function deviceName({ adapter, processor, threads }: Machine): string {
  if (!processor) return adapter;
  return `Processor, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
}

/** One thing that would make training faster here. */
export interface Faster {
  readonly title: string;
  readonly text: string;
  /** What to do for a GPU, in this browser, belongs below. */
  readonly steps?: true;
}

/** What would be faster, what helps most first; empty where nothing would be. */
export function whatWouldBeFaster(
  { processor, software, threads, withoutGpu }: Machine,
  choice: DeviceChoice,
  { isolated, cores, secure, reloadIsolates }: Surroundings,
): readonly Faster[] {
  if (!processor) {
    return software
      ? [
          {
            title: 'The processor itself',
            text: 'Here it imitates a GPU. Choose Processor, or Automatic, in the settings: the same cores then do several times as much.',
          },
        ]
      : [];
  }
  const gpu: Faster =
    choice === 'processor'
      ? {
          title: 'A GPU',
          text: 'The processor was chosen. If this machine has a GPU, choose Automatic in the settings.',
        }
      : { title: 'A GPU', text: withoutGpu ?? '', steps: true };
  if (threads > 1 || cores < 2 || isolated) return [gpu];
  const because = `This machine has ${cores} cores, but a browser shares memory between threads only in a page that is isolated from others.`;
  const how = !secure
    ? 'Open this page over https, or from localhost.'
    : reloadIsolates
      ? 'Reload this page: from the second visit on it is.'
      : 'Whoever serves this page can have it isolated: docs/DEVELOPING.md says how.';
  return [gpu, { title: 'More threads', text: `${because} ${how}` }];
}

/** The line under the device's name; null where nothing would be faster. */
export function fasterLine(faster: readonly Faster[]): string | null {
  const [first, ...others] = faster.map(({ title }) => title);
  if (first === undefined) return null;
  const after = others.map((title) => ` or ${title.charAt(0).toLowerCase()}${title.slice(1)}`);
  return `${first}${after.join('')} would be faster`;
}
