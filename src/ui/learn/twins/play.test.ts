import { afterEach, expect, it, vi } from 'vitest';
import { presetConfig } from '../../../config/presets.ts';
import type { PageMessage } from '../../../lab/protocol.ts';
import { useLab } from '../../shell/lab/store.ts';
import { beginTwins, endTwins } from './play.ts';

afterEach(endTwins);

it('pauses and resumes the second agent with the first', () => {
  const sent: PageMessage[] = [];
  let fail = () => {};
  class LabWorker {
    readonly #name: string;
    constructor(_url: URL, { name }: { readonly name: string }) {
      this.#name = name;
    }
    terminate = vi.fn();
    postMessage(message: PageMessage): void {
      if (this.#name === 'palestra-beside') sent.push(message);
    }
    set onerror(take: (event: object) => void) {
      if (this.#name !== 'palestra-beside') fail = () => take({ message: '' });
    }
  }
  vi.stubGlobal('Worker', LabWorker);
  vi.stubGlobal('location', new URL('http://localhost/lab/'));
  vi.stubGlobal('history', { state: null, pushState: vi.fn(), replaceState: vi.fn() });
  const types = () => sent.map(({ type }) => type);
  beginTwins('bapo,grpo', { preset: 'maze', config: presetConfig('maze') });
  useLab.setState({ status: 'running' });
  expect(types()).toEqual(['start']);

  // Continued before the iteration has ended.
  useLab.setState({ pausing: true });
  useLab.setState({ pausing: false });
  expect(types().slice(1)).toEqual(['pause', 'resume']);

  useLab.setState({ pausing: true });
  useLab.setState({ status: 'paused', pausing: false });
  useLab.setState({ status: 'running' });
  expect(types().slice(3)).toEqual(['pause', 'resume']);

  // A step of the first agent.
  useLab.setState({ pausing: true });
  useLab.setState({ status: 'paused', pausing: false });
  useLab.setState({ pausing: true });
  useLab.setState({ status: 'running' });
  useLab.setState({ status: 'paused', pausing: false });
  expect(types().slice(5)).not.toContain('resume');
  endTwins();
  fail();
});
