import { create } from 'zustand';

/** Notes on replaced settings, one sentence each. */
interface ReplacedSettings {
  /** Their source. */
  readonly of: 'the address' | 'this stored run' | 'this run of a sweep' | 'the run file';
  readonly notes: readonly string[];
}

export const useReplacedSettings = create<ReplacedSettings>()(() => ({
  of: 'the address',
  notes: [],
}));
